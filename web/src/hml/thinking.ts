import { html } from 'lit';
import { HmlBase } from './base';

/** `<thinking title="…">`: folded away until somebody wants to see it. */
export class HmlThinking extends HmlBase {
  override render() {
    return html`<details class="think">
      <summary>${this.attribute('title', 'Thinking')}</summary>
      <div class="plain">${this.words}</div>
    </details>`;
  }
}
customElements.define('hml-thinking', HmlThinking);
