import { nothing } from 'lit';
import { LightElement } from './light';
import { html } from '../words/words';

/** A browser follows a link by any button, and by carrying it to another window. */
const PRESSES = ['click', 'auxclick', 'dragstart'];
const RIGHT = 2;

/**
 * Shows where a link of a reply leads before it is followed. THREAT[page-03]: the words of a link say nothing about its
 * address, and an address can carry away what stands in it.
 */
export class MjExternalLink extends LightElement {
  static override properties = { address: { state: true } };
  declare address: string;

  constructor() {
    super();
    this.address = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    for (const kind of PRESSES) document.addEventListener(kind, this.#clicked, true);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const kind of PRESSES) document.removeEventListener(kind, this.#clicked, true);
  }

  #clicked = (event: Event): void => {
    const anchor = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-outside]') : null;
    if (!anchor?.href) return;
    event.preventDefault();
    event.stopPropagation();
    // A link that is carried to another window is not asked about there; the right button opens a menu of the browser's.
    if (event.type === 'dragstart' || (event instanceof MouseEvent && event.button === RIGHT)) return;
    this.address = anchor.href;
    void this.updateComplete.then(() => this.querySelector('dialog')?.showModal());
  };

  override render() {
    if (!this.address) return nothing;
    const address = new URL(this.address);
    const close = () => this.querySelector('dialog')?.close();
    return html`<dialog class="card leave" aria-labelledby="leave-title">
      <header id="leave-title">This link leaves Majordomo</header>
      <div class="in">
        <p><b>${address.host || address.protocol}</b></p>
        <pre tabindex="0">${this.address}</pre>
        <div class="row">
          <a class="btn primary" href=${this.address} target="_blank" rel="noopener noreferrer" @click=${close}>Open the link</a>
          <button class="btn" autofocus @click=${close}>Stay here</button>
        </div>
      </div>
    </dialog>`;
  }
}
customElements.define('mj-external-link', MjExternalLink);
