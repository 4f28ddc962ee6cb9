import { LightElement } from '../../element/light';
import { house } from '../../store/house';
import { here, type Place } from '../../store/place';
import { html, t } from '../../words/words';
import '../sign-in';
import '../shell';

/** The whole window: the door, or what is behind it. */
export class MjHouse extends LightElement {
  static override properties = { place: { state: true } };
  declare place: Place;

  constructor() {
    super();
    this.place = here();
    this.follow(house);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow(house);
    window.addEventListener('place', this.#moved);
    window.addEventListener('hashchange', this.#moved);
  }

  #moved = (): void => {
    this.place = here();
  };

  override render() {
    if (!house.known) return html`<main class="door" aria-busy="true"><p class="quiet" role="status">${house.connection === 'lost' ? t('The connection to the server is lost. Reconnecting…') : t('Connecting…')}</p></main>`;
    if (!house.me || this.place.name === 'setup' || this.place.name === 'join') return html`<mj-sign-in .place=${this.place}></mj-sign-in>`;
    return html`<mj-shell .place=${this.place}></mj-shell>`;
  }
}
customElements.define('mj-house', MjHouse);
