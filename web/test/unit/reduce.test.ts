import { describe, expect, test } from 'vitest';
import type { Envelope, Message } from '../../src/api/schema';
import { groups } from '../../src/store/group';
import { withPast } from '../../src/store/past';
import { reduce, withMessages } from '../../src/store/reduce';
import { cut, emptyTranscript, type Entry, type Transcript } from '../../src/store/transcript';

const SESSION = 'session_1';
let seq = 0;

/** An event as it comes over the wire; `offset` is the live part of its cursor. */
function event(type: string, data: unknown, offset = 0, live = false): Envelope {
  if (!live) seq += 1;
  return { seq, cursor: `${seq}.${offset}`, at: '2026-11-15T08:00:00.000Z', session_id: SESSION, turn_id: 'turn_1', type, data } as Envelope;
}

function play(...events: Envelope[]): Transcript {
  return events.reduce(reduce, emptyTranscript(SESSION));
}

function text(words: string, offset: number): Envelope {
  return event('text', { message_id: 'm', text: words }, offset, true);
}

const start = () => event('message_start', { message_id: 'm', agent_id: 'a', agent_name: 'main' });
const complete = (content: string, elements: unknown[] = []) => event('message_complete', { message_id: 'm', content, elements, stop_reason: 'completed', executed_elements: 0 });

function shown(entry: Entry | undefined): string {
  return (entry?.pieces ?? []).map((piece) => (piece.type === 'text' ? piece.text : piece.type === 'element' ? `[${piece.id}]` : `(${piece.call_id})`)).join('');
}

function message(id: string, at: number, content: string, more: Partial<Message> = {}): Message {
  const label = { integrity: 'trusted', confidentiality: 'public' } as const;
  return { id, seq: at, turn_id: 'turn_1', role: 'assistant', content, parts: [{ type: 'text' }], elements: [], label, meta: {}, created_at: '2026-11-15T08:00:00.000Z', ...more };
}

describe('a message that is being written', () => {
  test('grows by its pieces', () => {
    const state = play(start(), text('Hello ', 6), text('world', 11));
    expect(shown(state.entries[0])).toBe('Hello world');
    expect(state.entries[0]?.open).toBe(true);
  });

  test('is replaced by what was stored', () => {
    const state = play(start(), text('Hello', 5), complete('Hello world'));
    expect(shown(state.entries[0])).toBe('Hello world');
    expect(state.entries[0]).toMatchObject({ open: false, whole: false });
  });

  test('that was seen from its first word is whole', () => {
    const state = play(start(), text('Hello', 5), complete('Hello'));
    expect(state.entries[0]?.whole).toBe(true);
  });

  test('drops what it had when it begins anew', () => {
    const state = play(start(), text('Hel', 3), event('message_restarted', { message_id: 'm', attempt: 2 }), text('Again', 5));
    expect(shown(state.entries[0])).toBe('Again');
  });

  test('says that the model is asked again, until it speaks', () => {
    const error = { code: 'provider_overloaded', message: 'it has no room', retryable: true };
    const again = event('message_restarted', { message_id: 'm', attempt: 2, retry: { of: 4, wait_ms: 2_000, error } });
    const state = play(start(), text('Hel', 3), again);
    expect(state.entries[0]?.retrying).toEqual({ attempt: 2, of: 4, code: 'provider_overloaded', why: 'it has no room' });
    expect(shown(state.entries[0])).toBe('');
    expect(reduce(state, event('message_restarted', { message_id: 'm', attempt: 3 })).entries[0]?.retrying).toBeNull();
  });

  test('keeps what it had in grey until as much was written anew', () => {
    const again = () => event('message_restarted', { message_id: 'm', attempt: 2 });
    const element = event('element_start', { message_id: 'm', id: 'e', parent_id: null, type: 'copy', attributes: {}, executable: false }, 4, true);
    const before = play(start(), text('abc', 3), element, event('element_update', { message_id: 'm', id: 'e', delta: 'defg' }, 7, true), again(), text('12', 2));
    expect(shown({ ...before.entries[0]!, ...before.entries[0]!.discarded! })).toBe('abc[e]');
    expect(reduce(before, text('3456', 6)).entries[0]?.discarded).not.toBeNull();
    expect(reduce(before, text('34567', 7)).entries[0]?.discarded).toBeNull();
    // Begun a third time with less: the longest stays.
    const third = reduce(before, again());
    expect(third.entries[0]?.discarded?.content).toBe('abc');
    expect(reduce(third, complete('1')).entries[0]?.discarded).toBeNull();
    const usage = { input_tokens: 1, output_tokens: 1, cached_tokens: 0, cost_microusd: 0 };
    expect(reduce(third, event('turn_ended', { outcome: 'cancelled', error: null, usage })).entries[0]?.discarded).toBeNull();
    expect(play(start(), again()).entries[0]?.discarded).toBeNull();
  });

  test('is there for whoever comes in the middle of it', () => {
    const state = play(text('Hello so far', 12), complete('Hello so far and on'));
    expect(shown(state.entries[0])).toBe('Hello so far and on');
  });

  test('takes nothing more when it is whole', () => {
    const state = play(start(), text('a', 1), complete('a'), text('b', 2));
    expect(shown(state.entries[0])).toBe('a');
  });

  test('is closed when its turn ends', () => {
    const usage = { input_tokens: 1, output_tokens: 1, cached_tokens: 0, cost_microusd: 0 };
    const state = play(start(), text('a', 1), event('turn_ended', { outcome: 'cancelled', error: null, usage }));
    expect(state.entries[0]?.open).toBe(false);
  });
});

describe('a turn', () => {
  const status = (state: string) => event('agent_status', { state });
  const begun = () => event('turn_started', { source: 'web', attempt: 1 });
  const usage = { input_tokens: 1, output_tokens: 1, cached_tokens: 0, cost_microusd: 0 };
  const ended = (turn_id = 'turn_1') => ({ ...event('turn_ended', { outcome: 'cancelled', error: null, usage }), turn_id });

  test('is not over while a person is asked', () => {
    expect(play(begun(), status('working')).turn).toMatchObject({ active: true, working: true });
    expect(play(begun(), status('working'), status('input_required')).turn).toMatchObject({ active: true, working: false });
    expect(play(begun(), status('completed')).turn).toMatchObject({ active: false, working: false });
    expect(play(begun(), ended()).turn).toMatchObject({ active: false, working: false });
  });

  test('that began before the first event that was read is known by what it does', () => {
    expect(play(status('input_required')).turn).toMatchObject({ id: 'turn_1', active: true, working: false });
    expect(withPast(emptyTranscript(SESSION), [status('working')]).turn).toMatchObject({ active: true, working: true });
    expect(play(status('completed')).turn).toBeNull();
  });

  test('goes on when a message that waits behind it is taken back', () => {
    const state = play(begun(), start(), text('a', 1), ended('turn_2'), text('b', 2));
    expect(state.turn).toMatchObject({ active: true, usage: { input_tokens: 0 } });
    expect(shown(state.entries[0])).toBe('ab');
  });
});

describe('what belongs together', () => {
  const failed = (id: string, at: number, kind: 'error' | 'limit' = 'error') => message(id, at, 'It failed.', { meta: { kind } });
  const ids = (...messages: Message[]) => groups(withMessages(emptyTranscript(SESSION), messages).entries).map((group) => group.entries.map((entry) => entry.id));

  test('an error stands until the same turn went on', () => {
    const said = message('u', 1, 'Hi', { role: 'user' });
    expect(ids(said, failed('e', 2))).toEqual([['u'], ['e']]);
    expect(ids(said, failed('e', 2), failed('f', 3, 'limit'), message('m', 4, 'Better now.'))).toEqual([['u'], ['m']]);
    expect(ids(said, failed('e', 2), failed('f', 3, 'limit'))).toEqual([['u'], ['f']]);
    expect(ids(said, failed('e', 2), message('m', 4, 'Another turn', { turn_id: 'turn_2' }))).toEqual([['u'], ['e'], ['m']]);
  });
});

describe('elements and calls', () => {
  const element = (id: string, parent_id: string | null = null) => event('element_start', { message_id: 'm', id, parent_id, type: 'todo', attributes: {}, executable: false }, 4, true);

  test('stand where they were written, children within their parents', () => {
    const state = play(start(), text('abc', 3), element('e1'), element('e2', 'e1'), event('element_update', { message_id: 'm', id: 'e2', delta: 'x' }, 6, true), text('def', 9));
    expect(shown(state.entries[0])).toBe('abc[e1]def');
    expect(state.entries[0]?.elements['e2']?.content).toBe('x');
  });

  test('a call takes its place in text that has gone on meanwhile, also between letters of several bytes', () => {
    const call = event('tool_use_start', { message_id: 'm', call_id: 'c', name: 'help', origin: 'interaction', element_id: null, arguments: {}, offset: 5 }, 9);
    const state = play(start(), text('äöx', 5), text('yzäw', 10), call);
    expect(shown(state.entries[0])).toBe('äöx(c)yzäw');
  });

  test('a call of the model itself stands below the text, and has its result', () => {
    const call = event('tool_use_start', { message_id: 'm', call_id: 'c', name: 'add', origin: 'native', element_id: null, arguments: { a: 1 } });
    const state = play(start(), text('Let me see', 10), complete('Let me see'), call, event('tool_result', { call_id: 'c', name: 'add', status: 'ok', content: '3' }));
    expect(state.entries[0]?.calls).toEqual(['c']);
    expect(state.calls['c']).toMatchObject({ status: 'ok', content: '3', arguments: { a: 1 } });
  });

  test('what was seen and what is stored are cut in the same places', () => {
    const content = 'ä <todo>x</todo> b\n@system(help)\nc';
    const bytes = (part: string) => new TextEncoder().encode(content.slice(0, content.indexOf(part))).length;
    const todo = { id: 'e1', parent_id: null, type: 'todo', attributes: {}, content: 'x', span: [bytes('<todo'), bytes(' b')] };
    const interaction = { id: 'at-1', parent_id: null, type: 'interaction', attributes: {}, content: '', span: [bytes('@system'), bytes('\nc')] };
    const { pieces } = cut(content, [todo, interaction], ['c1']);
    expect(pieces.map((piece) => (piece.type === 'text' ? piece.text : piece.type))).toEqual(['ä ', 'element', ' b\n', 'call', '\nc']);
  });
});

describe('what was said', () => {
  const accepted = (mode = 'queue') => event('input_accepted', { input_id: 'i', turn_id: 'turn_1', mode, source: 'web' });

  test('is on its way until it comes, and is there once', () => {
    const out = { key: 'k', content: 'Hi', mode: 'queue' as const, attached: [], model: null, turn_id: null, problem: null };
    const sent = { ...emptyTranscript(SESSION), outgoing: [out] };
    const said = event('user_message', { message: message('u', 3, 'Hi', { role: 'user' }) });
    const state = [accepted(), said, said].reduce(reduce, sent);
    expect(state.outgoing).toEqual([]);
    expect(state.entries.map((entry) => entry.id)).toEqual(['u']);
  });

  test('is not taken for the same words that were refused', () => {
    const out = { key: 'k', content: 'Hi', mode: 'queue' as const, attached: [], model: null, turn_id: null, problem: 'The queue is full.' };
    const said = event('user_message', { message: message('u', 3, 'Hi', { role: 'user' }) });
    expect(reduce({ ...emptyTranscript(SESSION), outgoing: [out] }, said).outgoing).toEqual([out]);
  });

  test('pages of history go before what is there, without doubles', () => {
    const state = play(start(), text('new', 3), complete('new'));
    const older = withMessages(state, [message('m', seq, 'new'), message('o', 1, 'old')], false);
    expect(older.entries.map((entry) => entry.id)).toEqual(['o', 'm']);
  });

  test('what is read from the store is shown as well as what is heard, and older pages change nothing about it', () => {
    const opened = withMessages(emptyTranscript(SESSION), [message('u', 7, 'Hi', { role: 'user' }), message('m', 8, 'Hello')], true);
    expect(opened.last_seq).toBe(8);
    expect(withMessages(opened, [message('o', 1, 'old')], false).last_seq).toBe(8);
  });

  test('what others said in the place of the person is said to be theirs', () => {
    const authors = [{}, { sender: { source: 'telegram', name: 'Eve' } }, { sender: { source: 'telegram' } }, { asker: { agent_id: 'a', name: 'cook', session_id: SESSION, waits: true } }];
    const messages = authors.map((more, at) => message(`u${at}`, at + 1, 'Hi', { role: 'user', ...more }));
    expect(withMessages(emptyTranscript(SESSION), messages).entries.map((entry) => entry.author)).toEqual([null, 'Eve (telegram)', 'telegram', 'cook']);
  });

  test('a part without words of its own is the whole content', () => {
    const result = message('t', 9, 'It is five.', { role: 'tool', parts: [{ type: 'result', call_id: 'c', name: 'clock', status: 'ok' }] });
    const state = withMessages(emptyTranscript(SESSION), [message('m', 8, 'Hello'), result]);
    expect(shown(state.entries[0])).toBe('Hello');
    expect(state.calls.c?.content).toBe('It is five.');
  });
});

describe('the log', () => {
  test('tells whoever comes late what runs and what waits', () => {
    const question = { id: 'q', session_id: SESSION, turn_id: 'turn_1', call_id: 'c', question: 'Tea?', mode: 'demand', timeout_ms: null, options: [], default: null, status: 'pending', created_at: '' };
    const events = [event('turn_started', { source: 'web', attempt: 1 }), start(), event('question_prompt', question)];
    const state = withPast(emptyTranscript(SESSION), events);
    expect(state.turn).toMatchObject({ working: true, steps: 1 });
    expect(state.questions.map((one) => one.id)).toEqual(['q']);
    const answered = withPast(emptyTranscript(SESSION), [...events, event('question_answered', { question_id: 'q', answer: 'yes', by: 'user' })]);
    expect(answered.questions[0]?.status).toBe('answered');
  });

  test('an event of a kind that is not known changes nothing', () => {
    expect(play(event('something_new', { a: 1 })).entries).toEqual([]);
  });
});

describe('approvals', () => {
  const asked = { id: 'a', session_id: SESSION, turn_id: 'turn_1', call_id: 'c', tool: 'bash', arguments: {}, shown: [], danger: 'moderate', why: [], digest: 'd', scopes: ['once'], status: 'pending', expires_at: '', created_at: '' };

  test('wait until somebody decides, also for whoever comes late', () => {
    const events = [event('approval_request', asked)];
    expect(play(...events).approvals.map((one) => one.status)).toEqual(['pending']);
    expect(withPast(emptyTranscript(SESSION), events).approvals.map((one) => one.id)).toEqual(['a']);
    const decided = event('approval_result', { approval_id: 'a', decision: 'denied', by: 'user', scope: null });
    expect(play(...events, decided).approvals.map((one) => one.status)).toEqual(['denied']);
  });

  test('end with the turn that asked, and with no other', () => {
    const ended = (turn_id: string) => ({ ...event('turn_ended', { outcome: 'cancelled', usage: {}, error: null }), turn_id });
    const after = (turn_id: string) => play(event('approval_request', asked), ended(turn_id)).approvals.map((one) => one.status);
    expect(after('turn_1')).toEqual(['denied']);
    expect(after('turn_2')).toEqual(['pending']);
  });
});

describe('what a call says while it runs', () => {
  const call = () => event('tool_use_start', { message_id: 'm', call_id: 'c', name: 'bash', origin: 'native', element_id: null, arguments: {}, offset: 0 });
  const says = (offset: number, delta: string) => event('tool_output', { call_id: 'c', offset, delta }, 0, true);
  const result = () => event('tool_result', { call_id: 'c', name: 'bash', status: 'ok', content: 'all of it' });

  test('is heard once, in order, and its result has the whole', () => {
    const state = play(start(), call(), says(0, 'één '), says(0, 'één '), says(6, 'two'));
    expect(state.calls['c']?.output).toEqual({ text: 'één two', bytes: 9 });
    const done = [result(), says(9, 'late')].reduce(reduce, state);
    expect(done.calls['c']?.content).toBe('all of it');
    expect(done.calls['c']?.output?.bytes).toBe(9);
  });

  test('shows where something is missing', () => {
    expect(play(start(), call(), says(0, 'one'), says(20, 'two')).calls['c']?.output?.text).toBe('one\n…\ntwo');
  });

  test('is kept for a call that is read only afterwards', () => {
    const state = play(start(), says(0, 'one '), call(), says(4, 'two'));
    expect(state.calls['c']).toMatchObject({ name: 'bash', status: 'running', output: { text: 'one two', bytes: 7 } });
  });
});
