import { nothing, type TemplateResult } from 'lit';
import { HmlBase } from './base';
import type * as Drawing from '../draw/chart';
import { fullNumber } from '../element/time';
import { html, t } from '../words/words';

const HEIGHT = 260;
const NARROWEST = 240;

/** `<chart kind title unit x y>` with CSV in it: a picture from its first row on, and the same numbers as a table. */
export class HmlChart extends HmlBase {
  static override properties = { ...HmlBase.properties, drawing: { state: true }, width: { state: true }, asTable: { state: true } };
  declare drawing: typeof Drawing | null;
  declare width: number;
  declare asTable: boolean;
  #watch: ResizeObserver | null = null;

  constructor() {
    super();
    Object.assign(this, { drawing: null, width: 0, asTable: false });
    void import('../draw/chart').then((drawing) => (this.drawing = drawing));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#watch?.disconnect();
    this.#watch = null;
  }

  override updated(): void {
    const box = this.querySelector('.plotted');
    if (this.#watch || !box) return;
    this.#watch = new ResizeObserver(() => (this.width = Math.max(NARROWEST, Math.floor(box.clientWidth))));
    this.#watch.observe(box);
  }

  override render() {
    const title = this.attribute('title', t('Chart'));
    const numbers = this.drawing?.readNumbers(this.words, this.element.done);
    const turn = () => (this.asTable = !this.asTable);
    return html`<section class="card chart">
      <header>${title} <button class="btn ghost push" type="button" aria-pressed=${this.asTable} @click=${turn}>${this.asTable ? t('Show chart') : t('Show table')}</button></header>
      <div class="in">
        <ul class="legend">${numbers && numbers.names.length > 2 ? numbers.names.slice(1).map((name, at) => html`<li class="s${at % 8}"><i></i>${name}</li>`) : nothing}</ul>
        <div class="plotted">${numbers ? (this.asTable ? this.#table(numbers) : this.#picture(numbers, title)) : nothing}</div>
        ${numbers && this.element.done && !this.asTable ? html`<div class="unseen" role="group" aria-label="Table">${this.#rows(numbers)}</div>` : nothing}
        ${numbers?.isCut ? html`<p class="hint">Only the first 2,000 rows and 12 columns are shown.</p>` : nothing}
      </div>
    </section>`;
  }

  #picture(numbers: Drawing.Numbers, title: string): SVGElement | typeof nothing {
    if (!this.drawing || this.width === 0) return nothing;
    const wanted = this.attribute('kind', 'line');
    const kind = this.drawing.KINDS.find((one) => one === wanted) ?? 'line';
    const name = t('{}: chart with {} rows of {}', title, numbers.rows.length, numbers.names.slice(1).join(', '));
    return this.drawing.drawChart(numbers, { kind, unit: this.attribute('unit'), x: this.attribute('x'), y: this.attribute('y'), width: this.width, height: HEIGHT, name });
  }

  /** In the place of the picture. */
  #table(numbers: Drawing.Numbers): TemplateResult {
    return html`<div class="scrolls" tabindex="0" role="group" aria-label="Table">${this.#rows(numbers)}</div>`;
  }

  /** Also beside the picture, for people who hear the page. */
  #rows({ names, rows }: Drawing.Numbers): TemplateResult {
    return html`<table>
      <thead><tr>${names.map((name) => html`<th>${name}</th>`)}</tr></thead>
      <tbody>${rows.map(({ x, values }) => html`<tr><td>${x}</td>${values.map((value) => html`<td class="to-right">${value === null ? '' : fullNumber(value)}</td>`)}</tr>`)}</tbody>
    </table>`;
  }
}
customElements.define('hml-chart', HmlChart);
