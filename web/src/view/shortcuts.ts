import { LightElement } from '../element/light';
import { SHORTCUTS } from './keys';
import { html, t } from '../words/words';

/** The sheet of shortcuts. */
export class MjShortcuts extends LightElement {
  override render() {
    return html`<dialog class="card sheet" aria-labelledby="sheet-title" @close=${() => this.remove()}>
      <header id="sheet-title">Keyboard shortcuts</header>
      <dl class="facts in">${SHORTCUTS.map(([key, does]) => html`<dt><kbd>${key}</kbd></dt><dd>${t(does)}</dd>`)}</dl>
      <div class="in row"><button class="btn" autofocus @click=${() => this.querySelector('dialog')?.close()}>Close</button></div>
    </dialog>`;
  }

  override firstUpdated(): void {
    this.querySelector('dialog')?.showModal();
  }
}
customElements.define('mj-shortcuts', MjShortcuts);
