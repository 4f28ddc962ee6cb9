import type { MissedRuns, NewSchedule, RunPlace, Schedule, ScheduleChange, WhenInput } from '../../api/schema';
import { Untyped } from '../../store/untyped';
import { momentOf, wallTime } from './clock';
import { EVERY_DAY, isSame, readWeekly, WEEKDAYS, writeWeekly } from './words';

/** How its person says when it comes. */
export type Rhythm = 'daily' | 'weekdays' | 'weekly' | 'every' | 'once' | 'cron';

const MINUTE = 60;
const HOUR = 3_600;

/** A schedule that is being made or changed, with what its person saw when they began. */
export class ScheduleDraft {
  readonly id: string;
  /** With it a request that is sent twice makes one schedule. */
  readonly key = crypto.randomUUID();
  note = '';
  untyped = new Untyped();
  rhythm: Rhythm = 'daily';
  /** `08:00` */
  clock = '08:00';
  days: number[] = [1];
  count = 6;
  unit = HOUR;
  /** By the clock of the person: `2026-11-20T08:00`. */
  at: string;
  pattern = '';
  /** Empty: that of the person. */
  zone = '';
  agent = '';
  place: RunPlace = 'own';
  session = '';
  missed: MissedRuns = 'one';
  /** How often at most; empty: without end. */
  most = '';
  #before: Schedule | null;
  #anchor: string;

  constructor(
    readonly home: string,
    before: Schedule | null = null,
    now = Date.now(),
  ) {
    this.#before = before;
    this.id = before?.id ?? '';
    this.#anchor = new Date(now).toISOString();
    this.at = wallTime(now + HOUR * 1_000, home).replace(/\d\d$/, '00');
    if (before) this.#take(before);
  }

  #take(before: Schedule): void {
    const { note, label, when, missed, max_runs, place, agent_id, session_id } = before;
    this.note = note;
    // Of words that are trusted it is known that they were typed.
    this.untyped = label.integrity === 'trusted' ? new Untyped(note, 0) : new Untyped(note);
    Object.assign(this, { missed, place, agent: agent_id, session: session_id ?? '', most: max_runs === null ? '' : String(max_runs) });
    if (when.kind === 'once') return void Object.assign(this, { rhythm: 'once', at: wallTime(Date.parse(when.at), this.home) });
    if (when.kind === 'every') {
      this.unit = when.seconds % HOUR === 0 ? HOUR : MINUTE;
      return void Object.assign(this, { rhythm: 'every', count: when.seconds / this.unit });
    }
    const weekly = readWeekly(when.pattern);
    Object.assign(this, { rhythm: 'cron', pattern: when.pattern, zone: when.zone ?? '' });
    if (weekly) Object.assign(this, { rhythm: isSame(weekly.days, EVERY_DAY) ? 'daily' : isSame(weekly.days, WEEKDAYS) ? 'weekdays' : 'weekly', clock: weekly.clock, days: weekly.days });
  }

  get isNew(): boolean {
    return !this.id;
  }

  /** It had an end, which can be another and not be taken away. */
  get hadEnd(): boolean {
    return (this.#before?.max_runs ?? null) !== null;
  }

  /** Null where something is missing. An interval that was not touched goes on as it was counted. */
  get when(): WhenInput | null {
    const before = this.#before?.when;
    switch (this.rhythm) {
      case 'once': {
        if (before?.kind === 'once' && this.at === wallTime(Date.parse(before.at), this.home)) return before;
        const at = momentOf(this.at, this.home);
        return at === null ? null : { kind: 'once', at };
      }
      case 'every': {
        const seconds = this.count * this.unit;
        if (before?.kind === 'every' && before.seconds === seconds) return before;
        return Number.isInteger(seconds) && seconds > 0 ? { kind: 'every', seconds, anchor: this.#anchor } : null;
      }
      default: {
        const days = { daily: EVERY_DAY, weekdays: WEEKDAYS, weekly: this.days, cron: [] }[this.rhythm];
        const pattern = this.rhythm === 'cron' ? this.pattern.trim() : this.clock && days.length > 0 ? writeWeekly({ clock: this.clock, days }) : '';
        return pattern ? { kind: 'cron', pattern, zone: this.zone.trim() || null } : null;
      }
    }
  }

  /** Its person has not seen what it says now. */
  isStale(now: Schedule): boolean {
    return now.revision !== this.#before?.revision;
  }

  seen(now: Schedule): void {
    this.#before = now;
  }

  all(when: WhenInput): NewSchedule {
    const { note, untyped, place, agent, session, missed, most } = this;
    return { when, note: note.trim(), typed: untyped.typed, place, missed, max_runs: most ? Number(most) : null, ...(place === 'here' ? { session_id: session } : { agent_id: agent }) };
  }

  /** Only what is different: a plan that was not touched keeps its next time, and words that were not touched stay whose they are. */
  changes(when: WhenInput): ScheduleChange {
    const before = this.#before;
    const note = this.note.trim();
    return {
      ...(JSON.stringify(when) !== JSON.stringify(before?.when) && { when }),
      ...(note !== before?.note && { note, typed: this.untyped.typed }),
      ...(this.missed !== before?.missed && { missed: this.missed }),
      ...(this.most !== String(before?.max_runs ?? '') && { max_runs: Number(this.most) }),
    };
  }
}
