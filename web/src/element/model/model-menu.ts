import { nothing, type TemplateResult } from 'lit';
import { words } from '../../api/client';
import { api } from '../../api/routes';
import type { AgentView, ModelInfo } from '../../api/schema';
import { house } from '../../store/house';
import { html, t } from '../../words/words';
import { LightElement } from '../light';
import { about, shortName } from './model-words';

/** What stands before a model that answers one message only. */
const ONCE = 'once:';
/** The option that opens the search; from so many models on a list is too long to look through. */
export const SEARCH = 'search:';
const MANY = 20;

/** Which model answers: in this conversation, or the next message alone. Shown to people who may choose. */
export class MjModelMenu extends LightElement {
  static override properties = { session: { type: String }, agent: { attribute: false }, draft: { attribute: false }, chosen: { attribute: false } };
  /** Empty for a conversation that has not begun. */
  declare session: string;
  declare agent: AgentView | undefined;
  /** Keeps what is chosen for the next message alone, or for a conversation that has not begun. */
  declare draft: { model: string | null };
  /** What it keeps now. */
  declare chosen: string | null;
  /** The option that holds. */
  #value = '';

  constructor() {
    super();
    Object.assign(this, { session: '', chosen: null });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow(house);
    this.follow(house.sessions);
  }

  override render(): TemplateResult | typeof nothing {
    if (!mayChoose(this.agent) || house.models.length < 2) return nothing;
    const own = this.agent?.model;
    const usual = own ?? house.models.find((model) => model.default)?.id;
    const { session, chosen } = this;
    this.#value = session && chosen ? ONCE + chosen : ((session ? house.sessions.find(session)?.model : chosen) ?? '');
    const option = (before: string) => (model: ModelInfo) => html`<option value=${before + model.id}>${shortName(model.id, house.models)} · ${about(model)}</option>`;
    return html`<select class="models" aria-label="Model" title="The model that answers" @change=${this.#choose}>
      <optgroup label=${this.session ? t('In this conversation') : t('The model that answers')}>
        ${searchOption()}
        <option value="">${usual ? t(own ? '{} · model of this agent' : '{} · default model', shortName(usual, house.models)) : t('Model of the agent')}</option>
        ${house.models.map(option(''))}
      </optgroup>
      ${this.session ? html`<optgroup label=${t('For the next message only')}>${house.models.map(option(ONCE))}</optgroup>` : nothing}
    </select>`;
  }

  /** The property, not the attributes of the options: those count only until a person has chosen. A choice that is not in the
   * list, for instance of a provider that was removed, is shown as the agent's. */
  override updated(): void {
    const select = this.querySelector('select');
    if (!select) return;
    select.value = this.#value;
    if (select.selectedIndex < 0) select.value = '';
  }

  #choose = (event: Event): void => {
    const select = event.currentTarget as HTMLSelectElement;
    const { value } = select;
    if (value === SEARCH) {
      select.value = this.#value;
      void searchModels((model) => this.#take(model));
      return;
    }
    this.#take(value);
  };

  #take(value: string): void {
    if (value.startsWith(ONCE)) {
      this.draft.model = value.slice(ONCE.length);
      return;
    }
    this.draft.model = this.session ? null : value || null;
    if (!this.session) return;
    api.changeSession(this.session, { model: value || null }).then(
      (session) => house.sessions.take(session),
      (error: unknown) => house.complain(words(error)),
    );
  }
}

/** Where there are too many to look through. */
export function searchOption(): TemplateResult | typeof nothing {
  return house.models.length >= MANY ? html`<option value=${SEARCH}>Search the models…</option>` : nothing;
}

/** All of them by their names, their prices and what they can do. */
export async function searchModels(take: (model: string) => void): Promise<void> {
  const { MjPalette } = await import('../../view/palette');
  const palette = new MjPalette();
  palette.asks = t('Search the models…');
  palette.choices = house.models.map((model) => ({ label: model.id, kind: about(model), act: () => take(model.id) }));
  document.body.append(palette);
}

/** The owner of a shared agent has decided which model it uses. */
export function mayChoose(agent: AgentView | undefined): boolean {
  return Boolean(agent && !agent.shared_by);
}

customElements.define('mj-model-menu', MjModelMenu);
