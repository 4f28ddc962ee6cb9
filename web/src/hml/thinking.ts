import { HmlBase } from './base';
import { html, t } from '../words/words';

/** `<thinking title="…">`: folded away until the reader opens it. */
export class HmlThinking extends HmlBase {
  override render() {
    return html`<details class="think">
      <summary>${this.attribute('title', t('Thinking'))}</summary>
      <div class="plain">${this.words}</div>
      ${this.fields()}
    </details>`;
  }
}
customElements.define('hml-thinking', HmlThinking);
