import { nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { ModifierInput, ModifierKind, Position, PromptNodeInput, ReplacementSource } from '../../api/schema';
import { LightElement } from '../../element/light';
import { html, t } from '../../words/words';

/** Each kind that the server knows, with what it does. One that is added there is missed here by the compiler. */
const KINDS: Record<ModifierKind, string> = {
  dynamic_position: 'adds text next to a node',
  tool_list: 'lists the tools next to a node',
  full_replacement: 'fills a node with the conversation or the reply',
};
const POSITIONS: Record<Position, string> = { before: 'before the node', after: 'after the node', relative: 'inside the node, at its end' };
const SOURCES: Record<ReplacementSource, string> = { history_of_session: 'the conversation so far', llm_response: 'the reply of the model' };
/** What stands in every tree besides the agent's own nodes. */
const USUAL: Record<string, string> = {
  house: 'text added by the server',
  capabilities: 'text added by the capabilities',
  markup: 'explanation of the elements',
  time_zone: 'time zone',
  system_prompt: 'instructions (system prompt)',
  history: 'the conversation so far',
  reminders: 'reminders',
  current_turn: 'the current message',
};

/** What is done to the tree of a prompt, in order: a form per modifier, with the fields that its kind takes. */
export class MjModifiers extends LightElement {
  static override properties = { modifiers: { attribute: false }, nodes: { attribute: false }, response: { attribute: false } };
  declare modifiers: ModifierInput[];
  declare nodes: PromptNodeInput[];
  declare response: PromptNodeInput[];

  constructor() {
    super();
    this.modifiers = [];
    this.nodes = [];
    this.response = [];
  }

  override render() {
    return html`<h2>Modifiers</h2>
      ${this.modifiers.length === 0 ? html`<p class="hint">No modifiers. A modifier changes the prompt tree each time a prompt is built.</p>` : html`<ol class="plainlist nodes">${this.modifiers.map((modifier, at) => this.#modifier(modifier, at))}</ol>`}
      <button class="btn" @click=${this.#add}>Add a modifier</button>`;
  }

  #modifier(modifier: ModifierInput, at: number): TemplateResult {
    const name = modifier.caption || modifier.id;
    const change = (by: Partial<ModifierInput>) => this.#put(at, { ...modifier, ...by });
    return html`<li class="node modifier"><fieldset><legend class="unseen">${t('Modifier {}', name)}</legend>
      <div class="row"><label><input type="checkbox" aria-label=${t('Use {}', name)} .checked=${live(modifier.enabled ?? true)} @change=${(event: Event) => change({ enabled: (event.currentTarget as HTMLInputElement).checked })} /></label>
        <input class="input grow" aria-label=${t('Title of {}', name)} .value=${live(modifier.caption ?? '')} placeholder=${modifier.id} @input=${(event: Event) => change({ caption: valueOf(event) })} />
        <button class="btn ghost icon" aria-label=${t('Move {} up', name)} ?disabled=${at === 0} @click=${() => this.#move(at, -1)}>↑</button><button class="btn ghost icon" aria-label=${t('Move {} down', name)} ?disabled=${at === this.modifiers.length - 1} @click=${() => this.#move(at, 1)}>↓</button>
        <button class="btn ghost danger" aria-label=${t('Remove {}', name)} @click=${() => this.#set(this.modifiers.toSpliced(at, 1))}>Remove</button></div>
      <div class="grid">
        <label class="field"><span>What it does</span>${choice(told(KINDS), modifier.kind, (kind) => this.#put(at, ofKind(modifier, kind)))}</label>
        ${this.#target(modifier, change)}
        ${modifier.kind === 'full_replacement' ? this.#source(modifier, change) : html`<label class="field"><span>Where</span>${choice(told(POSITIONS), modifier.position ?? 'after', (position) => change({ position }))}</label>`}
      </div>
      ${modifier.kind === 'dynamic_position' ? html`<label class="field"><span>Text</span><textarea class="input" .value=${live(modifier.content ?? '')} @input=${(event: Event) => change({ content: valueOf(event) })}></textarea></label>` : nothing}
    </fieldset></li>`;
  }

  #target(modifier: ModifierInput, change: (by: Partial<ModifierInput>) => void): TemplateResult {
    const ofReply = modifier.source === 'llm_response';
    const own = Object.fromEntries(flat(ofReply ? this.response : this.nodes).map(({ id, caption }) => [id, caption || id]));
    const known: Record<string, string> = ofReply ? own : { ...Object.fromEntries(Object.entries(USUAL).map(([id, does]) => [id, t(does)])), ...own };
    const { target_id: target } = modifier;
    const all = target in known ? known : { ...known, [target]: t('{} (no such node)', target) };
    return html`<label class="field"><span>Node</span>${choice(all, target, (target_id) => change({ target_id }))}</label>`;
  }

  #source(modifier: ModifierInput, change: (by: Partial<ModifierInput>) => void): TemplateResult {
    const room = (text: string) => (text === '' ? null : Number(text));
    return html`<label class="field"><span>Filled with</span>${choice(told(SOURCES), modifier.source ?? 'history_of_session', (source) => change({ source, context_window_size: source === 'llm_response' ? null : (modifier.context_window_size ?? null) }))}</label>
      ${modifier.source === 'llm_response' ? nothing : html`<label class="field"><span>Limit in tokens</span><input class="input" type="number" min="0" step="1" placeholder="no limit" .value=${live(modifier.context_window_size?.toString() ?? '')} @input=${(event: Event) => change({ context_window_size: room(valueOf(event)) })} /></label>`}`;
  }

  #add = (): void => {
    const id = `modifier_${Math.random().toString(36).slice(2, 8)}`;
    const target_id = this.nodes[0]?.id ?? 'system_prompt';
    const fresh: ModifierInput = { id, caption: t('Modifier {}', this.modifiers.length + 1), enabled: true, kind: 'dynamic_position', target_id };
    this.#set([...this.modifiers, ofKind(fresh, 'dynamic_position')]);
  };

  #move(at: number, by: number): void {
    const modifier = this.modifiers[at];
    if (modifier) this.#set(this.modifiers.toSpliced(at, 1).toSpliced(at + by, 0, modifier));
  }

  #put(at: number, modifier: ModifierInput): void {
    this.#set(this.modifiers.with(at, modifier));
  }

  #set(modifiers: ModifierInput[]): void {
    this.modifiers = modifiers;
    this.dispatchEvent(new CustomEvent('modifiers', { detail: modifiers }));
  }
}

/** The same modifier with the fields that another kind takes, and no others. */
export function ofKind(modifier: ModifierInput, kind: ModifierKind): ModifierInput {
  const { id, caption, enabled, target_id, position, content } = modifier;
  const same = { id, kind, target_id, ...(caption !== undefined && { caption }), ...(enabled !== undefined && { enabled }) };
  if (kind === 'full_replacement') return { ...same, source: 'history_of_session' };
  const beside = { ...same, position: position ?? 'after' };
  return kind === 'tool_list' ? beside : { ...beside, content: content ?? '' };
}

function told<T extends string>(words: Record<T, string>): Record<T, string> {
  return Object.fromEntries(Object.entries<string>(words).map(([value, does]) => [value, t(does)])) as Record<T, string>;
}

function choice<T extends string>(words: Record<T, string>, chosen: T, choose: (value: T) => void): TemplateResult {
  const options = Object.entries(words) as [T, string][];
  return html`<select class="input" .value=${live(chosen)} @change=${(event: Event) => choose(valueOf(event) as T)}>${options.map(([value, does]) => html`<option value=${value} ?selected=${value === chosen}>${does}</option>`)}</select>`;
}

function flat(nodes: PromptNodeInput[]): PromptNodeInput[] {
  return nodes.flatMap((node) => [node, ...flat(node.children ?? [])]);
}

function valueOf(event: Event): string {
  return (event.currentTarget as HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement).value;
}
customElements.define('mj-modifiers', MjModifiers);
