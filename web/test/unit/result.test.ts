import { render } from 'lit';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Envelope, Message } from '../../src/api/schema';
import { callOutput, callResult, callState, tookMs } from '../../src/element/call';
import { asSeen, ranOf } from '../../src/element/output';
import { columnsOf, valueView } from '../../src/element/value';
import { withPast, withWaits } from '../../src/store/past';
import { reduce, withMessages } from '../../src/store/reduce';
import { askedMs, emptyTranscript, type Call } from '../../src/store/transcript';
import { speak } from '../../src/words/words';

const call = (given: Partial<Call>): Call => ({ call_id: 'c', message_id: 'm', name: 'bash', arguments: {}, origin: 'native', element_id: null, status: 'ok', content: null, started_at: null, ended_at: null, ...given });
const shown = (what: unknown): HTMLElement => {
  const node = document.createElement('div');
  render(what, node);
  return node;
};
const words = (what: unknown) => shown(what).textContent?.replace(/\s+/g, ' ').trim();

describe('what a program said', () => {
  test.each([
    ['plain\ntext', 'plain\ntext'],
    ['\u001b[1;31mred\u001b[0m and \u001b]0;title\u0007more', 'red and more'],
    ['10 %\r50 %\r100 %\ndone', '100 %\ndone'],
    ['long line\rshort', 'shortline'],
    ['ab\b\bxy\r\nend', 'xy\nend'],
  ])('%j is seen as %j', (text, seen) => expect(asSeen(text)).toBe(seen));

  test('is in the same place while it runs and later', () => {
    const running = shown(callOutput(call({ status: 'running', output: { text: 'one\ntwo', bytes: 7 } })));
    const later = shown(callOutput(call({ content: JSON.stringify({ stdout: 'one\ntwo\n', stderr: '', exit_code: 0, success: true, duration_ms: 12 }) })));
    expect(running.querySelector('pre.output')?.textContent).toBe('one\ntwo');
    expect(later.querySelector('pre.output')?.textContent).toBe('one\ntwo');
  });

  test('stays when the program was stopped, whatever its result says', () => {
    const stopped = call({ status: 'unknown', content: '{"error":"interrupted"}', output: { text: 'line 1\nline 2\n', bytes: 14 } });
    expect(shown(callOutput(stopped)).querySelector('pre.output')?.textContent).toBe('line 1\nline 2\n');
    const kept = call({ status: 'unknown', content: '{"stdout":"line 1\\nline 2\\n","exit_code":null,"error":"interrupted"}' });
    expect(shown(callOutput(kept)).querySelector('pre.output')?.textContent).toBe('line 1\nline 2\ninterrupted');
  });

  test('is in the order in which it came, also after a reload', () => {
    const content = JSON.stringify({ stdout: 'one\ntwo 🙂\n', stderr: 'oh\nno\n', exit_code: 1 });
    const seen = (order?: number[]) => shown(callOutput(call({ status: 'error', content, ...(order && { order }) }))).querySelector('pre.output')!;
    expect(seen([4, 3, 6, 3]).textContent).toBe('one\noh\ntwo 🙂\nno');
    expect([...seen([4, 3, 6, 3]).querySelectorAll('.errors')].map((one) => one.textContent)).toEqual(['oh\n', 'no']);
    expect(seen([0, 3, 10, 3]).textContent).toBe('oh\none\ntwo 🙂\nno');
    // What the order does not tell comes after it; nothing is lost or told twice, whatever the numbers are.
    expect(seen([0, 3]).textContent).toBe('oh\none\ntwo 🙂\nno');
    for (const order of [undefined, [], [99, 99, 99]]) expect(seen(order).textContent).toBe('one\ntwo 🙂\noh\nno');
    const message = { id: 'm2', seq: 3, turn_id: 't', role: 'tool', content, parts: [{ type: 'result', call_id: 'c', name: 'bash', status: 'error' }], meta: { order: [4, 3, 6, 3] }, created_at: '2026-01-01T00:00:00Z' } as unknown as Message;
    expect(withMessages(emptyTranscript('s'), [message]).calls['c']?.order).toEqual([4, 3, 6, 3]);
    const event = { seq: 3, at: '2026-01-01T00:00:00Z', type: 'tool_result', data: { call_id: 'c', name: 'bash', status: 'error', content, order: [4, 3, 6, 3] } } as unknown as Envelope;
    expect(reduce(emptyTranscript('s'), event).calls['c']?.order).toEqual([4, 3, 6, 3]);
  });

  test('of Python, whose result is one text, too', () => {
    const seen = (output: string, order: number[], exit_code: number | null) => shown(callOutput(call({ content: JSON.stringify({ output, exit_code }), order }))).querySelector('pre.output')!;
    const failed = seen('one\ntwo\nstderr:\noh\nno\nExit code: 3.', [4, 3, 4, 5], 3);
    expect(failed.textContent).toBe('one\noh\ntwo\nno\nExit code: 3.');
    expect([...failed.querySelectorAll('.errors')].map((one) => one.textContent)).toEqual(['oh\n', 'no', '\nExit code: 3.']);
    expect(seen('stderr:\nwarned', [0, 7], 0).textContent).toBe('warned');
    expect(seen('stderr:\nit is\nstderr:\nwarned', [14, 7], 0).textContent).toBe('stderr:\nit is\nwarned');
    expect(seen('plain', [], 0).textContent).toBe('plain');
  });

  test('of which the other stream cut a line or a sign for a colour is seen as if it had not', () => {
    const seen = (stdout: string, stderr: string, order: number[]) => shown(callOutput(call({ content: JSON.stringify({ stdout, stderr, exit_code: 0 }), order }))).querySelector('pre.output')!.textContent;
    // Two letters of the sign came before the error, the rest after it.
    expect(seen('\u001b[31mred\u001b[0m\n', 'oh\n', [2, 3, 11])).toBe('oh\nred');
    expect(seen('10 %\r50 %\r100 %\ndone\n', 'oh\n', [5, 3, 16])).toBe('oh\n100 %\ndone');
    expect(seen('long line\rshort\n', 'oh\n', [10, 3, 6])).toBe('oh\nshortline');
    expect(seen('one\r\ntwo\n', 'oh\n', [4, 3, 5])).toBe('oneoh\n\ntwo');
    // A plain line that was cut stays where its parts came.
    expect(seen('one\u001b[0m two🙂\n', '\u001b[1moh\n', [8, 7, 6])).toBe('one oh\ntwo🙂');
    expect(seen('ab\b', 'oh\n', [2, 3, 1])).toBe('aoh');
  });

  test('tells which files it changed', () => {
    const content = JSON.stringify({ stdout: '', exit_code: 0, files_written: ['/a.txt', '/b/c.md'], files_deleted: ['/old'], files_not_kept: [{ path: '/d', why: 'it is read-only' }] });
    const node = shown(callOutput(call({ content })));
    expect(node.querySelector('pre')).toBeNull();
    expect([...node.querySelectorAll('.files')].map((one) => one.textContent)).toEqual(['Files written: /a.txt, /b/c.md', 'Files deleted: /old', 'Files not kept: /d (it is read-only)']);
  });

  test('errors are red, with the code it ended with and its own time', () => {
    const failed = call({ status: 'error', content: JSON.stringify({ stdout: 'half', stderr: 'no such file', exit_code: 2, duration_ms: 1_500 }), started_at: '2026-01-01T00:00:00Z', ended_at: '2026-01-01T01:00:00Z' });
    expect(shown(callOutput(failed)).querySelector('.errors')?.textContent).toBe('\nno such file');
    expect(words(callState(failed))).toBe('failed, exit code 2 · 1.5 s');
    expect(shown(callState(failed)).querySelector('.chip.bad')).not.toBeNull();
    expect(callResult(failed)).toBe(callResult(undefined));
  });

  test('one that was ended says why', () => {
    const ended = call({ status: 'error', content: JSON.stringify({ output: '', exit_code: null, error: 'ended after 30 s', duration_ms: 30_000 }) });
    expect(shown(callOutput(ended)).querySelector('.errors')?.textContent).toBe('ended after 30 s');
    expect(words(callState(ended))).toBe('failed · 30 s');
  });

  test('on a German page it is told in German how the program ended, and what it said stays', async () => {
    onTestFinished(() => void speak('en'));
    await speak('de');
    const seen = (content: object, order?: number[]) => shown(callOutput(call({ status: 'error', content: JSON.stringify(content), ...(order && { order }) }))).textContent;
    expect(seen({ output: 'text\nExit code: 3.', exit_code: 3 })).toBe('text\nExit-Code 3.');
    expect(seen({ output: 'Exit code: 3.', exit_code: 3 })).toBe('Exit-Code 3.');
    expect(seen({ output: 'Exit code: 3.', exit_code: 0 })).toBe('Exit code: 3.');
    expect(seen({ output: 'one\nstderr:\nno\nExit code: 3.', exit_code: 3 }, [4, 3])).toBe('one\nno\nExit-Code 3.');
    expect(seen({ stdout: 'text', exit_code: null, error: 'Process timed out after 30 seconds.' })).toBe('text\nNach 30 Sekunden beendet, weil die Zeit um war.');
    expect(seen({ output: 'Script produced no output.', exit_code: 0 })).toBe('Das Programm hat nichts ausgegeben.');
    expect(seen({ stdout: '', exit_code: 0, files_not_kept: [{ path: '/text', why: 'it is read-only' }] })).toContain('/text (sie ist schreibgeschützt)');
    expect(words(callResult(call({ status: 'error', content: '{"error":"parameter `count` must be at least 1"}' })))).toBe('`count` muss mindestens 1 sein');
  });

  test.each(['{"exit_code": 1}', '[1]', 'text', '{"stdout": "x"}', '', '{"broken'])('%j is no such result', (content) => expect(ranOf(content)).toBeNull());
});

describe('other results', () => {
  test('rows of the same fields are a table', () => {
    const node = shown(callResult(call({ content: '[{"name":"a","size":1},{"name":"b","size":null,"old":true}]' })));
    expect([...node.querySelectorAll('th')].map((one) => one.textContent)).toEqual(['name', 'size', 'old']);
    expect([...node.querySelectorAll('td')].map((one) => one.textContent)).toEqual(['a', '1', '', 'b', '', 'true']);
    expect(node.querySelectorAll('td.to-right').length).toBe(1);
  });

  test('others are folded and coloured, and each string is as it was', () => {
    const node = shown(valueView({ text: 'a\n  b', list: [1, 2], deep: { er: { est: null } }, '<b>': '<i>' }));
    expect(node.querySelectorAll('details').length).toBeGreaterThan(0);
    expect(node.querySelector('pre')?.textContent).toBe('a\n  b');
    expect(node.querySelector('.c-number')?.textContent).toBe('1');
    expect(node.querySelector('i:not([class]), b')).toBeNull();
    expect(node.textContent).toContain('<i>');
  });

  test('an error is its words, in red', () => {
    const node = shown(callResult(call({ status: 'error', content: '{"error":"there is no such file"}' })));
    expect(node.querySelector('pre.errors')?.textContent).toBe('there is no such file');
  });

  test('a search is a numbered list of its sources, each said once and asked about', () => {
    const results = [
      { title: 'Boots', url: 'https://one.example/a?b=c', snippet: 'The <b>best</b> boots' },
      { title: 'Trap', url: 'javascript:alert(1)', snippet: '' },
    ];
    const content = JSON.stringify({ success: true, query: 'boots', resultCount: 2, results, content: 'Leather lasts.\n\n1. Boots\n   https://one.example/a?b=c\n   The best boots\n2. Trap' });
    const node = shown(callResult(call({ name: 'web_search', content })));
    expect([...node.querySelectorAll('ol.sources > li')].map((one) => one.textContent?.replace(/\s+/g, ' ').trim())).toEqual(['Boots one.exampleThe <b>best</b> boots', 'Trap']);
    const links = [...node.querySelectorAll('a')];
    expect(links.map((one) => [one.getAttribute('href'), 'outside' in one.dataset])).toEqual([['https://one.example/a?b=c', true]]);
    expect(node.textContent?.match(/Leather lasts/g)).toHaveLength(1);
    expect(node.textContent).not.toContain('resultCount');
    expect(words(callResult(call({ name: 'websearch', content: '{"success":true,"results":[],"content":""}' })))).toBe('The search found nothing.');
    expect(shown(callResult(call({ name: 'other', content }))).querySelector('ol.sources')).toBeNull();
  });

  test('what is not alike, nested or wide is no table', () => {
    expect(columnsOf([{ a: 1 }, 2])).toBeNull();
    expect(columnsOf([{ a: { b: 1 } }])).toBeNull();
    expect(columnsOf([])).toBeNull();
    expect(columnsOf([Object.fromEntries(Array.from({ length: 13 }, (_, at) => [`n${at}`, at]))])).toBeNull();
  });

  test('much of it is cut and counted, and depth ends', () => {
    const rows = Array.from({ length: 1_000 }, (_, at) => ({ at }));
    expect(words(valueView(rows))).toContain('800 more rows');
    let deep: unknown = 'core';
    for (let at = 0; at < 2_000; at += 1) deep = [deep];
    expect(words(valueView(deep))).toContain('core');
  });
});

describe('the time of a call', () => {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  const event = (second: number, type: string, data: unknown) => ({ seq: second, cursor: `${second}`, at: at(second), turn_id: 't', type, data }) as unknown as Envelope;
  const events = [
    event(0, 'tool_use_start', { message_id: 'm', call_id: 'c', name: 'web_fetch', origin: 'native', element_id: null, arguments: {} }),
    event(1, 'approval_request', { id: 'a', call_id: 'c', turn_id: 't', status: 'pending', created_at: at(1) }),
    event(41, 'approval_result', { approval_id: 'a', decision: 'approved', by: 'user', scope: null }),
    event(43, 'tool_result', { call_id: 'c', status: 'ok', content: 'fetched', name: 'web_fetch' }),
  ];

  test('is without the time that a person took, as it happens', () => {
    const state = events.reduce(reduce, emptyTranscript('s'));
    expect(tookMs(state.calls['c']!)).toBe(3_000);
  });

  test('and when only the store and what people were asked is read', () => {
    const label = { integrity: 'trusted', confidentiality: 'public' } as const;
    const stored = (id: string, second: number, role: 'assistant' | 'tool', parts: unknown[]) => ({ id, seq: second, turn_id: 't', role, content: '', parts, elements: [], label, meta: {}, created_at: at(second) }) as unknown as Message;
    const messages = [stored('m', 0, 'assistant', [{ type: 'call', call_id: 'c', name: 'web_fetch', arguments: {}, origin: 'native' }]), stored('r', 43, 'tool', [{ type: 'result', call_id: 'c', name: 'web_fetch', status: 'ok', content: 'fetched' }])];
    const read = withMessages(emptyTranscript('s'), messages);
    expect(tookMs(read.calls['c']!)).toBe(43_000);
    expect(tookMs(withWaits(read, events.slice(1, 3)).calls['c']!)).toBe(3_000);
  });

  test('of people who were asked twice at once counts once', () => {
    const asked = (...times: [number, number][]) => call({ asked: Object.fromEntries(times.map((time, n) => [String(n), time])) });
    expect(askedMs([asked([0, 10], [20, 30]), asked([5, 12]), asked([22, 25])])).toBe(22);
    expect(askedMs([])).toBe(0);
  });

  test('and when it is read from the log', () => {
    const before = { ...emptyTranscript('s'), calls: { c: call({ content: 'fetched', ended_at: at(43) }) } };
    expect(tookMs(withPast(before, events).calls['c']!)).toBe(3_000);
  });
});
