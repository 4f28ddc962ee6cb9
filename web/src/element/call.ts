import { nothing, type TemplateResult } from 'lit';
import { askedMs, type Call } from '../store/transcript';
import { icon } from './icon';
import { LightElement } from './light';
import { asSeen, inOrder, isObject, jsonOf, ranOf, type Ran } from './output';
import { sourcesOf, sourcesView } from './sources';
import { lastedMs } from './time';
import { valueView } from './value';
import { html, served, t } from '../words/words';

const STATES: Record<Call['status'], string> = {
  running: 'running',
  waiting: 'needs your approval',
  ok: 'done',
  error: 'failed',
  denied: 'denied',
  unknown: 'result unknown',
};

/** The tool with which agents remember. */
export const REMEMBERS = 'manage_knowledge';

/** One word about how far a call is. It has its place from the beginning, so that nothing moves when it changes. */
export function callState(call: Call | undefined, done = true) {
  return html`<span class="push state">${call ? stateOf(call) : done ? nothing : '…'}</span>`;
}

function stateOf(call: Call) {
  const ran = ranOf(call.content);
  const took = tookMs(call, ran);
  const time = took === null ? '' : ` · ${lastedMs(took)}`;
  if (call.status === 'ok') return html`<span class="quiet">${t(STATES.ok)}${time}</span>`;
  if (call.status === 'running') return html`<span class="chip ok">${t(STATES.running)}</span>`;
  if (call.status === 'waiting') return html`<span class="chip warn">${t(STATES.waiting)}</span>`;
  const words = ran?.exit ? t('failed, exit code {}', ran.exit) : t(STATES[call.status]);
  return html`<span class="chip ${call.status === 'unknown' ? 'warn' : 'bad'}">${words}${time}</span>`;
}

/** How long it took, without the time in which a person was asked. */
export function tookMs(call: Call, ran = ranOf(call.content)): number | null {
  if (ran?.took_ms !== null && ran?.took_ms !== undefined) return ran.took_ms;
  if (!call.started_at || !call.ended_at) return null;
  return Math.max(0, Date.parse(call.ended_at) - Date.parse(call.started_at) - askedMs([call]));
}

/** More of what runs than this is read in its result. */
const MOST_OVERHEARD = 4_000;
const MOST_SHOWN = 100_000;

/** What a program says while it runs, and what it said, in the same place. */
export function callOutput(call: Call | undefined) {
  if (!call) return nothing;
  const ran = ranOf(call.content);
  if (ran) return ended(ran, call.order);
  // Also of one that was stopped, whose result may say nothing of it.
  if (!call.output) return nothing;
  return html`<pre class="output" tabindex="0" aria-label="Output">${asSeen(call.output.text.slice(-MOST_OVERHEARD))}</pre>`;
}

function ended(ran: Ran, order: number[] | undefined): TemplateResult | typeof nothing {
  const lines = inOrder({ ...ran, output: ran.output.slice(-MOST_SHOWN), errors: ran.errors.slice(-MOST_SHOWN) }, order);
  const shown = lines.map(({ text, isError }) => (isError ? html`<span class="errors">${text}</span>` : text));
  return html`${lines.length > 0 ? html`<pre class="output" tabindex="0" aria-label="Output">${shown}</pre>` : nothing}${files(ran.written, (names) => t('Files written: {}', names))}${files(ran.deleted, (names) => t('Files deleted: {}', names))}${files(ran.not_kept, (names) => t('Files not kept: {}', names))}`;
}

function files(names: string[], say: (names: string) => string): TemplateResult | typeof nothing {
  return names.length > 0 ? html`<p class="hint files">${say(names.join(', '))}</p>` : nothing;
}

/** What came of a call that ran no program. */
export function callResult(call: Call | undefined) {
  if (!call || call.content === null || ranOf(call.content)) return nothing;
  const found = sourcesOf(call);
  if (found) return sourcesView(found);
  const value = /^\s*[[{]/.test(call.content) ? jsonOf(call.content) : undefined;
  if (value !== undefined && call.status !== 'error') return valueView(value);
  const words = isObject(value) && typeof value['error'] === 'string' ? served(value['error']) : call.content;
  return html`<pre class=${call.status === 'error' || call.status === 'denied' ? 'errors' : ''} tabindex="0">${words}</pre>`;
}

/** A call as one line, which opens to its arguments and its result. */
export class MjCall extends LightElement {
  static override properties = { call: { attribute: false } };
  declare call: Call;

  override render() {
    if (!this.call) return nothing;
    const { name, content } = this.call;
    const result = callResult(this.call);
    return html`<details class="card call">
      <summary>${icon('tool', 14)} <b>${name}</b> <span class="gist">${gist(this.call.arguments)}</span> ${callState(this.call)}</summary>
      <div class="in">
        <h2 class="what">Input</h2>
        ${typeof this.call.arguments === 'string' ? html`<pre tabindex="0">${this.call.arguments}</pre>` : valueView(this.call.arguments)}
        ${content === null || result === nothing ? nothing : html`<h2 class="what">Result</h2>${result}`}
      </div>
    </details>
    ${callOutput(this.call)}${remembers(this.call)}`;
  }
}

/** What was written down by it, and the way back. */
function remembers(call: Call): TemplateResult | typeof nothing {
  if (call.name !== REMEMBERS || call.status !== 'ok') return nothing;
  void import('./knowledge/remembered');
  return html`<mj-remembered .call=${call}></mj-remembered>`;
}

export function pretty(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2) ?? '';
}

function gist(value: unknown): string {
  if (value === null || typeof value !== 'object') return '';
  const text = Object.values(value).map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(' · ');
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
customElements.define('mj-call', MjCall);
