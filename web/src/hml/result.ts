import { HmlBase } from './base';
import { html, t } from '../words/words';

/** `<result for="…" status="…">`, in the agent's own words. What really came of a call stands beside the call. */
export class HmlResult extends HmlBase {
  override render() {
    const failed = this.attribute('status') === 'error';
    return html`<section class="card result">
      <header>${this.attribute('for') ? t('Result of {}', this.attribute('for')) : t('Result')} <span class="push">${failed ? t('failed') : this.attribute('status')}</span></header>
      <div class="in"><pre>${this.words}</pre>${this.fields()}</div>
    </section>`;
  }
}
customElements.define('hml-result', HmlResult);
