import { HmlBase } from './base';
import { html } from '../words/words';

/** `<result for="…" status="…">`, in the agent's own words. What really came of a call stands beside the call. */
export class HmlResult extends HmlBase {
  override render() {
    const failed = this.attribute('status') === 'error';
    return html`<section class="card result">
      <header>Result${this.attribute('for') ? ` of ${this.attribute('for')}` : ''} <span class="push">${failed ? 'failed' : this.attribute('status')}</span></header>
      <div class="in"><pre>${this.words}</pre>${this.fields()}</div>
    </section>`;
  }
}
customElements.define('hml-result', HmlResult);
