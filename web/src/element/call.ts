import { nothing } from 'lit';
import type { Call } from '../store/transcript';
import { icon } from './icon';
import { LightElement } from './light';
import { lasted } from './time';
import { html, t } from '../words/words';

const STATES: Record<Call['status'], string> = {
  running: 'running',
  waiting: 'needs your approval',
  ok: 'done',
  error: 'failed',
  denied: 'denied',
  unknown: 'result unknown',
};

/** One word about how far a call is. It has its place from the beginning, so that nothing moves when it changes. */
export function callState(call: Call | undefined, done = true) {
  return html`<span class="push state">${call ? stateOf(call) : done ? nothing : '…'}</span>`;
}

function stateOf(call: Call) {
  const time = call.started_at && call.ended_at ? ` · ${lasted(call.started_at, call.ended_at)}` : '';
  if (call.status === 'ok') return html`<span class="quiet">${t(STATES.ok)}${time}</span>`;
  if (call.status === 'running') return html`<span class="chip ok">${t(STATES.running)}</span>`;
  if (call.status === 'waiting') return html`<span class="chip warn">${t(STATES.waiting)}</span>`;
  return html`<span class="chip ${call.status === 'unknown' ? 'warn' : 'bad'}">${t(STATES[call.status])}${time}</span>`;
}

/** More of what runs than this is read in its result. */
const MOST_OVERHEARD = 4_000;

/** What it says while it runs. */
export function callOutput(call: Call | undefined) {
  if (!call?.output || call.content !== null) return nothing;
  return html`<pre class="output" tabindex="0" aria-label="Output">${call.output.text.slice(-MOST_OVERHEARD)}</pre>`;
}

/** A call as one line, which opens to its arguments and its result. */
export class MjCall extends LightElement {
  static override properties = { call: { attribute: false } };
  declare call: Call;

  override render() {
    if (!this.call) return nothing;
    const { name, content } = this.call;
    return html`<details class="card call">
      <summary>${icon('tool', 14)} <b>${name}</b> <span class="gist">${gist(this.call.arguments)}</span> ${callState(this.call)}</summary>
      <div class="in">
        <h3>Input</h3>
        <pre tabindex="0">${pretty(this.call.arguments)}</pre>
        ${content === null ? nothing : html`<h3>Result</h3><pre tabindex="0">${content}</pre>`}
      </div>
    </details>
    ${callOutput(this.call)}`;
  }
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
