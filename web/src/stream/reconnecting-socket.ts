/**
 * One WebSocket per window. It connects again by itself, subscribes what is wanted after the last cursor seen, and sends
 * again what was not acknowledged; so no word is lost or seen twice, whatever happens to the connection.
 */
import { address } from '../api/client';
import { isEnvelope, type ClientFrame, type SendFrame, type ServerFrame } from './frames';

/** `live` only while the server answers. */
export type ConnectionState = 'connecting' | 'live' | 'lost';

export interface SocketListener {
  frame(frame: ServerFrame): void;
  connection(state: ConnectionState): void;
  /** The login has ended. */
  signedOut(): void;
}

/** What of the browser it needs; tests bring their own. */
export interface World {
  open(url: string): WebSocket;
  setTimer(run: () => void, milliseconds: number): number;
  clearTimer(timer: number): void;
  random(): number;
  /** Is there still a login? Asked when a connection does not come about, which browsers do not explain. */
  signedIn(): Promise<boolean>;
}

const PING_EVERY = 20_000;
const PONG_WITHIN = 10_000;
const FIRST_DELAY = 250;
const LONGEST_DELAY = 8_000;
const REVOKED = 4401;

export class ReconnectingSocket {
  #socket: WebSocket | null = null;
  #state: ConnectionState = 'connecting';
  #stopped = false;
  #failures = 0;
  #retry = 0;
  #ping = 0;
  #pong = 0;
  /** What is followed, and how far it was seen. */
  readonly #cursors = new Map<string, string | null>();
  /** What is sent and not acknowledged. */
  readonly #outbox = new Map<string, SendFrame>();

  constructor(
    private readonly listener: SocketListener,
    private readonly world: World,
  ) {}

  get state(): ConnectionState {
    return this.#state;
  }

  start(): void {
    this.#stopped = false;
    this.#connect();
  }

  stop(): void {
    this.#stopped = true;
    this.#clear();
    this.#socket?.close(1000);
    this.#socket = null;
  }

  /** Now, because the network or the person came back. */
  wake(): void {
    if (this.#stopped || this.#state === 'live') return;
    this.#failures = 0;
    if (!this.#socket) this.#connect();
  }

  follow(session: string): void {
    if (this.#cursors.has(session)) return;
    this.#cursors.set(session, null);
    this.#say({ type: 'subscribe', session_id: session });
  }

  unfollow(session: string): void {
    if (this.#cursors.delete(session)) this.#say({ type: 'unsubscribe', session_id: session });
  }

  /** From the beginning of what is going on, because what was known is no longer good. */
  followAfresh(session: string): void {
    this.#cursors.delete(session);
    this.follow(session);
  }

  /** Kept until the server has it. */
  send(frame: SendFrame): void {
    this.#outbox.set(frame.idempotency_key, frame);
    this.#say(frame);
  }

  /** Its person took it back: it is not sent again. */
  forget(key: string): void {
    this.#outbox.delete(key);
  }

  /** False when there was no connection to send it. */
  say(frame: ClientFrame): boolean {
    return this.#say(frame);
  }

  #say(frame: ClientFrame): boolean {
    if (this.#state !== 'live' || this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  #connect(): void {
    this.#clear();
    if (this.#state === 'lost') this.#become('connecting');
    const socket = this.world.open(address('ws').replace(/^http/, 'ws'));
    this.#socket = socket;
    socket.onmessage = (event) => this.#hear(socket, String(event.data));
    socket.onclose = (event) => this.#closed(socket, event.code);
    this.#expectAnswer();
  }

  #hear(socket: WebSocket, text: string): void {
    if (socket !== this.#socket) return;
    this.world.clearTimer(this.#pong);
    const frame = JSON.parse(text) as ServerFrame;
    if (isEnvelope(frame)) {
      if (!this.#cursors.has(frame.session_id)) return;
      this.#cursors.set(frame.session_id, frame.cursor);
    } else if (frame.type === 'hello') {
      this.#welcomed();
    } else if (frame.type === 'ack' && frame.of === 'subscribe' && frame.session_id && frame.cursor) {
      // Where nothing was seen yet, a lost connection resumes from here.
      if (this.#cursors.get(frame.session_id) === null) this.#cursors.set(frame.session_id, frame.cursor);
    } else if (frame.type === 'ack' || frame.type === 'problem') {
      if (frame.idempotency_key && !isBusy(frame)) this.#outbox.delete(frame.idempotency_key);
    }
    this.listener.frame(frame);
  }

  #welcomed(): void {
    this.#failures = 0;
    this.#become('live');
    for (const [session_id, after] of this.#cursors) {
      this.#say(after === null ? { type: 'subscribe', session_id } : { type: 'subscribe', session_id, after });
    }
    for (const frame of this.#outbox.values()) this.#say(frame);
    this.#schedulePing();
  }

  #closed(socket: WebSocket, code: number): void {
    if (socket !== this.#socket) return;
    this.#socket = null;
    this.#clear();
    if (this.#stopped) return;
    if (code === REVOKED) return this.listener.signedOut();
    const wasLive = this.#state === 'live';
    this.#become('lost');
    this.#failures += 1;
    if (!wasLive && this.#failures % 3 === 1) void this.#askWhetherSignedIn();
    const delay = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (this.#failures - 1));
    this.#retry = this.world.setTimer(() => this.#connect(), delay * (0.5 + this.world.random() / 2));
  }

  async #askWhetherSignedIn(): Promise<void> {
    if (!(await this.world.signedIn()) && !this.#stopped) this.listener.signedOut();
  }

  #schedulePing(): void {
    this.#ping = this.world.setTimer(() => {
      this.#say({ type: 'ping' });
      this.#expectAnswer();
      this.#schedulePing();
    }, PING_EVERY);
  }

  /** A connection that says nothing for so long is none. */
  #expectAnswer(): void {
    const socket = this.#socket;
    this.world.clearTimer(this.#pong);
    this.#pong = this.world.setTimer(() => {
      if (!socket || socket !== this.#socket) return;
      socket.close();
      this.#closed(socket, 1006);
    }, PONG_WITHIN);
  }

  #become(state: ConnectionState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.listener.connection(state);
  }

  #clear(): void {
    for (const timer of [this.#retry, this.#ping, this.#pong]) this.world.clearTimer(timer);
  }
}

/** Nothing is wrong with what was sent; it is to be sent again later. */
function isBusy(frame: ServerFrame): boolean {
  return frame.type === 'problem' && (frame.status === 429 || frame.status === 503);
}
