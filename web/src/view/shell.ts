import { nothing, type TemplateResult } from 'lit';
import { LightElement } from '../element/light';
import { icon } from '../element/icon';
import { house } from '../store/house';
import { here, type Place } from '../store/place';
import { placesFor } from '../store/role';
import { hasMouse } from '../store/theme';
import { keys } from './keys';
import { html, t } from '../words/words';
import './aside';
import './conversation';
import './list/side';
import './list/tabs';
import './list/undo';
import './welcome';
import '../element/external-link';

/** Places that are loaded when a person goes there. */
const PLACES: Record<string, () => Promise<unknown>> = {
  agents: () => import('./pages/agents'),
  capabilities: () => import('./pages/capabilities'),
  knowledge: () => import('./pages/knowledge'),
  schedules: () => import('./schedule/schedules'),
  permissions: () => import('./pages/permissions'),
  people: () => import('./pages/people'),
  usage: () => import('./pages/usage'),
  settings: () => import('./settings'),
  audit: () => import('./pages/audit'),
  shared: () => import('./shared'),
};

/** Three columns, of which the outer two become drawers where there is no room. */
export class MjShell extends LightElement {
  static override properties = { place: { attribute: false }, drawer: { state: true } };
  declare place: Place;
  declare drawer: '' | 'side' | 'aside';

  constructor() {
    super();
    this.drawer = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow(house);
    this.follow(house.sessions);
    document.addEventListener('keydown', this.#key);
    window.addEventListener('place', this.#close);
    window.addEventListener('conversations', this.#list);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('keydown', this.#key);
    window.removeEventListener('place', this.#close);
    window.removeEventListener('conversations', this.#list);
  }

  #key = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && this.drawer) this.drawer = '';
    else keys(event, this.place);
  };

  /** The list of conversations was asked for: where it is a drawer it is opened. */
  #list = async (): Promise<void> => {
    if (matchMedia('(max-width: 720px)').matches) this.drawer = 'side';
    await this.updateComplete;
    if (hasMouse()) this.querySelector<HTMLElement>('mj-side input[type=search]')?.focus();
  };

  /** Who goes where they are already wants to see it, too. */
  #left = (event: Event): void => {
    if ((event.target as Element).closest('a[data-place], .find .btn')) this.drawer = '';
  };

  #close = (): void => {
    this.drawer = '';
    if (house.trouble) house.complain('');
  };

  get #session(): string | null {
    return this.place.name.startsWith('session_') ? this.place.name : null;
  }

  override willUpdate(): void {
    // A version that another one took the place of is not shown again while this place is left.
    if (this.#session && this.#session === here().name) house.show(this.#session);
    this.#title();
  }

  override render() {
    const session = this.#session;
    const toggle = (which: 'side' | 'aside') => () => (this.drawer = this.drawer === which ? '' : which);
    return html`<div class="app ${session ? '' : 'two'} ${this.drawer ? `open-${this.drawer}` : ''}">
        <mj-side .place=${this.place} @click=${this.#left}></mj-side>
        <main class="main">
          <div class="bar">
            <button class="btn ghost icon only-narrow" aria-label="Conversations and pages" @click=${toggle('side')}>${icon('menu')}</button>
            <mj-tabs .place=${this.place}></mj-tabs>
            ${session ? html`<button class="btn ghost icon only-middle" aria-label="Details of this conversation" @click=${toggle('aside')}>${icon('side')}</button>` : nothing}
          </div>
          ${this.#connection()} ${house.trouble ? html`<div class="trouble" role="alert">${house.trouble}</div>` : nothing} ${session ? html`<mj-conversation .session=${session} .at=${this.place.part}></mj-conversation>` : this.#elsewhere()}
        </main>
        ${session ? html`<mj-aside .session=${session}></mj-aside>` : nothing}
        ${this.drawer ? html`<button class="veil" aria-label="Close" @click=${this.#close}></button>` : nothing}
      </div>
      <mj-external-link></mj-external-link><mj-undo></mj-undo>`;
  }

  /** Always true, and an error only when it lasts. */
  #connection(): TemplateResult | typeof nothing {
    if (house.connection === 'live') return nothing;
    return html`<div class="lost" role="status">${house.connection === 'lost' ? t('The connection to the server is lost. Reconnecting…') : t('Connecting…')}</div>`;
  }

  #elsewhere(): TemplateResult {
    const { name, part } = this.place;
    const place = name.startsWith('agent_') ? 'agents' : name.startsWith('shared_') ? 'shared' : name;
    const load = PLACES[place];
    if (!load) return html`<mj-welcome></mj-welcome>`;
    void load();
    switch (place) {
      case 'agents':
        return html`<mj-agents .agent=${name === 'agents' ? '' : name} .section=${part}></mj-agents>`;
      case 'capabilities':
        return html`<mj-capabilities></mj-capabilities>`;
      case 'knowledge':
        return html`<mj-knowledge .section=${part}></mj-knowledge>`;
      case 'schedules':
        return html`<mj-schedules></mj-schedules>`;
      case 'permissions':
        return html`<mj-permissions></mj-permissions>`;
      case 'people':
        return html`<mj-people></mj-people>`;
      case 'usage':
        return html`<mj-usage></mj-usage>`;
      case 'shared':
        return html`<mj-shared .secret=${name.slice('shared_'.length)}></mj-shared>`;
      case 'audit':
        return html`<mj-audit></mj-audit>`;
      default:
        return html`<mj-settings .section=${part}></mj-settings>`;
    }
  }

  /** What is open, and how many conversations wait for their person. */
  #title(): void {
    const needs = house.sessions.items.filter((session) => session.status === 'input_required').length;
    const name = this.#open();
    document.title = `${needs > 0 ? `(${needs}) ` : ''}${name ? `${name} · ` : ''}Majordomo`;
  }

  #open(): string {
    const { name } = this.place;
    if (this.#session) return house.headOf(house.sessions.find(this.#session));
    if (name.startsWith('shared_')) return t('Shared conversation');
    const agent = house.agents.find((one) => one.id === name);
    if (agent) return house.nameOf(agent);
    const page = name.startsWith('agent_') ? 'agents' : name;
    return placesFor('owner').find(([place]) => place === page)?.[1] ?? '';
  }
}

customElements.define('mj-shell', MjShell);
