import { nothing, type TemplateResult } from 'lit';
import { api } from '../../api/routes';
import type { NewRule, Permission, Rule } from '../../api/schema';
import { confirmed } from '../../element/confirm';
import { moment } from '../../element/time';
import { house } from '../../store/house';
import { isAtLeast } from '../../store/role';
import { fieldsOf, PlaceView } from '../place-view';
import { ACTIONS, ruleArguments, ruleWords, type Names } from './rule-words';
import { html, t } from '../../words/words';

/** How often a person who looks at the rules sees what was made of them elsewhere, where nothing tells of it. */
const LOOK = 5_000;

/** What agents may do without asking, what they ask about, and what they never do. */
export class MjPermissions extends PlaceView {
  static override properties = { ...PlaceView.properties, rules: { state: true }, tools: { state: true } };
  declare rules: Rule[] | null;
  declare tools: string[];
  #decisions = house.decisions;
  #timer = 0;
  #asked = 0;

  constructor() {
    super();
    this.rules = null;
    this.tools = [];
  }

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener('focus', this.#look);
    this.#timer = window.setInterval(() => document.hidden || this.#look(), LOOK);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('focus', this.#look);
    clearInterval(this.#timer);
  }

  override willUpdate(): void {
    if (this.#decisions === house.decisions) return;
    this.#decisions = house.decisions;
    this.#look();
  }

  /** A rule may have been made or taken back in another window or program. What is being written in the form stays. */
  #look = (): void => {
    void this.#read().catch(() => undefined);
  };

  /** Of two answers, the one that was asked for last counts. */
  async #read(): Promise<void> {
    const asked = (this.#asked += 1);
    const { items } = await api.rules();
    if (asked === this.#asked) this.rules = items;
  }

  protected override async load(): Promise<void> {
    await this.#read();
    if (!isAtLeast(house.me?.role, 'member')) return;
    const capabilities = await api.capabilities().catch(() => null);
    this.tools = [...new Set(capabilities?.items.flatMap((one) => one.tools.map((tool) => tool.name)) ?? [])].sort();
  }

  override render() {
    const rules = this.rules ?? [];
    return this.frame(t('Permissions'), t('What your agents may do without asking, and what they may never do. Without a rule, each tool’s own default applies.'), html`
      ${rules.map((rule) => this.#rule(rule))}
      ${this.rules?.length === 0 ? html`<p class="empty">No rules yet. A rule is added when you approve something for a conversation or always, or when you add one below.</p>` : nothing}
      ${isAtLeast(house.me?.role, 'member') ? this.#form() : nothing}`);
  }

  #rule(rule: Rule): TemplateResult {
    const words = ruleWords(rule, this.#names());
    const given = ruleArguments(rule);
    const mayRevoke = rule.user_id !== null || isAtLeast(house.me?.role, 'admin');
    return html`<section class="card rule"><header><span>${words}</span><span class="push row">${rule.user_id === null ? html`<span class="chip">for all people</span>` : nothing}${rule.expires_at ? html`<span class="chip">${t('until {}', moment(rule.expires_at))}</span>` : nothing}
      ${mayRevoke ? html`<button class="btn" aria-label="Revoke: ${words}" @click=${() => void this.#revoke(rule)}>Revoke</button>` : nothing}</span></header>
      ${given ? html`<div class="in"><pre tabindex="0">${given}</pre></div>` : nothing}</section>`;
  }

  #form(): TemplateResult {
    const { me } = house;
    const admin = isAtLeast(me?.role, 'admin');
    const actions = Object.entries(ACTIONS) as [Permission, string][];
    return html`<section class="card"><header>New rule</header><form class="in" @submit=${this.#create}>
      <label class="field"><span>Agents</span><select class="input" name="subject"><option value=${me?.id ?? ''}>all your agents</option>${house.agents.map((agent) => html`<option value=${agent.id}>${t('the agent {}', house.nameOf(agent))}</option>`)}${admin ? html`<option value="*">all agents on this server</option>` : nothing}</select></label>
      <label class="field"><span>Permission</span><select class="input" name="action">${actions.map(([action, words]) => html`<option value=${action} ?selected=${action === 'ask'}>${t(words)}</option>`)}</select></label>
      <label class="field"><span>Tool</span><input class="input" name="tool" list="tools" required autocomplete="off" placeholder="write_file" /><datalist id="tools">${this.tools.map((tool) => html`<option value=${tool}></option>`)}</datalist><small>A tool, one of its actions (tool.action), or * for every tool.</small></label>
      <button class="btn primary">Add rule</button>
    </form></section>`;
  }

  #names(): Names {
    return {
      me: house.me?.id ?? '',
      agent: (id) => {
        const agent = house.agents.find((one) => one.id === id);
        return agent && house.nameOf(agent);
      },
      session: (id) => house.sessions.find(id)?.name ?? undefined,
    };
  }

  #create = (event: Event): void => {
    const form = event.currentTarget as HTMLFormElement;
    const { subject = '', action, tool = '' } = fieldsOf(event);
    const rule: NewRule = { subject, action: action as Permission, tool, ...(subject === '*' && { house: true }) };
    void this.attempt(async () => {
      await confirmed(() => api.createRule(rule));
      form.reset();
      await this.load();
    }, t('The rule was added. It applies from the next tool call on.'));
  };

  #revoke(rule: Rule): Promise<boolean> {
    return this.attempt(async () => {
      await confirmed(() => api.revokeRule(rule.id));
      await this.load();
    }, t('The rule was revoked.'));
  }
}
customElements.define('mj-permissions', MjPermissions);
