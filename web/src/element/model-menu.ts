import { nothing, type TemplateResult } from 'lit';
import { words } from '../api/client';
import { api } from '../api/routes';
import type { AgentView, ModelInfo } from '../api/schema';
import { house } from '../store/house';
import { html, t } from '../words/words';
import { LightElement } from './light';
import { short } from './time';

/** What stands before a model that answers one message only. */
const ONCE = 'once:';

/** Which model answers: in this conversation, or the next message alone. Shown to people who may choose. */
export class MjModelMenu extends LightElement {
  static override properties = { session: { type: String }, agent: { attribute: false }, once: { state: true }, fresh: { state: true } };
  /** Empty for a conversation that has not begun; then the choice is kept here until it does. */
  declare session: string;
  declare agent: AgentView | undefined;
  /** For the next message alone. */
  declare once: string | null;
  /** For a conversation that has not begun. */
  declare fresh: string | null;

  constructor() {
    super();
    Object.assign(this, { session: '', once: null, fresh: null });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow(house);
    this.follow(house.sessions);
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('session')) Object.assign(this, { once: null, fresh: null });
  }

  override render(): TemplateResult | typeof nothing {
    if (!mayChoose(this.agent) || house.models.length < 2) return nothing;
    const chosen = this.session ? (house.sessions.find(this.session)?.model ?? null) : this.fresh;
    const own = this.agent?.model ?? house.models.find((model) => model.default)?.id;
    const value = this.once ? ONCE + this.once : (chosen ?? '');
    const option = (before: string) => (model: ModelInfo) => html`<option value=${before + model.id} ?selected=${value === before + model.id}>${model.id} · ${about(model)}</option>`;
    return html`<select class="models" aria-label="Model" title="The model that answers" @change=${this.#choose}>
      <optgroup label=${this.session ? t('In this conversation') : t('The model that answers')}>
        <option value="" ?selected=${value === ''}>${own ? t('Model of the agent ({})', own) : t('Model of the agent')}</option>
        ${house.models.map(option(''))}
      </optgroup>
      ${this.session ? html`<optgroup label=${t('For the next message only')}>${house.models.map(option(ONCE))}</optgroup>` : nothing}
    </select>`;
  }

  /** The model for the message that is sent now; afterwards it is the conversation's again. */
  take(): string | null {
    const { once } = this;
    this.once = null;
    return once;
  }

  #choose = (event: Event): void => {
    const { value } = event.currentTarget as HTMLSelectElement;
    if (value.startsWith(ONCE)) {
      this.once = value.slice(ONCE.length);
      return;
    }
    this.once = null;
    this.fresh = value || null;
    if (!this.session) return;
    api.changeSession(this.session, { model: value || null }).then(
      (session) => house.sessions.take(session),
      (error: unknown) => house.complain(words(error)),
    );
  };
}

/** The owner of a shared agent has decided which model it uses. */
function mayChoose(agent: AgentView | undefined): boolean {
  return Boolean(agent && !agent.shared_by);
}

/** What it costs and what it can do, in a few words. */
export function about(model: ModelInfo): string {
  const { price, abilities, window } = model;
  const dollars = (microusd: number) => `$${(microusd / 1_000_000).toFixed(2)}`;
  const cost = !price ? t('price unknown') : price.input === 0 && price.output === 0 ? t('free') : t('{} in, {} out per million', dollars(price.input), dollars(price.output));
  return [cost, abilities.includes('images') ? t('sees pictures') : '', abilities.includes('reasoning') ? t('thinks first') : '', t('reads {} tokens', short(window))].filter(Boolean).join(' · ');
}
customElements.define('mj-model-menu', MjModelMenu);
