/** What a schedule is called, when it comes, and what came of it. */
import type { RunOutcome, Schedule, ScheduleRun, WhenInput } from '../../api/schema';
import type { IconName } from '../../element/icon';
import { brief } from '../../element/knowledge/words';
import { due, wallClock, weekday } from '../../element/time';
import { house } from '../../store/house';
import { t } from '../../words/words';

/** At a time of the clock on some days of the week: 0 is Sunday. */
export interface Weekly {
  clock: string;
  days: number[];
}

export const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];
export const WEEKDAYS = [1, 2, 3, 4, 5];

export function scheduleName({ number }: Schedule): string {
  return t('Schedule {}', number);
}

/** Its first line. */
export function scheduleTitle({ note }: Schedule): string {
  return brief({ body: note.trim().split('\n')[0]! });
}

/** A cron pattern that says no more than days of the week and a time. */
export function readWeekly(pattern: string): Weekly | null {
  const [, minute, hour, days] = /^(\d{1,2}) (\d{1,2}) \* \* (\*|1-5|[0-6](?:,[0-6])*)$/.exec(pattern.trim().replace(/\s+/g, ' ')) ?? [];
  if (minute === undefined || Number(minute) > 59 || Number(hour) > 23) return null;
  return { clock: `${hour!.padStart(2, '0')}:${minute.padStart(2, '0')}`, days: days === '*' ? EVERY_DAY : days === '1-5' ? WEEKDAYS : [...new Set(days!.split(',').map(Number))].sort() };
}

export function writeWeekly({ clock, days }: Weekly): string {
  const [hour, minute] = clock.split(':').map(Number);
  const on = isSame(days, EVERY_DAY) ? '*' : isSame(days, WEEKDAYS) ? '1-5' : [...days].sort().join(',');
  return `${minute} ${hour} * * ${on}`;
}

export function isSame(days: number[], others: number[]): boolean {
  return [...days].sort().join() === others.join();
}

const UNITS: [seconds: number, one: string, several: string][] = [
  [86_400, 'Every 24 hours', 'Every {} days'],
  [3_600, 'Every hour', 'Every {} hours'],
  [60, 'Every minute', 'Every {} minutes'],
  [1, 'Every second', 'Every {} seconds'],
];

/** With the place whose clock is meant. */
export function whenWords(when: WhenInput): string {
  if (when.kind === 'every') {
    const ways = UNITS.filter(([length]) => when.seconds % length === 0);
    return UNITS.flatMap(([length, one, several]) => (length !== ways[0]?.[0] ? [] : when.seconds === length ? t(one) : t(several, when.seconds / length))).join('');
  }
  const home = house.me?.time_zone ?? 'UTC';
  if (when.kind === 'once') return t('Once, {} ({})', due(when.at), home);
  const zone = when.zone ?? home;
  const weekly = readWeekly(when.pattern);
  if (!weekly) return t('By the cron pattern {} ({})', when.pattern, zone);
  const at = wallClock(weekly.clock);
  if (isSame(weekly.days, EVERY_DAY)) return t('Every day at {} ({})', at, zone);
  if (isSame(weekly.days, WEEKDAYS)) return t('Monday to Friday at {} ({})', at, zone);
  return t('Every {} at {} ({})', [...weekly.days].sort((a, b) => ((a + 6) % 7) - ((b + 6) % 7)).map(weekday).join(', '), at, zone);
}

/** A due time by the clock of the person, with its place. */
export function dueThere(at: string): string {
  return `${due(at)} (${house.me?.time_zone ?? 'UTC'})`;
}

/** What came of a due time: its sign, its colour, and the words. */
export const OUTCOMES: Record<RunOutcome, [sign: IconName, colour: string, words: string]> = {
  running: ['dots', 'ok', 'is running'],
  waiting: ['question', 'warn', 'waits for you'],
  completed: ['check', 'ok', 'done'],
  failed: ['x', 'bad', 'failed'],
  limit: ['coin', 'warn', 'reached a limit'],
  cancelled: ['stop', 'warn', 'was stopped'],
  skipped_overlap: ['minus', '', 'left out: the run before was still at work'],
  skipped_missed: ['minus', '', 'left out: the server was not running'],
};

type Cause = 'agent_gone' | 'agent_archived' | 'session_gone' | 'session_busy' | 'limit' | 'failed';

/** By the code of the run, or how it ended. */
const WHY: Record<Cause, [why: string, remedy: string]> = {
  agent_gone: ['Its agent was deleted.', 'Delete this schedule, and add it again with another agent.'],
  agent_archived: ['Its agent is archived.', 'Restore the agent on the page “Agents”, then resume the schedule.'],
  session_gone: ['Its conversation was deleted.', 'Delete this schedule, and add it again with another place.'],
  limit: ['It reached a limit or a budget.', 'Look at the page “Usage” or make the task smaller, then resume the schedule.'],
  failed: ['The agent could not finish it. The conversation of the run says why.', 'Open that conversation, correct the cause, then resume the schedule.'],
  session_busy: ['Too many messages were waiting in its conversation.', 'Wait until they are done, or stop them, then resume the schedule.'],
};

/** Why a run came to nothing, and what helps; of one that began, its conversation says why. */
export function whyFailed({ code, outcome }: ScheduleRun): [why: string, remedy: string] {
  if (code && !Object.hasOwn(WHY, code)) return [t('It could not begin ({}).', code), t('Look at the agent and at the conversation of this schedule, then resume it.')];
  const cause = (code ?? (outcome === 'limit' ? 'limit' : 'failed')) as Cause;
  const [why, remedy] = WHY[cause];
  return [t(why), t(remedy)];
}
