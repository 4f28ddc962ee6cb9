/** A value that a tool took or gave: folded and coloured, and rows of the same fields as a table. */
import { nothing, type TemplateResult } from 'lit';
import { isObject } from './output';
import { html, t } from '../words/words';

const MOST_ROWS = 200;
const MOST_COLUMNS = 12;
const MOST_FIELDS = 500;
/** Deeper ones are written as they are. */
const DEEPEST = 12;
/** So short a list or object stands on one line. */
const ONE_LINE = 60;

export function valueView(value: unknown, depth = 0): TemplateResult {
  if (Array.isArray(value) && columnsOf(value)) return table(value as Record<string, unknown>[], columnsOf(value)!);
  if (Array.isArray(value)) return folded(value.map((one, at) => [String(at), one]), '[', ']', value, depth);
  if (isObject(value)) return folded(Object.entries(value), '{', '}', value, depth);
  return plain(value);
}

function plain(value: unknown): TemplateResult {
  if (typeof value === 'string' && value.includes('\n')) return html`<pre class="c-string" tabindex="0">${value}</pre>`;
  const kind = typeof value === 'string' ? 'c-string' : typeof value === 'number' ? 'c-number' : 'c-literal';
  return html`<span class=${kind}>${typeof value === 'string' ? value : JSON.stringify(value)}</span>`;
}

function folded(fields: [string, unknown][], open: string, close: string, value: unknown, depth: number): TemplateResult {
  const whole = JSON.stringify(value) ?? '';
  const isShort = whole.length <= ONE_LINE && fields.every(([, one]) => one === null || typeof one !== 'object');
  if (fields.length === 0 || depth >= DEEPEST || (isShort && depth > 0)) return html`<span class="json-short">${depth >= DEEPEST || fields.length === 0 ? whole : inLine(fields, open, close)}</span>`;
  const count = open === '[' ? t('Entries: {}', fields.length) : t('Fields: {}', fields.length);
  const rows = fields.slice(0, MOST_FIELDS).map(([name, one]) => html`<li><span class="c-attr">${name}</span> ${valueView(one, depth + 1)}</li>`);
  const list = html`<ul>${rows}${fields.length > MOST_FIELDS ? html`<li class="quiet">${t('{} more', fields.length - MOST_FIELDS)}</li>` : nothing}</ul>`;
  if (depth === 0) return html`<div class="json">${list}</div>`;
  return html`<details class="json" ?open=${whole.length < 400}><summary>${open}…${close} <span class="quiet">${count}</span></summary>${list}</details>`;
}

function inLine(fields: [string, unknown][], open: string, close: string): TemplateResult {
  const parts = fields.map(([name, one], at) => html`${at > 0 ? ', ' : ''}${open === '{' ? html`<span class="c-attr">${name}</span>: ` : nothing}${plain(one)}`);
  return html`${open}${parts}${close}`;
}

/** The fields of rows that are flat and alike; null where they are not. */
export function columnsOf(rows: unknown[]): string[] | null {
  if (rows.length === 0 || !rows.every(isObject)) return null;
  const names = new Set<string>();
  for (const row of rows as Record<string, unknown>[]) {
    for (const [name, value] of Object.entries(row)) {
      if (value !== null && typeof value === 'object') return null;
      names.add(name);
    }
    if (names.size > MOST_COLUMNS) return null;
  }
  return names.size > 0 ? [...names] : null;
}

function table(rows: Record<string, unknown>[], names: string[]): TemplateResult {
  const cell = (value: unknown) => html`<td class=${typeof value === 'number' ? 'to-right' : ''}>${value === undefined || value === null ? '' : String(value)}</td>`;
  return html`<div class="scrolls" tabindex="0" role="group" aria-label="Table"><table>
    <thead><tr>${names.map((name) => html`<th>${name}</th>`)}</tr></thead>
    <tbody>${rows.slice(0, MOST_ROWS).map((row) => html`<tr>${names.map((name) => cell(row[name]))}</tr>`)}</tbody>
  </table>${rows.length > MOST_ROWS ? html`<p class="hint">${t('{} more rows', rows.length - MOST_ROWS)}</p>` : nothing}</div>`;
}
