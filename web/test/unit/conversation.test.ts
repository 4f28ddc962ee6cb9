import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { api } from '../../src/api/routes';
import type { Message, MessageList } from '../../src/api/schema';
import { Conversation } from '../../src/store/conversation';
import { answeredUnsent } from '../../src/store/unsent';
import type { Ack, ProblemFrame } from '../../src/stream/frames';
import type { ReconnectingSocket } from '../../src/stream/reconnecting-socket';

beforeEach(() => localStorage.clear());
afterEach(() => vi.restoreAllMocks());

const forgotten: string[] = [];

function begun(): Conversation {
  forgotten.length = 0;
  const socket = { follow: () => undefined, send: () => undefined, forget: (key: string) => forgotten.push(key) } as unknown as ReconnectingSocket;
  return new Conversation('session_1', socket, () => 'key');
}

const ACK = { type: 'ack', of: 'send', session_id: 'session_1', idempotency_key: 'key', turn_id: 'turn_1' } as Ack;

test('words are answered once the server has them, or says why it has not', async () => {
  const conversation = begun();
  const taken = conversation.answered(conversation.send('Hello', 'queue'));
  conversation.acknowledged(ACK);
  expect(await taken).toBeNull();
  const other = begun();
  const refused = other.answered(other.send('Hello', 'queue'));
  other.refused({ type: 'problem', of: 'send', status: 400, detail: 'no such thing', session_id: 'session_1', idempotency_key: 'key' } as ProblemFrame);
  expect(await refused).toBe('No such thing.');
});

const FULL = { type: 'problem', of: 'send', status: 429, code: 'queue_full', detail: 'too much waits', session_id: 'session_1', idempotency_key: 'key' } as ProblemFrame;

test('what the server was too busy for is taken back for good', () => {
  const conversation = begun();
  conversation.send('Hello', 'queue');
  conversation.refused(FULL);
  expect(conversation.transcript.outgoing.map((out) => out.problem)).toEqual(['Too much waits.']);
  conversation.forget('key');
  expect(conversation.transcript.outgoing).toEqual([]);
  expect(forgotten).toEqual(['key']);
});

test('what the server was too busy for, and takes when it is sent again, is not called unsent any more', () => {
  const conversation = begun();
  conversation.send('Hello', 'queue');
  conversation.refused(FULL);
  conversation.acknowledged(ACK);
  expect(conversation.transcript.outgoing.map((out) => [out.turn_id, out.problem])).toEqual([['turn_1', null]]);
});

test('what was sent before the messages were read is shown once', async () => {
  const conversation = begun();
  conversation.send('Hello', 'queue');
  conversation.acknowledged(ACK);
  expect(conversation.transcript.outgoing.length).toBe(1);
  const label = { integrity: 'trusted', confidentiality: 'public' } as const;
  const message: Message = { id: 'message_1', seq: 1, turn_id: 'turn_1', role: 'user', content: 'Hello', parts: [{ type: 'text' }], elements: [], label, meta: {}, created_at: '2026-11-18T12:00:00.000Z' };
  vi.spyOn(api, 'messages').mockResolvedValue({ items: [message], next_cursor: null } as unknown as MessageList);
  vi.spyOn(api, 'events').mockRejectedValue(new Error('not asked'));
  vi.spyOn(api, 'queue').mockRejectedValue(new Error('not asked'));
  await conversation.load();
  expect(conversation.transcript.entries.map((entry) => entry.content)).toEqual(['Hello']);
  expect(conversation.transcript.outgoing).toEqual([]);
  expect(conversation.opening).toBe('Hello');
});

test('what is not acknowledged is sent again by whichever window opens the conversation, and what was refused is only shown', () => {
  begun().send('Hello', 'queue', [], null, false, 'large');
  const sent: unknown[] = [];
  const socket = { follow: () => undefined, send: (frame: unknown) => sent.push(frame), forget: () => undefined } as unknown as ReconnectingSocket;
  const again = () => {
    sent.length = 0;
    const conversation = new Conversation('session_1', socket, () => 'other');
    conversation.open();
    return conversation;
  };
  expect(again().transcript.outgoing).toMatchObject([{ key: 'key', content: 'Hello', model: 'large', turn_id: null, problem: null }]);
  expect(sent).toMatchObject([{ idempotency_key: 'key', content: 'Hello', model: 'large' }]);
  const refused = { type: 'problem', of: 'send', status: 400, code: 'x', detail: 'no such thing', session_id: 'session_1', idempotency_key: 'key' } as ProblemFrame;
  answeredUnsent(refused);
  expect(again().transcript.outgoing).toMatchObject([{ key: 'key', problem: 'No such thing.' }]);
  expect(sent).toEqual([]);
  again().forget('key');
  expect(again().transcript.outgoing).toEqual([]);
  begun().send('Hello', 'queue');
  answeredUnsent(ACK);
  expect(again().transcript.outgoing, 'it was acknowledged').toEqual([]);
  // Of the first message of a conversation the draft has the words.
  begun().send('Hello', 'queue', [], null, false, null, 'of the draft');
  expect(again().transcript.outgoing).toEqual([]);
});
