import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Schedule, ScheduleRun, When } from '../../../src/api/schema';
import { speakFor } from '../../../src/element/time';

vi.mock('../../../src/store/house', () => ({ house: { me: { time_zone: 'Europe/Athens' } } }));
const { momentOf, wallTime } = await import('../../../src/view/schedule/clock');
const { ScheduleDraft } = await import('../../../src/view/schedule/draft');
const { readWeekly, scheduleTitle, whenWords, whyFailed, writeWeekly } = await import('../../../src/view/schedule/words');

const NOW = Date.parse('2026-11-20T08:00:00Z');
const made = (by: Partial<Schedule> = {}): Schedule => ({
  id: 'schedule_1', kind: 'run', number: 1, agent_id: 'agent_1', session_id: null, when: { kind: 'cron', pattern: '0 8 * * 1-5', zone: null }, note: 'The news.', place: 'fresh', missed: 'one', max_runs: null, state: 'active',
  revision: 1, next_at: '2026-11-23T06:00:00Z', failures: 0, runs: 0, label: { integrity: 'trusted', confidentiality: 'public' }, created_at: '2026-11-20T08:00:00Z', updated_at: '2026-11-20T08:00:00Z', ...by,
});
const cron = (pattern: string, zone: string | null = null): When => ({ kind: 'cron', pattern, zone });

beforeEach(() => {
  speakFor({ language: 'en-GB', time_zone: 'Europe/Athens' });
});

describe('the clock of a place', () => {
  test.each([
    ['2026-11-20T08:00', 'Europe/Athens', '2026-11-20T06:00:00.000Z'],
    ['2026-07-20T08:00', 'Europe/Athens', '2026-07-20T05:00:00.000Z'],
    ['2026-11-20T08:00', 'Asia/Tokyo', '2026-11-19T23:00:00.000Z'],
    // Put forward past it: right after the gap as it would have been. Shown twice: the first.
    ['2026-03-29T03:30', 'Europe/Athens', '2026-03-29T01:30:00.000Z'],
    ['2026-10-25T03:30', 'Europe/Athens', '2026-10-25T00:30:00.000Z'],
    ['2026-11-20T00:00', 'Pacific/Kiritimati', '2026-11-19T10:00:00.000Z'],
  ])('%s in %s', (wall, zone, at) => expect(momentOf(wall, zone)).toBe(at));

  test('what it shows comes back as it was', () => {
    for (const zone of ['UTC', 'Asia/Kathmandu', 'America/New_York', 'Australia/Lord_Howe']) {
      for (let at = NOW; at < NOW + 366 * 86_400_000; at += 9_000_000) {
        const wall = wallTime(at, zone);
        expect(wallTime(Date.parse(momentOf(wall, zone)!), zone)).toBe(wall);
      }
    }
  });

  test('no time is no moment', () => expect(momentOf('', 'UTC')).toBeNull());
});

describe('when, in words, with the place', () => {
  test.each([
    [cron('0 8 * * *'), 'Every day at 08:00 (Europe/Athens)'],
    [cron('5 17 * * 1-5', 'Asia/Tokyo'), 'Monday to Friday at 17:05 (Asia/Tokyo)'],
    [cron('0 8 * * 0,3'), 'Every Wednesday, Sunday at 08:00 (Europe/Athens)'],
    [cron('0 8 1 * *'), 'By the cron pattern 0 8 1 * * (Europe/Athens)'],
    [cron('0 25 * * *'), 'By the cron pattern 0 25 * * * (Europe/Athens)'],
    [{ kind: 'every', seconds: 21_600, anchor: '2026-11-20T08:00:00Z' }, 'Every 6 hours'],
    [{ kind: 'every', seconds: 3_600, anchor: '2026-11-20T08:00:00Z' }, 'Every hour'],
    [{ kind: 'every', seconds: 86_400, anchor: '2026-11-20T08:00:00Z' }, 'Every 24 hours'],
    [{ kind: 'every', seconds: 172_800, anchor: '2026-11-20T08:00:00Z' }, 'Every 2 days'],
    [{ kind: 'every', seconds: 90, anchor: '2026-11-20T08:00:00Z' }, 'Every 90 seconds'],
  ] as [When, string][])('%j', (when, words) => expect(whenWords(when)).toBe(words));

  test('a pattern is read as what writes the same', () => {
    for (const pattern of ['0 8 * * *', '30 0 * * 1-5', '59 23 * * 0,6']) expect(writeWeekly(readWeekly(pattern)!)).toBe(pattern);
    for (const pattern of ['0 8 * * 7', '*/5 * * * *', '0 8 1 * *', '0 8 * * MON', '60 8 * * *', '0 0 8 * * *']) expect(readWeekly(pattern)).toBeNull();
  });
});

describe('what a person writes', () => {
  test('a new one has all of it, and what they typed says so', () => {
    const draft = new ScheduleDraft('Europe/Athens', null, NOW);
    Object.assign(draft, { note: ' The news. ', agent: 'agent_1', rhythm: 'weekly', days: [3, 1], clock: '07:30' });
    expect(draft.all(draft.when!)).toEqual({ when: cron('30 7 * * 1,3'), note: 'The news.', typed: true, place: 'own', missed: 'one', max_runs: null, agent_id: 'agent_1' });
    draft.untyped.note('x'.repeat(5_000), 'insertFromPaste');
    expect(draft.all(draft.when!).typed).toBe(false);
    Object.assign(draft, { place: 'here', session: 'session_1' });
    expect(draft.all(draft.when!)).toMatchObject({ place: 'here', session_id: 'session_1' });
    expect(draft.all(draft.when!)).not.toHaveProperty('agent_id');
  });

  test.each([
    ['no day', { rhythm: 'weekly', days: [] }],
    ['no time', { rhythm: 'daily', clock: '' }],
    ['no pattern', { rhythm: 'cron', pattern: ' ' }],
    ['half an hour of a number', { rhythm: 'every', count: Number.NaN }],
    ['no moment', { rhythm: 'once', at: '' }],
  ])('what is missing is not sent: %s', (_, given) => expect(Object.assign(new ScheduleDraft('UTC', null, NOW), given).when).toBeNull());

  test.each([
    [cron('0 8 * * *'), 'daily'],
    [cron('0 8 * * 1-5', 'Asia/Tokyo'), 'weekdays'],
    [cron('0 8 * * 1,2'), 'weekly'],
    [cron('0 8 L * *'), 'cron'],
    [{ kind: 'once', at: '2026-12-01T06:00:30Z' }, 'once'],
    [{ kind: 'every', seconds: 5_400, anchor: '2026-01-01T00:00:00Z' }, 'every'],
  ] as [When, string][])('what was not touched stays as it is: %j', (when, rhythm) => {
    const draft = new ScheduleDraft('Europe/Athens', made({ when }), NOW);
    expect(draft.rhythm).toBe(rhythm);
    expect(draft.when).toEqual(when);
    expect(draft.changes(draft.when!)).toEqual({});
  });

  test('only what they changed is sent', () => {
    const draft = new ScheduleDraft('Europe/Athens', made({ max_runs: 3 }), NOW);
    Object.assign(draft, { note: 'Other news.', clock: '09:00', missed: 'skip', most: '5' });
    expect(draft.changes(draft.when!)).toEqual({ when: cron('0 9 * * 1-5'), note: 'Other news.', typed: true, missed: 'skip', max_runs: 5 });
  });

  test('long words that others may have written do not become typed by a small change', () => {
    const others = made({ note: 'x'.repeat(5_000), label: { integrity: 'untrusted', confidentiality: 'public' } });
    const draft = new ScheduleDraft('UTC', others, NOW);
    draft.note = `${others.note}!`;
    draft.untyped.note(draft.note, 'insertText');
    expect(draft.changes(draft.when!)).toMatchObject({ typed: false });
  });

  test('another plan than they saw makes it stale, once', () => {
    const draft = new ScheduleDraft('UTC', made(), NOW);
    expect(draft.isStale(made({ failures: 3, runs: 9 }))).toBe(false);
    expect(draft.isStale(made({ revision: 2 }))).toBe(true);
    draft.seen(made({ revision: 2 }));
    expect(draft.isStale(made({ revision: 2 }))).toBe(false);
  });
});

test('why a run came to nothing, and what helps', () => {
  const run = (by: Partial<ScheduleRun>) => whyFailed({ outcome: 'failed', code: null, ...by } as ScheduleRun).join(' ');
  expect(run({ code: 'agent_archived' })).toMatch(/archived\. Restore the agent/);
  expect(run({ code: 'constructor' })).toMatch(/^It could not begin \(constructor\)\./);
  expect(run({ outcome: 'limit' })).toMatch(/limit or a budget/);
  expect(run({})).toMatch(/conversation of the run says why/);
});

test('its title is its first line, as text', () => expect(scheduleTitle(made({ note: '\n<b>News</b>\u202e\nmore' }))).toBe('<b>News</b>⟨U+202E⟩'));
