import { nothing } from 'lit';
import { LightElement } from './light';
import { html } from '../words/words';

/**
 * Shows where a link of a reply leads before it is followed. THREAT[page-03]: the words of a link say nothing about its
 * address, and an address can carry away what stands in it.
 */
export class MjLeave extends LightElement {
  static override properties = { address: { state: true } };
  declare address: string;

  constructor() {
    super();
    this.address = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('click', this.#clicked, true);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('click', this.#clicked, true);
  }

  #clicked = (event: MouseEvent): void => {
    const anchor = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-outside]') : null;
    if (!anchor?.href) return;
    event.preventDefault();
    event.stopPropagation();
    this.address = anchor.href;
    void this.updateComplete.then(() => this.querySelector('dialog')?.showModal());
  };

  override render() {
    if (!this.address) return nothing;
    const address = new URL(this.address);
    const close = () => this.querySelector('dialog')?.close();
    return html`<dialog class="card leave" aria-labelledby="leave-title">
      <header id="leave-title">This link leads away</header>
      <div class="in">
        <p><b>${address.host || address.protocol}</b></p>
        <pre tabindex="0">${this.address}</pre>
        <div class="row">
          <a class="btn primary" href=${this.address} target="_blank" rel="noopener noreferrer" @click=${close}>Open it</a>
          <button class="btn" autofocus @click=${close}>Stay here</button>
        </div>
      </div>
    </dialog>`;
  }
}
customElements.define('mj-leave', MjLeave);
