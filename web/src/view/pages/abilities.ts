import { nothing, type TemplateResult } from 'lit';
import { api } from '../../api/routes';
import type { Ability, AbilityKind, AbilityText, NodeView } from '../../api/schema';
import { house } from '../../store/house';
import { fieldsOf, PlaceView } from '../place-view';
import { html, t } from '../../words/words';

const NEW: AbilityText = { name: '', type: 'process', content: '', description: '', tags: [] };

/** What people write for their agents: processes, and instructions that count while a condition holds. */
export class MjAbilities extends PlaceView {
  static override properties = { ...PlaceView.properties, items: { state: true }, edited: { state: true }, tried: { state: true } };
  declare items: Ability[];
  declare edited: AbilityText | Ability | null;
  declare tried: string;

  constructor() {
    super();
    this.items = [];
    this.edited = null;
    this.tried = '';
  }

  protected override async load(): Promise<void> {
    this.items = (await api.abilities()).items;
  }

  override render() {
    return html`<h2>Your abilities</h2>
      <p class="quiet">Instructions you write once for your agents: a process they follow when you ask for it, or a rule that applies while a condition is true.</p>
      ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}${this.done ? html`<p class="chip ok" role="status">${this.done}</p>` : nothing}
      ${this.items.map((one) => html`<section class="card"><header>${one.name} <span class="chip">${t(one.type ?? 'process')}</span><span class="push row"><button class="btn" aria-label=${t('Edit {}', one.name)} @click=${() => ((this.edited = one), (this.tried = ''))}>Edit</button><button class="btn ghost danger" aria-label=${t('Delete {}', one.name)} @click=${() => void this.#remove(one)}>Delete</button></span></header>${one.description ? html`<div class="in quiet">${one.description}</div>` : nothing}</section>`)}
      ${this.loaded && this.items.length === 0 ? html`<p class="empty">No abilities yet. Write one to explain once how you want something done.</p>` : nothing}
      ${this.edited ? this.#editor(this.edited) : html`<button class="btn" @click=${() => (this.edited = NEW)}>Write an ability</button>`}`;
  }

  #editor(one: AbilityText | Ability): TemplateResult {
    const conditional = one.type === 'conditional';
    return html`<section class="card"><header>${'id' in one ? one.name : t('New ability')}</header><form class="in" @submit=${this.#save}>
      <label class="field"><span>Name</span><input class="input" name="name" .value=${one.name} pattern="[a-z][a-z0-9_]*" maxlength="60" required autocomplete="off" /><small>Lowercase letters, digits and _. Agents list the ability under this name.</small></label>
      <label class="field"><span>Kind</span><select class="input" name="type" @change=${(event: Event) => (this.edited = { ...one, type: (event.currentTarget as HTMLSelectElement).value as AbilityKind })}><option value="process" ?selected=${!conditional}>process: used when you ask for it</option><option value="conditional" ?selected=${conditional}>conditional: used while its condition is true</option></select></label>
      ${conditional ? html`<label class="field"><span>Condition</span><input class="input" name="condition" .value=${one.condition ?? ''} placeholder='words("invoice", "bill") and hour >= 9' required /><small>Conditions: <code>words("a", "b"), matches("pattern"), used("tool"), source("web"), weekday("monday")</code>. Numbers to compare: <code>hour, minute, day, month, step, unanswered, length</code>. Combine them with <code>and, or, not</code>.</small></label>` : nothing}
      <label class="field"><span>Text</span><textarea class="input tall" name="content" .value=${one.content} required></textarea></label>
      <label class="field"><span>Description</span><input class="input" name="description" .value=${one.description ?? ''} /></label>
      <div class="row"><button class="btn primary">Save ability</button><button class="btn" type="button" @click=${() => (this.edited = null)}>Close</button></div>
    </form>${'id' in one ? this.#tryIt(one) : nothing}</section>`;
  }

  #tryIt(one: Ability): TemplateResult {
    return html`<form class="in" @submit=${(event: Event) => void this.#try(event, one)}><h3>Test this ability</h3>
      <div class="row"><select class="input" name="agent" aria-label="Agent">${house.agents.filter((agent) => 'system_prompt' in agent).map((agent) => html`<option value=${agent.id}>${agent.name}</option>`)}</select><input class="input grow" name="text" aria-label="Example message" placeholder="Example message" required autocomplete="off" /><button class="btn">Test</button></div>
      ${this.tried ? html`<p role="status">${this.tried}</p>` : nothing}</form>`;
  }

  #save = (event: Event): void => {
    const { name = '', type, condition, content = '', description = '' } = fieldsOf(event);
    const before = this.edited;
    const { tags = [], category, danger, startup } = before ?? NEW;
    const text = { name, type: type as AbilityKind, content, description, tags, ...(condition && { condition }), ...(category && { category }), ...(danger && { danger }), ...(startup && { startup }) };
    void this.attempt(async () => {
      this.edited = before && 'id' in before ? await api.putAbility(before.id, text) : await api.createAbility(text);
      await this.load();
    }, t('{} was saved. Switch it on in an agent to use it.', name));
  };

  #remove(one: Ability): Promise<boolean> | undefined {
    if (!confirm(t('Delete {}? This cannot be undone.', one.name))) return undefined;
    return this.attempt(async () => {
      await api.deleteAbility(one.id);
      this.edited = null;
      await this.load();
    }, t('{} was deleted.', one.name));
  }

  /** What this agent would be told if a person said so: are these words among it? */
  #try(event: Event, one: Ability): Promise<boolean> {
    const { agent = '', text = '' } = fieldsOf(event);
    const own = house.agents.find((other) => other.id === agent);
    const listed = own && 'system_prompt' in own ? own.capabilities : [];
    const has = listed.some((other) => (typeof other === 'string' ? other : other.id) === one.name);
    return this.attempt(async () => {
      const preview = await api.preview(agent, { text, ...(has ? {} : { changes: { capabilities: [...listed, one.name] } }) });
      const told = preview.nodes.some((node) => mentions(node, one));
      const not = one.type === 'conditional' ? t('Not used: its condition is not true.') : t('Not used: the message does not ask for it with {}.', `!!${one.name}!!`);
      this.tried = `${told ? t('Used: the agent would receive this text.') : not}${has ? '' : ` ${t('It is not switched on in this agent yet.')}`}`;
    });
  }
}

function mentions(node: NodeView, one: Ability): boolean {
  const first = one.content.trim().split('\n')[0]?.split('{{')[0] ?? '';
  return (first !== '' && node.text.includes(first)) || node.source.includes(one.name) || node.children.some((child) => mentions(child, one));
}
customElements.define('mj-abilities', MjAbilities);
