import { nothing, type TemplateResult } from 'lit';
import { words } from '../../api/client';
import { api } from '../../api/routes';
import type { Schedule, ScheduleRun } from '../../api/schema';
import { icon } from '../../element/icon';
import { LightElement } from '../../element/light';
import { lasted, moment } from '../../element/time';
import { link } from '../../store/place';
import { html, t } from '../../words/words';
import { OUTCOMES, whyFailed } from './words';

/** Runs that are read at once. */
const PAGE = 20;
/** From so many milliseconds on it is said when it came instead. */
const LATE = 120_000;

/** What came of the due times of a schedule, the newest first, with their conversations. */
export class MjScheduleRuns extends LightElement {
  static override properties = { schedule: { attribute: false }, changed: { type: String }, runs: { state: true }, next: { state: true }, problem: { state: true } };
  declare schedule: Schedule;
  /** Another value: they are not as they were. */
  declare changed: string;
  declare runs: ScheduleRun[] | null;
  declare next: string | null;
  declare problem: string;
  #shown = '';
  #most = PAGE;

  constructor() {
    super();
    Object.assign(this, { changed: '', runs: null, next: null, problem: '' });
  }

  override willUpdate(): void {
    const shown = `${this.schedule.id} ${this.changed}`;
    if (shown === this.#shown) return;
    this.#shown = shown;
    void this.#read();
  }

  async #read(): Promise<void> {
    const shown = this.#shown;
    try {
      const { items, next_cursor } = await api.scheduleRuns(this.schedule.id, this.#most);
      if (shown !== this.#shown) return;
      [this.runs, this.next, this.problem] = [items, next_cursor, ''];
    } catch (error) {
      this.problem = words(error);
    }
  }

  async #more(): Promise<void> {
    try {
      const { items, next_cursor } = await api.scheduleRuns(this.schedule.id, PAGE, this.next ?? undefined);
      this.runs = [...(this.runs ?? []), ...items];
      this.next = next_cursor;
      this.#most = Math.min(100, this.runs.length);
    } catch (error) {
      this.problem = words(error);
    }
  }

  override render() {
    if (this.problem) return html`<p class="told" role="alert">${this.problem}</p>`;
    if (!this.runs) return html`<p class="hint">…</p>`;
    if (this.runs.length === 0) return html`<p class="hint">It has not come yet.</p>`;
    return html`<h2 class="what">Runs, newest first</h2><ol class="plainlist">${this.runs.map((run) => this.#run(run))}</ol>
      ${this.next ? html`<p><button class="btn" @click=${() => void this.#more()}>Show more</button></p>` : nothing}`;
  }

  #run(run: ScheduleRun): TemplateResult {
    const [sign, colour, outcome] = OUTCOMES[run.outcome];
    const isLate = Date.parse(run.fired_at) - Date.parse(run.due_at) >= LATE;
    const failed = run.outcome === 'failed' || run.outcome === 'limit';
    return html`<li class="run"><div class="row"><time datetime=${run.due_at}>${moment(run.due_at)}</time><span class="chip ${colour}">${icon(sign, 13)} ${t(outcome)}</span>
        ${run.ended_at && run.turn_id ? html`<span class="hint">${t('took {}', lasted(run.fired_at, run.ended_at))}</span>` : nothing}
        ${isLate ? html`<span class="hint">${t('only at {}', moment(run.fired_at))}</span>` : nothing}
        ${run.missed > 0 ? html`<span class="hint">${run.missed === 1 ? t('one time before it was missed') : t('{} times before it were missed', run.missed)}</span>` : nothing}
        ${run.session_id ? html`<a class="btn push" href=${link(run.session_id)} data-place=${run.session_id} aria-label=${t('Open the conversation of the run of {}', moment(run.due_at))}>Open the conversation</a>` : nothing}</div>
      ${failed ? html`<p class="hint">${whyFailed(run)[0]}</p>` : nothing}</li>`;
  }
}
customElements.define('mj-schedule-runs', MjScheduleRuns);
