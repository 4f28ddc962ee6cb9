import { HmlBase } from './base';
import { html, t } from '../words/words';

/** `<progress value max>label</progress>`. */
export class HmlProgress extends HmlBase {
  override render() {
    const value = Number(this.attribute('value', '0'));
    const max = Number(this.attribute('max', '100')) || 100;
    const share = Math.min(100, Math.max(0, Math.round((value / max) * 100))) || 0;
    const label = this.words.trim() || t('Progress');
    const status = this.attribute('status');
    return html`<section class="card progress">
      <div class="in">
        <div class="row"><span>${label}</span>${status ? html`<span class="chip">${status}</span>` : ''}<span class="push quiet share">${share} %</span></div>
        ${bar(share, 100, label)} ${this.fields()}
      </div>
    </section>`;
  }
}

export function bar(value: number, max: number, label: string) {
  return html`<progress class="bar" .value=${value} .max=${max} aria-label=${label}></progress>`;
}
customElements.define('hml-progress', HmlProgress);
