import { nothing, type TemplateResult } from 'lit';
import { api } from '../../api/routes';
import type { AgentFields, CapabilityView, MarkupMode, PromptTreeInput, Reasoning, WholeAgent } from '../../api/schema';
import { budgetFields } from '../../element/budget';
import { confirmed } from '../../element/confirm';
import { house } from '../../store/house';
import { keep, kept, own } from '../../store/browser-storage';
import { go, link } from '../../store/place';
import { PlaceView } from '../place-view';
import './capabilities';
import './preview';
import './sharing';
import './test-chat';
import './tools';
import type { ToolSettings } from './tools';
import { html, t } from '../../words/words';
import './tree';

const LIMITS: [keyof WholeAgent['limits'], string][] = [
  ['steps', 'Model requests per reply'],
  ['calls_per_step', 'Tool calls per message'],
  ['wall_seconds', 'Seconds per reply'],
  ['output_tokens', 'Tokens it may write per reply'],
  ['depth', 'Levels of agents it may start'],
  ['width', 'Agents it may start at once'],
  ['compact_at', 'Summarise older messages at (% of context)'],
];
const BESIDE = [
  ['preview', 'What the model receives'],
  ['chat', 'Test conversation'],
] as const;

/** One agent: everything it is made of. What is changed is kept in a draft until it is saved, also when the agent is left. */
export class MjAgentEditor extends PlaceView {
  static override properties = { ...PlaceView.properties, agent: { type: String }, now: { state: true }, draft: { state: true }, known: { state: true }, beside: { state: true } };
  declare agent: string;
  declare now: WholeAgent | null;
  declare draft: AgentFields;
  declare known: CapabilityView[];
  declare beside: 'preview' | 'chat';

  constructor() {
    super();
    this.now = null;
    this.draft = {};
    this.known = [];
    this.beside = 'preview';
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('agent') && changed.get('agent') !== undefined) void this.attempt(() => this.load());
  }

  protected override async load(): Promise<void> {
    const [agent, capabilities] = await Promise.all([api.agent(this.agent), api.capabilities()]);
    // Of the agent that is shown already, what was changed is here.
    this.draft = kept<AgentFields>(own('agent', agent.id), this.now?.id === agent.id ? this.draft : {});
    this.now = 'system_prompt' in agent ? agent : null;
    this.known = capabilities.items;
  }

  #value<K extends keyof AgentFields & keyof WholeAgent>(key: K): WholeAgent[K] {
    // Null is a change, too: back to the default.
    return (key in this.draft ? this.draft[key] : this.now?.[key]) as WholeAgent[K];
  }

  #set(change: AgentFields): void {
    this.#keep({ ...this.draft, ...change });
  }

  #keep(draft: AgentFields, agent = this.agent): void {
    if (agent === this.agent) this.draft = draft;
    keep(own('agent', agent), Object.keys(draft).length > 0 ? draft : undefined);
  }

  override render() {
    if (!this.now) return this.frame(t('Agent'), '', html`<p class="empty">…</p>`);
    const changed = Object.keys(this.draft).length > 0;
    return html`<div class="editor">
      <div class="forms">${this.frame(this.now.name, t('Changes apply from the next reply on.'), html`
        ${this.#basics()}
        <section class="card"><header>Capabilities</header><div class="in"><mj-agent-capabilities .known=${this.known} .chosen=${this.#value('capabilities')} @chosen=${(event: CustomEvent<WholeAgent['capabilities']>) => this.#set({ capabilities: event.detail })}></mj-agent-capabilities></div></section>
        <section class="card"><header>Tools</header><div class="in"><mj-agent-tools .known=${this.known} .chosen=${this.#value('capabilities')} .settings=${this.#tools()} @settings=${(event: CustomEvent<Partial<ToolSettings>>) => this.#set(event.detail)}></mj-agent-tools></div></section>
        ${this.#limits()} ${this.#budget()} ${this.#markup()}
        <section class="card"><header>Prompt tree <span class="push hint">${this.#value('prompt_tree') ? t('custom') : t('standard')}</span></header><div class="in"><mj-prompt-tree .tree=${this.#value('prompt_tree')} @tree=${(event: CustomEvent<PromptTreeInput | null>) => this.#set({ prompt_tree: event.detail })}></mj-prompt-tree></div></section>
        <section class="card"><header>Who may use this agent</header><div class="in"><mj-agent-sharing .shared=${this.#value('shared_with')} @shared=${(event: CustomEvent<string[]>) => this.#set({ shared_with: event.detail })}></mj-agent-sharing></div></section>
        ${this.#rest()}`)}
      <div class="savebar" ?hidden=${!changed}><span>You have unsaved changes.</span><span class="row push"><button class="btn" @click=${() => this.#keep({})}>Discard changes</button><button class="btn primary" @click=${this.#save}>Save changes</button></span></div></div>
      ${this.#side(this.now)}
    </div>`;
  }

  /** What it would be told, as it is being edited; or a word with it, as it is saved. */
  #side(now: WholeAgent): TemplateResult {
    return html`<aside class="beside" aria-label="Try this agent">
      <div class="seg">${BESIDE.map(([name, label]) => html`<button aria-pressed=${name === this.beside} @click=${() => (this.beside = name)}>${t(label)}</button>`)}</div>
      ${this.beside === 'chat' ? html`<mj-test-chat .agent=${now.id}></mj-test-chat>` : html`<div class="panel" tabindex="0" role="region" aria-label="What the model receives"><mj-agent-preview .agent=${now.id} .version=${now.updated_at} .changes=${this.draft}></mj-agent-preview></div>`}
    </aside>`;
  }

  #basics(): TemplateResult {
    const models = house.models.map((model) => model.id);
    const model = this.#value('model');
    return html`<section class="card"><header>Basics</header><div class="in">
      <label class="field"><span>Name</span><input class="input" .value=${this.#value('name')} maxlength="200" ?disabled=${this.now?.name === 'main'} @input=${(event: Event) => this.#set({ name: (event.currentTarget as HTMLInputElement).value })} /></label>
      <label class="field"><span>Model</span><select class="input" @change=${(event: Event) => this.#set({ model: (event.currentTarget as HTMLSelectElement).value || null })}><option value="">${house.defaultModel}</option>${(model && !models.includes(model) ? [model, ...models] : models).map((id) => html`<option value=${id} ?selected=${id === model}>${id}</option>`)}</select></label>
      <label class="field"><span>Instructions (system prompt)</span><textarea class="input tall" .value=${this.#value('system_prompt')} @input=${(event: Event) => this.#set({ system_prompt: (event.currentTarget as HTMLTextAreaElement).value })}></textarea><small>Tell the agent who it is and how it should work.</small></label>
    </div></section>`;
  }

  #tools(): ToolSettings {
    return { allowed_tools: this.#value('allowed_tools'), tool_rules: this.#value('tool_rules') };
  }

  #limits(): TemplateResult {
    const limits = this.#value('limits');
    const parameters = this.#value('parameters');
    const parameter = (key: 'temperature' | 'max_tokens' | 'top_p', text: string) => this.#set({ parameters: { ...parameters, [key]: text === '' ? null : Number(text) } });
    return html`<section class="card"><header>Limits and model settings</header><div class="in grid">
      ${LIMITS.map(([key, label]) => html`<label class="field"><span>${t(label)}</span><input class="input" type="number" min="0" .value=${String(limits[key])} @change=${(event: Event) => this.#set({ limits: { ...limits, [key]: Number((event.currentTarget as HTMLInputElement).value) } })} /></label>`)}
      <label class="field"><span>Temperature</span><input class="input" type="number" min="0" max="2" step="0.1" placeholder="default" .value=${parameters.temperature?.toString() ?? ''} @change=${(event: Event) => parameter('temperature', (event.currentTarget as HTMLInputElement).value)} /></label>
      <label class="field"><span>Longest reply, in tokens</span><input class="input" type="number" min="1" placeholder="default" .value=${parameters.max_tokens?.toString() ?? ''} @change=${(event: Event) => parameter('max_tokens', (event.currentTarget as HTMLInputElement).value)} /></label>
      <label class="field"><span>Reasoning</span><select class="input" @change=${(event: Event) => this.#set({ parameters: { ...parameters, reasoning: ((event.currentTarget as HTMLSelectElement).value || null) as Reasoning | null } })}><option value="">default</option>${['off', 'low', 'medium', 'high'].map((one) => html`<option value=${one} ?selected=${parameters.reasoning === one}>${t(one)}</option>`)}</select></label>
    </div></section>`;
  }

  #budget(): TemplateResult {
    return html`<section class="card"><header>Budget</header><div class="in grid">${budgetFields(this.#value('budget'), (budget) => this.#set({ budget }))}</div>
      <p class="hint in">The most that each person may spend with this agent. A reply that would cost more is paused.</p></section>`;
  }

  #markup(): TemplateResult {
    const markup = this.#value('markup');
    return html`<section class="card"><header>Interactive elements in replies</header><div class="in">
      <label class="field"><span>Lists, forms and commands in a reply</span><select class="input" @change=${(event: Event) => this.#set({ markup: { ...markup, mode: (event.currentTarget as HTMLSelectElement).value as MarkupMode } })}>${[
        ['on', t('show them and run what they ask for')],
        ['display', t('show them, but run nothing')],
        ['off', t('show them as plain text')],
      ].map(([mode, does]) => html`<option value=${mode!} ?selected=${mode === markup.mode}>${does}</option>`)}</select></label>
    </div></section>`;
  }

  #rest(): TemplateResult {
    return html`<section class="card"><header>This agent</header><div class="in row">
      <button class="btn" @click=${this.#export}>Export agent</button>
      <button class="btn" @click=${() => void this.#archive()}>${this.now?.status === 'archived' ? t('Restore agent') : t('Archive agent')}</button>
      ${this.now?.name === 'main' ? nothing : html`<button class="btn ghost danger" @click=${() => void this.#remove()}>Delete agent</button>`}
      <a class="btn ghost push" href=${link('agents')} data-place="agents">Back to all agents</a>
    </div></section>`;
  }

  #save = (): void => {
    void this.attempt(async () => {
      const { agent, draft } = this;
      await confirmed(() => api.changeAgent(agent, draft));
      // What was changed meanwhile is not saved yet.
      const rest = Object.entries(agent === this.agent ? this.draft : {}).filter(([key, value]) => value !== draft[key as keyof AgentFields]);
      this.#keep(Object.fromEntries(rest), agent);
      await Promise.all([this.load(), house.loadAgents()]);
    }, t('Saved.'));
  };

  #archive(): Promise<boolean> {
    const status = this.now?.status === 'archived' ? 'active' : 'archived';
    return this.attempt(async () => {
      await api.changeAgent(this.agent, { status });
      await Promise.all([this.load(), house.loadAgents()]);
    });
  }

  async #remove(): Promise<void> {
    if (!confirm(t('Delete {}? This cannot be undone.', this.now?.name ?? ''))) return;
    await this.attempt(async () => {
      await api.deleteAgent(this.agent);
      this.#keep({});
      await house.loadAgents();
      if (this.isConnected) go('agents');
    });
  }

  #export = (): void => {
    void this.attempt(async () => {
      const file = await api.exportAgent(this.agent);
      const url = URL.createObjectURL(new Blob([JSON.stringify(file, null, 2)], { type: 'application/json' }));
      const anchor = document.createElement('a');
      Object.assign(anchor, { href: url, download: `${this.now?.name ?? 'agent'}.json` });
      anchor.click();
      URL.revokeObjectURL(url);
    });
  };
}
customElements.define('mj-agent-editor', MjAgentEditor);
