import { copyText } from '../element/clipboard';
import { HmlBase } from './base';
import { html, t } from '../words/words';

/** `<copy label="…">`: something to take away, exactly as it was written. */
export class HmlCopy extends HmlBase {
  override render() {
    const copy = (event: Event) => void copyText(event.currentTarget as HTMLElement, this.words);
    return html`<section class="card copy">
      <header>${this.attribute('label', t('Copy this'))} <button class="btn ghost push" type="button" @click=${copy}>Copy</button></header>
      <div class="in"><pre tabindex="0">${this.words}</pre></div>
    </section>`;
  }
}
customElements.define('hml-copy', HmlCopy);
