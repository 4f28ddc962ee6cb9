import { beforeEach, expect, test, vi } from 'vitest';
import type { ServerFrame } from '../../src/stream/frames';
import { ReconnectingSocket, type ConnectionState, type World } from '../../src/stream/reconnecting-socket';

class FakeSocket {
  static all: FakeSocket[] = [];
  readyState = 1;
  sent: { type: string; [key: string]: unknown }[] = [];
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  constructor() {
    FakeSocket.all.push(this);
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(): void {
    this.readyState = 3;
  }
  hear(frame: object): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
  die(code = 1006): void {
    this.readyState = 3;
    this.onclose?.({ code });
  }
  hello(): void {
    this.hear({ type: 'hello', user: {}, sessions: [] });
  }
}

const heard: ServerFrame[] = [];
const states: ConnectionState[] = [];
let signedOut = 0;
let connection: ReconnectingSocket;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', { OPEN: 1 });
  FakeSocket.all = [];
  heard.length = states.length = signedOut = 0;
  const world: World = {
    open: () => new FakeSocket() as unknown as WebSocket,
    setTimer: (run, milliseconds) => setTimeout(run, milliseconds) as unknown as number,
    clearTimer: (timer) => clearTimeout(timer),
    random: () => 1,
    signedIn: () => Promise.resolve(true),
  };
  connection = new ReconnectingSocket({ frame: (frame) => heard.push(frame), connection: (state) => states.push(state), signedOut: () => (signedOut += 1) }, world);
  connection.start();
});

const socket = () => FakeSocket.all.at(-1)!;
const event = (cursor: string) => ({ seq: 1, cursor, at: '', session_id: 's', turn_id: null, type: 'text', data: {} });

test('a session is followed on from its last cursor when the connection is back', () => {
  socket().hello();
  connection.follow('s');
  socket().hear({ type: 'ack', of: 'subscribe', session_id: 's', cursor: '3.0' });
  socket().hear(event('4.17'));
  socket().die();
  vi.advanceTimersByTime(300);
  socket().hello();
  expect(socket().sent).toEqual([{ type: 'subscribe', session_id: 's', after: '4.17' }]);
  expect(states).toEqual(['live', 'lost', 'connecting', 'live']);
});

test('where nothing was heard it goes on from where it had begun', () => {
  socket().hello();
  connection.follow('s');
  socket().hear({ type: 'ack', of: 'subscribe', session_id: 's', cursor: '3.0' });
  socket().die();
  vi.advanceTimersByTime(300);
  socket().hello();
  expect(socket().sent[0]).toMatchObject({ after: '3.0' });
});

test('what was not acknowledged is sent again with the same key, and what was is not', () => {
  socket().hello();
  const frame = { type: 'send' as const, session_id: 's', content: 'Hi', mode: 'queue' as const };
  connection.send({ ...frame, idempotency_key: 'one' });
  connection.send({ ...frame, idempotency_key: 'two' });
  socket().hear({ type: 'ack', of: 'send', session_id: 's', idempotency_key: 'one', turn_id: 't' });
  socket().die();
  connection.send({ ...frame, idempotency_key: 'three' });
  vi.advanceTimersByTime(300);
  socket().hello();
  expect(socket().sent.map((sent) => sent['idempotency_key'])).toEqual(['two', 'three']);
});

test('a refusal ends a message; being busy does not', () => {
  socket().hello();
  const frame = { type: 'send' as const, session_id: 's', content: 'Hi', mode: 'queue' as const };
  connection.send({ ...frame, idempotency_key: 'refused' });
  connection.send({ ...frame, idempotency_key: 'busy' });
  socket().hear({ type: 'problem', of: 'send', idempotency_key: 'refused', status: 400, code: 'x', detail: '' });
  socket().hear({ type: 'problem', of: 'send', idempotency_key: 'busy', status: 429, code: 'x', detail: '' });
  socket().die();
  vi.advanceTimersByTime(300);
  socket().hello();
  expect(socket().sent.map((sent) => sent['idempotency_key'])).toEqual(['busy']);
});

test('words that their person took back are never sent again, whatever the server had said of them', () => {
  socket().hello();
  const frame = { type: 'send' as const, session_id: 's', content: 'Hi', mode: 'queue' as const };
  for (const [status, key] of [[429, 'full'], [503, 'leaving']] as const) {
    connection.send({ ...frame, idempotency_key: key });
    socket().hear({ type: 'problem', of: 'send', idempotency_key: key, status, code: 'x', detail: '' });
    connection.forget(key);
  }
  socket().die();
  vi.advanceTimersByTime(300);
  socket().hello();
  expect(socket().sent).toEqual([]);
});

test('a connection that says nothing is none', () => {
  socket().hello();
  expect(connection.state).toBe('live');
  vi.advanceTimersByTime(20_000);
  expect(socket().sent).toEqual([{ type: 'ping' }]);
  vi.advanceTimersByTime(10_000);
  expect(connection.state).toBe('lost');
});

test('it tries again ever more rarely, and at once when somebody comes back', () => {
  socket().die();
  for (let round = 0; round < 8; round += 1) {
    vi.advanceTimersByTime(8_000);
    socket().die();
  }
  const before = FakeSocket.all.length;
  vi.advanceTimersByTime(7_000);
  expect(FakeSocket.all.length).toBe(before);
  connection.wake();
  expect(FakeSocket.all.length).toBe(before + 1);
});

test('a login that has ended is not knocked on again', () => {
  socket().hello();
  socket().die(4401);
  vi.advanceTimersByTime(60_000);
  expect(signedOut).toBe(1);
  expect(FakeSocket.all.length).toBe(1);
});

test('events of what is no longer followed are not passed on', () => {
  socket().hello();
  socket().hear(event('1.0'));
  expect(heard.map((frame) => frame.type)).toEqual(['hello']);
});
