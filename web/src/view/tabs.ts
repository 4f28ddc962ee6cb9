import { nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { icon } from '../element/icon';
import { LightElement } from '../element/light';
import { house } from '../store/house';
import { newSession } from './new-session';
import { link, type Place } from '../store/place';
import { DOTS, dotWords } from './side';
import { html, t } from '../words/words';

/** The conversations that are open; each goes on while another is looked at. */
export class MjTabs extends LightElement {
  static override properties = { place: { attribute: false } };
  declare place: Place;

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow(house);
    this.follow(house.sessions);
  }

  override updated(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('place')) this.querySelector('.tab.on')?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  }

  override render() {
    return html`<nav class="tabs" aria-label="Open conversations">
      ${repeat(house.tabs, (id) => id, (id) => this.#tab(id))}
      <button class="tab add" aria-label="New conversation" @click=${() => newSession()}>${icon('plus', 14)}</button>
    </nav>`;
  }

  #tab(id: string) {
    const session = house.sessions.find(id);
    const on = this.place.name === id;
    const status = session?.status ?? 'idle';
    const name = session?.name ?? t('New conversation');
    return html`<span class="tab ${on ? 'on' : ''}">
      <a href=${link(id)} data-place=${id} aria-current=${on ? 'page' : nothing}><i class="dot ${DOTS[status]}"></i>${name}<span class="unseen">${dotWords(status)}</span></a>
      <button class="x" aria-label=${t('Close {}', name)} @click=${() => house.closeTab(id)}>${icon('x', 12)}</button>
    </span>`;
  }
}
customElements.define('mj-tabs', MjTabs);
