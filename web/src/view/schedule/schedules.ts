import { nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { api } from '../../api/routes';
import type { Schedule, ScheduleRun } from '../../api/schema';
import { icon } from '../../element/icon';
import { asWritten } from '../../element/knowledge/words';
import { moment } from '../../element/time';
import { house } from '../../store/house';
import { link } from '../../store/place';
import { html, t } from '../../words/words';
import { PlaceView } from '../place-view';
import { knownZone } from './clock';
import { ScheduleDraft } from './draft';
import './form';
import './runs';
import { dueThere, OUTCOMES, scheduleName, scheduleTitle, whenWords, whyFailed } from './words';

/** How often a person who looks sees what came of them meanwhile, where nothing tells of it. */
const LOOK = 5_000;
/** Outcomes that are shown beside a schedule. */
const MARKS = 5;
/** Schedules that are read at once; who has more asks for them. */
const MOST_PAGES = 20;

const STATES: Record<Schedule['state'], [colour: string, words: string]> = {
  active: ['', ''],
  paused: ['warn', 'paused'],
  stopped: ['bad', 'stopped'],
  ended: ['', 'has come for the last time'],
};

/** For a person who has none yet. */
const IDEAS: [note: string, given: Partial<ScheduleDraft>][] = [
  ['Tell me in five sentences what is in the news.', { rhythm: 'weekdays', clock: '08:00' }],
  ['Ask me how the week was, and write down what I want to keep.', { rhythm: 'weekly', days: [5], clock: '17:00' }],
  ['Look whether the page https://example.org has changed, and tell me what is new.', { rhythm: 'every', count: 6, unit: 3_600 }],
];

/** What agents do at their times. */
export class MjSchedules extends PlaceView {
  static override properties = { ...PlaceView.properties, items: { state: true }, marks: { state: true }, draft: { state: true }, opened: { state: true }, busy: { state: true } };
  declare items: Schedule[];
  /** The newest runs of each, the newest first. */
  declare marks: Map<string, ScheduleRun[]>;
  /** What is being written; null where nothing is. */
  declare draft: ScheduleDraft | null;
  /** The schedule whose runs are shown. */
  declare opened: string;
  declare busy: boolean;
  #timer = 0;
  #asked = 0;
  /** As which schedule its marks were read. */
  #marked = new Map<string, string>();

  constructor() {
    super();
    Object.assign(this, { items: [], marks: new Map(), draft: null, opened: '', busy: false });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow(house.sessions);
    for (const when of ['schedules', 'focus']) window.addEventListener(when, this.#look);
    this.#timer = window.setInterval(() => document.hidden || this.#look(), LOOK);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const when of ['schedules', 'focus']) window.removeEventListener(when, this.#look);
    clearInterval(this.#timer);
  }

  #look = (): void => void this.load().catch(() => undefined);

  /** Of two answers, the one that was asked for last counts. What is being written stays. */
  protected override async load(): Promise<void> {
    const asked = (this.#asked += 1);
    const items: Schedule[] = [];
    let cursor: string | null | undefined;
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const page = await api.schedules(cursor ?? undefined);
      items.push(...page.items);
      cursor = page.next_cursor;
      if (!cursor) break;
    }
    if (asked !== this.#asked) return;
    this.items = items.sort(inOrder);
    await this.#readMarks(asked);
  }

  /** Only of those that have come since, or whose run is still open. */
  async #readMarks(asked: number): Promise<void> {
    const isOpen = (one: Schedule) => this.marks.get(one.id)?.some((run) => run.ended_at === null && run.turn_id !== null);
    const stale = this.items.filter((one) => this.#marked.get(one.id) !== asOf(one) || isOpen(one));
    if (stale.length === 0) return;
    const read = await Promise.all(stale.map(async (one) => [one, (await api.scheduleRuns(one.id, MARKS).catch(() => ({ items: [] }))).items] as const));
    if (asked !== this.#asked) return;
    this.marks = new Map([...this.marks, ...read.map(([one, runs]) => [one.id, runs] as const)]);
    for (const [one] of read) this.#marked.set(one.id, asOf(one));
  }

  override render() {
    const { draft } = this;
    return this.frame(t('Schedules'), t('What your agents do for you at set times, also when you are not there. What needs your approval waits for you.'), html`
      ${draft?.isNew ? html`<section class="card"><header>New schedule</header>${this.#form(draft)}</section>` : html`<div class="row filters"><button class="btn primary" @click=${() => this.#write(this.#blank())}>Add a schedule</button></div>`}
      ${repeat(this.items, (one) => one.id, (one) => this.#schedule(one))}
      ${this.loaded && this.items.length === 0 && !draft?.isNew ? this.#empty() : nothing}`);
  }

  #empty(): TemplateResult {
    return html`<div class="empty"><p>No schedules yet. Say what an agent is to do and when, or begin with one of these:</p>
      <div class="row tries">${IDEAS.map(([note, given]) => html`<button class="btn" @click=${() => this.#write(this.#blank(t(note), given))}>${t(note)}</button>`)}</div></div>`;
  }

  #blank(note = '', given: Partial<ScheduleDraft> = {}): ScheduleDraft {
    return Object.assign(new ScheduleDraft(knownZone(house.me?.time_zone)), { note }, given);
  }

  #form(draft: ScheduleDraft): TemplateResult {
    return html`<mj-schedule-form .draft=${draft} .busy=${this.busy} @save=${() => void this.#save(draft)} @leave=${() => this.#leave()}></mj-schedule-form>`;
  }

  #schedule(one: Schedule): TemplateResult {
    const name = scheduleName(one);
    const [colour, state] = STATES[one.state];
    const isWritten = this.draft?.id === one.id;
    return html`<section class="card entry" id=${one.id} aria-label=${name}>
      <header><span dir="auto">${scheduleTitle(one)}</span><span class="hint">${name}</span>
        ${one.kind === 'reminder' ? html`<span class="chip">reminder</span>` : nothing}
        ${state ? html`<span class="chip ${colour}">${t(state)}</span>` : nothing}
        ${one.label.integrity === 'untrusted' ? html`<span class="chip warn" title=${t('Each of its runs asks you before it sends anything out.')}>words of others had a say</span>` : nothing}
        <span class="push row">
          <button class="btn ghost" aria-label=${t('Edit {}', name)} aria-expanded=${isWritten} ?disabled=${this.busy} @click=${() => (isWritten ? this.#leave() : this.#write(new ScheduleDraft(knownZone(house.me?.time_zone), one)))}>Edit</button>
          ${one.state === 'active' ? html`<button class="btn ghost" aria-label=${t('Pause {}', name)} ?disabled=${this.busy} @click=${() => void this.#do(() => api.pauseSchedule(one.id), t('{} is paused. It does not come before you resume it.', name))}>Pause</button>` : nothing}
          ${one.state === 'paused' || one.state === 'stopped' ? html`<button class="btn ${one.state === 'stopped' ? '' : 'ghost'}" aria-label=${t('Resume {}', name)} ?disabled=${this.busy} @click=${() => void this.#resume(one, name)}>Resume</button>` : nothing}
          <button class="btn ghost" aria-label=${t('Runs of {}', name)} aria-expanded=${this.opened === one.id} @click=${() => (this.opened = this.opened === one.id ? '' : one.id)}>Runs</button>
          <button class="btn ghost danger" aria-label=${t('Delete {}', name)} ?disabled=${this.busy} @click=${() => void this.#delete(one, name)}>Delete</button></span></header>
      ${isWritten ? this.#form(this.draft!) : this.#facts(one)}
      ${this.opened === one.id ? html`<mj-schedule-runs class="in" .schedule=${one} .changed=${asOf(one) + (this.marks.get(one.id)?.map((run) => run.outcome).join() ?? '')}></mj-schedule-runs>` : nothing}
    </section>`;
  }

  #facts(one: Schedule): TemplateResult {
    const agent = house.agents.find((agent) => agent.id === one.agent_id);
    return html`<div class="in">
      ${this.#trouble(one)}
      <dl class="facts">
        <dt>When</dt><dd>${whenWords(one.when)}${one.max_runs === null ? nothing : html` · ${t('run {} of {}', one.runs, one.max_runs)}`}</dd>
        ${one.next_at ? html`<dt>Next</dt><dd><time datetime=${one.next_at} title=${moment(one.next_at)}>${dueThere(one.next_at)}</time></dd>` : nothing}
        <dt>Agent</dt><dd dir="auto">${agent ? house.nameOf(agent) : t('an agent that was deleted')}</dd>
        <dt>Where</dt><dd>${this.#where(one)}</dd>
        <dt>Last runs</dt><dd>${this.#marks(one)}</dd>
      </dl>
      ${one.note.trim().length > scheduleTitle(one).length ? html`<details><summary>All that the agent is told</summary><div class="plain" dir="auto">${asWritten(one.note)}</div></details>` : nothing}</div>`;
  }

  #where(one: Schedule): TemplateResult {
    if (one.place === 'fresh') return html`a new conversation each time`;
    const id = one.session_id;
    if (!id || house.sessions.gone.has(id)) return html`a conversation that was deleted`;
    const session = house.sessions.find(id);
    return html`<a href=${link(id)} data-place=${id} dir="auto">${session ? house.titleOf(session) : t('a conversation')}</a>`;
  }

  /** The oldest first, as they came; the newest in words. */
  #marks(one: Schedule): TemplateResult {
    const runs = this.marks.get(one.id) ?? [];
    const [last] = runs;
    if (!last) return html`<span class="quiet">${t('none yet')}</span>`;
    const [, , newest] = OUTCOMES[last.outcome];
    return html`<ol class="marks" aria-label=${t('The last runs, the oldest first')}>${runs.toReversed().map((run) => {
        const [sign, colour, words] = OUTCOMES[run.outcome];
        return html`<li class="mark ${colour}" title=${`${moment(run.due_at)}: ${t(words)}`}>${icon(sign, 13)}<span class="unseen">${t(words)}</span></li>`;
      })}</ol> <span>${moment(last.due_at)}: ${t(newest)}</span>`;
  }

  /** Why it does not come as its person wanted, and what helps. */
  #trouble(one: Schedule): TemplateResult | typeof nothing {
    const failed = this.marks.get(one.id)?.find((run) => run.outcome === 'failed' || run.outcome === 'limit');
    const [why, remedy] = failed ? whyFailed(failed) : ['', ''];
    const open = failed?.session_id ? html` <a href=${link(failed.session_id)} data-place=${failed.session_id}>Open its last run</a>` : nothing;
    if (one.state === 'stopped') return html`<p class="told">${t('It failed {} times, one after the other, and was stopped.', Math.max(one.failures, 10))} ${why} <b>${remedy || t('Look at its runs, correct the cause, then resume it.')}</b>${open}</p>`;
    if (one.state === 'active' && one.failures >= 3) return html`<p class="told">${t('It failed {} times, one after the other. It waits longer each time, and is stopped after ten.', one.failures)} ${why}${open}</p>`;
    if (one.state === 'ended' && failed && failed === this.marks.get(one.id)?.[0]) return html`<p class="told">${t('Its last run came to nothing.')} ${why}${open}</p>`;
    return nothing;
  }

  #write(draft: ScheduleDraft | null): void {
    this.draft = draft;
    this.problem = '';
    this.done = '';
    if (draft) void this.updateComplete.then(() => this.querySelector<HTMLElement>('mj-schedule-form textarea')?.focus());
  }

  /** The focus goes back to where the form was opened. */
  #leave(): void {
    const id = this.draft?.id;
    this.#write(null);
    void this.updateComplete.then(() => (id ? this.#button(id) : this.querySelector<HTMLElement>('.filters .btn'))?.focus());
  }

  #button(id: string): HTMLElement | null {
    return [...this.querySelectorAll<HTMLElement>('section.entry')].find((one) => one.id === id)?.querySelector<HTMLElement>('.btn') ?? null;
  }

  async #do(deed: () => Promise<unknown>, done = ''): Promise<boolean> {
    this.busy = true;
    const did = await this.attempt(deed, done);
    this.busy = false;
    await this.load().catch(() => undefined);
    return did;
  }

  /** What was understood is said back, with the place whose clock is meant. */
  #saved(one: Schedule): string {
    if (one.next_at && Date.parse(one.next_at) <= Date.now()) return t('Saved: {}. This moment is over: it runs at once.', whenWords(one.when));
    return one.next_at ? t('Saved: {}. Next: {}.', whenWords(one.when), dueThere(one.next_at)) : t('Saved: {}.', whenWords(one.when));
  }

  /** What another window saved meanwhile is told first; what is written here stays, and a second Save replaces the other. */
  async #save(draft: ScheduleDraft): Promise<void> {
    const { when } = draft;
    if (!when) return void (this.problem = t('Say when it comes.'));
    if (draft.place === 'here' && draft.isNew && !draft.session) return void (this.problem = t('Choose a conversation.'));
    let told = '';
    const saved = await this.#do(async () => {
      if (draft.isNew) return void (told = this.#saved(await api.createSchedule(draft.all(when), draft.key)));
      const now = await api.schedule(draft.id);
      if (draft.isStale(now)) {
        draft.seen(now);
        throw new Error(t('This was changed elsewhere meanwhile. It says “{}”, {}, there now. Save again to replace that with what you see here.', scheduleTitle(now), whenWords(now.when)));
      }
      told = this.#saved(await api.changeSchedule(draft.id, draft.changes(when)));
    });
    if (!saved) return;
    this.done = told;
    if (this.draft === draft) this.#leaveWith(told);
  }

  #leaveWith(told: string): void {
    this.#leave();
    this.done = told;
  }

  async #resume(one: Schedule, name: string): Promise<void> {
    let next: string | null = null;
    const resumed = await this.#do(async () => (next = (await api.resumeSchedule(one.id)).next_at));
    if (resumed) this.done = next ? t('{} comes again. Next: {}.', name, dueThere(next)) : t('{} comes again.', name);
  }

  async #delete(one: Schedule, name: string): Promise<void> {
    if (!confirm(t('Delete {} (“{}”)? The conversations of its runs stay. This cannot be undone.', name, scheduleTitle(one)))) return;
    await this.#do(() => api.deleteSchedule(one.id), t('{} was deleted.', name));
  }
}

/** What is in trouble first, then what comes next. */
function inOrder(a: Schedule, b: Schedule): number {
  const rank = ({ state }: Schedule) => ['stopped', 'active', 'paused', 'ended'].indexOf(state);
  return rank(a) - rank(b) || (a.next_at ?? '').localeCompare(b.next_at ?? '') || b.number - a.number;
}

/** It is another one when this is. */
function asOf({ state, revision, next_at, failures, runs }: Schedule): string {
  return [state, revision, next_at, failures, runs].join();
}
customElements.define('mj-schedules', MjSchedules);
