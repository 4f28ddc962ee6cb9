import { jsonOf } from '../element/output';
import { valueView } from '../element/value';
import { HmlBase } from './base';
import { html, t } from '../words/words';

/** `<result for="…" status="…">`, in the agent's own words. What really came of a call stands beside the call. */
export class HmlResult extends HmlBase {
  override render() {
    const failed = this.attribute('status') === 'error';
    return html`<section class="card result">
      <header>${this.attribute('for') ? t('Result of {}', this.attribute('for')) : t('Result')} <span class="push">${failed ? html`<span class="chip bad">${t('failed')}</span>` : this.attribute('status')}</span></header>
      <div class="in">${this.#shown(failed)}${this.fields()}</div>
    </section>`;
  }

  /** While it comes it is text; rows and fields are known when it is whole. */
  #shown(failed: boolean) {
    const value = this.element.done && /^\s*[[{]/.test(this.words) ? jsonOf(this.words) : undefined;
    return value !== undefined ? valueView(value) : html`<pre class=${failed ? 'errors' : ''} tabindex="0">${this.words}</pre>`;
  }
}
customElements.define('hml-result', HmlResult);
