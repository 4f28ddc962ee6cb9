import { nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { icon } from '../../element/icon';
import { LightElement } from '../../element/light';
import { house } from '../../store/house';
import { newSession } from './new-session';
import { link, type Place } from '../../store/place';
import { DOTS, dotWords } from './side-item';
import { html, t } from '../../words/words';

/** The conversations that are open; each goes on while another is looked at. */
export class MjTabs extends LightElement {
  static override properties = { place: { attribute: false }, open: { state: true }, pressed: { state: true } };
  declare place: Place;
  /** Is the list of all tabs open? */
  declare open: boolean;
  /** The tab whose actions are shown. */
  declare pressed: string;

  constructor() {
    super();
    this.open = false;
    this.pressed = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow(house);
    this.follow(house.sessions);
    document.addEventListener('click', this.#outside);
    document.addEventListener('keydown', this.#key, true);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('click', this.#outside);
    document.removeEventListener('keydown', this.#key, true);
  }

  #outside = (event: MouseEvent): void => {
    if (this.open && !event.composedPath().includes(this)) this.open = false;
  };

  #key = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !this.open) return;
    // It closes the list, and stops no reply.
    event.stopPropagation();
    this.open = false;
    this.querySelector<HTMLElement>('.all-tabs > .btn')?.focus();
  };

  override updated(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('place')) this.querySelector('.tab.on')?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  }

  override render() {
    return html`<div class="tabbar"><nav class="tabs" aria-label="Open conversations">
        ${repeat(house.tabs, (id) => id, (id) => this.#tab(id))}
        <button class="tab add" aria-label="New conversation" @click=${() => newSession()}>${icon('plus', 14)}</button>
      </nav>
      ${house.tabs.length > 1 || this.open ? this.#all() : nothing}</div>`;
  }

  #nameOf(id: string): string {
    return house.headOf(house.sessions.find(id));
  }

  #tab(id: string) {
    const on = this.place.name === id;
    const status = house.sessions.find(id)?.status ?? 'idle';
    const name = this.#nameOf(id);
    const named = house.sessions.find(id)?.name ? '' : 'unnamed';
    return html`<span class="tab ${on ? 'on' : ''} ${named}" title=${name} @longpress=${(event: Event) => this.#press(event, id)}>
      <a href=${link(id)} data-place=${id} aria-current=${on ? 'page' : nothing}><i class="dot ${DOTS[status]}"></i>${name}<span class="unseen">${dotWords(status)}</span></a>
      <button class="x" aria-label=${t('Close {}', name)} @click=${() => house.closeTab(id)}>${icon('x', 12)}</button>
    </span>`;
  }

  #press(event: Event, id: string): void {
    event.preventDefault();
    this.pressed = id;
    this.open = true;
  }

  /** Every tab by its whole name, also those that have no room. */
  #all() {
    const pressed = house.tabs.includes(this.pressed) ? this.pressed : null;
    const here = pressed ?? (house.tabs.includes(this.place.name) ? this.place.name : null);
    const leave = (deed: () => void) => () => {
      this.open = false;
      deed();
    };
    return html`<div class="all-tabs">
      <button class="btn ghost icon" aria-label=${t('All open conversations ({})', house.tabs.length)} title="All open conversations" aria-expanded=${this.open} @click=${() => ((this.pressed = ''), (this.open = !this.open))}>${icon('chevron', 15)}</button>
      ${this.open
        ? html`<div class="card drop" role="group" aria-label="All open conversations">
            <ul>${house.tabs.map((id) => html`<li><a href=${link(id)} data-place=${id} aria-current=${id === here ? 'page' : nothing} @click=${() => (this.open = false)}><i class="dot ${DOTS[house.sessions.find(id)?.status ?? 'idle']}"></i>${this.#nameOf(id)}</a></li>`)}</ul>
            ${pressed ? html`<button class="btn ghost" @click=${leave(() => house.closeTab(pressed))}>${t('Close {}', this.#nameOf(pressed))}</button>` : nothing}
            ${here && house.tabs.length > 1 ? html`<button class="btn ghost" @click=${leave(() => house.closeOthers(here))}>Close the other tabs</button>` : nothing}
            <button class="btn ghost" @click=${leave(() => house.tabs.forEach((id) => house.closeTab(id)))}>Close all tabs</button>
          </div>`
        : nothing}
    </div>`;
  }
}
customElements.define('mj-tabs', MjTabs);
