/**
 * One conversation that is open in this window: its transcript, its log, and what a person can do in it.
 */
import { api } from '../api/routes';
import { words } from '../api/client';
import type { Envelope, InputMode, MessageVersions, QueuedAttachment, QueuedMessage, Session, SessionStatus } from '../api/schema';
import type { Ack, Answers, ProblemFrame } from '../stream/frames';
import type { ReconnectingSocket } from '../stream/reconnecting-socket';
import { t } from '../words/words';
import { Observable } from './observable';
import { ABOUT_PEOPLE, withPast, withWaits } from './past';
import { reduce, withMessages } from './reduce';
import { emptyTranscript, type Call, type Transcript } from './transcript';
import { allUnsent, dropUnsent, keepUnsent, refusal, type Unsent } from './unsent';

const PAGE = 50;
/** So many of the newest events are read when a conversation is opened. */
const NEWEST_EVENTS = 200;
/** The feed shows the newest of them; the log has them all. */
const KEPT_EVENTS = 500;

export class Conversation extends Observable {
  transcript: Transcript;
  /** Durable events, oldest first. */
  events: Envelope[] = [];
  /** What waits for its turn, also from other windows. */
  queue: QueuedMessage[] = [];
  /** The messages that have other versions. */
  versions: MessageVersions[] = [];
  problem: string | null = null;
  #opening: string | null = null;
  loadingOlder = false;
  #older: Promise<void> | null = null;
  #frame = 0;
  /** What was fetched because of what is known of the session. */
  #asked = new Set<string>();
  #fetching = new Set<string>();
  /** What the list says of it: of a long turn the events that were read may not say that it runs. */
  #status: SessionStatus = 'idle';
  /** Its person stopped the reply that was running there, and the server has not said that it knows. */
  #stopped: number | null = null;

  constructor(
    readonly id: string,
    private readonly socket: ReconnectingSocket,
    private readonly nextKey: () => string,
  ) {
    super();
    this.transcript = this.#blank();
  }

  /** Nothing is known but what is not sent yet. */
  #blank(): Transcript {
    const outgoing = this.#unsent().map(({ frame, attached, problem }) => ({ key: frame.idempotency_key, content: frame.content, mode: frame.mode, attached, model: frame.model ?? null, turn_id: null, problem }));
    return { ...emptyTranscript(this.id), outgoing };
  }

  #unsent(): Unsent[] {
    return allUnsent().filter(({ frame }) => frame.session_id === this.id);
  }

  /** The words that it began with, once they are known. */
  get opening(): string | null {
    const { loaded, more, entries } = this.transcript;
    if (loaded && !more) this.#opening ??= entries.find((one) => one.role === 'user')?.content ?? null;
    return this.#opening;
  }

  /** Its first message was accepted. */
  begin(words: string): void {
    this.#opening = words;
    this.changed();
  }

  /** What another window has sent and nothing has acknowledged is told here as well: it is one message by its key. */
  open(): void {
    for (const { frame, problem } of this.#unsent()) if (problem === null) this.socket.send(frame);
    this.socket.follow(this.id);
  }

  close(): void {
    this.socket.unfollow(this.id);
    cancelAnimationFrame(this.#frame);
  }

  /** What is stored is read after the server follows, so that nothing falls between the two. */
  async load(): Promise<void> {
    if (this.transcript.loaded) return;
    try {
      const page = await api.messages(this.id, { limit: PAGE });
      this.transcript = withMessages(this.transcript, page.items, page.next_cursor !== null);
      // What was sent before this was read may be among it; its event is not taken a second time.
      const here = new Set(page.items.flatMap((one) => (one.role === 'user' ? one.turn_id : [])));
      const outgoing = this.transcript.outgoing.filter((out) => out.mode !== 'queue' || out.turn_id === null || !here.has(out.turn_id));
      this.transcript = { ...this.transcript, outgoing };
      this.problem = null;
    } catch (error) {
      this.problem = words(error);
    }
    this.changed();
    await this.#loadEvents();
    await this.#loadQueue();
  }

  /** What the session says of itself decides what else is fetched: most have no versions, and nothing waits in them. */
  know(session: Session): void {
    const { active } = this;
    this.#status = session.status;
    if (active !== this.active) this.changed();
    if (session.version_of && !this.#asked.has('versions')) void this.#loadVersions();
    if (session.status !== 'idle' && !this.#asked.has('queue')) void this.#loadQueue(true);
    this.#asked = new Set([...(session.version_of ? ['versions'] : []), ...(session.status === 'idle' ? [] : ['queue'])]);
  }

  async #loadVersions(): Promise<void> {
    const listed = await api.versions(this.id).catch(() => null);
    if (!listed) return;
    this.versions = listed.items;
    this.changed();
  }

  async #loadQueue(anyway = false): Promise<void> {
    if (!anyway && this.transcript.waiting.length === 0 && this.queue.length === 0) return;
    const listed = await api.queue(this.id).catch(() => null);
    if (!listed) return;
    this.queue = listed.items;
    this.changed();
  }

  /** Takes a message out of the queue, to change it or to forget it. */
  async takeBack(turn: string): Promise<QueuedMessage> {
    const back = await api.takeBack(this.id, turn).catch((error: unknown) => {
      void this.#loadQueue(true);
      throw error;
    });
    this.queue = this.queue.filter((one) => one.turn_id !== turn || one.mode === 'steer');
    const outgoing = this.transcript.outgoing.filter((out) => out.turn_id !== turn);
    this.transcript = { ...this.transcript, outgoing };
    this.changed();
    return back;
  }

  async #loadEvents(): Promise<void> {
    const newest = this.transcript.entries.at(-1)?.seq ?? 0;
    const last = Math.max(newest, this.transcript.last_seq);
    const page = await api.events(this.id, { after: Math.max(0, last - NEWEST_EVENTS), limit: 2 * NEWEST_EVENTS }).catch(() => null);
    for (const event of page?.items ?? []) this.#note(event);
    this.transcript = withPast(this.transcript, page?.items ?? []);
    this.changed();
    await this.#loadWaits(last - NEWEST_EVENTS);
  }

  /** How long people were asked, in the part of the conversation that was read and of which the newest events tell nothing. */
  async #loadWaits(before: number): Promise<void> {
    const [first] = this.transcript.entries;
    const untold = (call: Call) => !call.asked && this.transcript.entries.some((entry) => entry.id === call.message_id && entry.seq <= before);
    if (!first || first.seq > before || !Object.values(this.transcript.calls).some(untold)) return;
    const query = { after: Math.max(0, first.seq - 1), limit: 400, types: [...ABOUT_PEOPLE].join() };
    const page = await api.events(this.id, query).catch(() => null);
    if (!page || page.items.length === 0) return;
    this.transcript = withWaits(this.transcript, page.items);
    this.changed();
  }

  /** One at a time: who asks while it runs waits for the same. */
  loadOlder(): Promise<void> {
    const first = this.transcript.entries[0];
    if (!first || !this.transcript.more) return Promise.resolve();
    this.#older ??= this.#loadBefore(first.seq).finally(() => (this.#older = null));
    return this.#older;
  }

  async #loadBefore(before_seq: number): Promise<void> {
    this.loadingOlder = true;
    try {
      const page = await api.messages(this.id, { limit: PAGE, before_seq });
      this.transcript = withMessages(this.transcript, page.items, page.next_cursor !== null);
      this.problem = null;
      void this.#loadWaits(before_seq - 1);
    } catch (error) {
      this.problem = words(error);
    }
    this.loadingOlder = false;
    this.changed();
  }

  /** Fetches until the message of this number is here, or there is nothing earlier. Gives whether it is. */
  async loadBackTo(seq: number): Promise<boolean> {
    for (let first = this.transcript.entries[0]; first && first.seq > seq && this.transcript.more; ) {
      await this.loadOlder();
      const now = this.transcript.entries[0];
      if (!now || now.seq >= first.seq) break;
      first = now;
    }
    return this.transcript.entries.some((entry) => entry.seq >= seq);
  }

  hear(event: Envelope): void {
    this.transcript = reduce(this.transcript, event);
    this.#note(event);
    if (event.type === 'message_complete') this.#complete(event.data.message_id, event.seq);
    if (QUEUE.has(event.type)) void this.#loadQueue();
    this.#soon();
  }

  acknowledged(ack: Ack): void {
    if (ack.of === 'subscribe') {
      void this.load();
      void this.#stopLate();
    }
    if (ack.of === 'abort') this.#stopped = null;
    const { idempotency_key: key, turn_id } = ack;
    if (ack.of !== 'send' || !key) return;
    const here = this.transcript.entries.some((entry) => entry.role === 'user' && entry.turn_id === turn_id);
    // What was refused because the server was busy may have been sent again.
    this.#outgoing(key, (out) => (here && out.mode === 'queue' ? null : { ...out, turn_id: turn_id ?? null, problem: null }));
  }

  refused(problem: ProblemFrame): void {
    if (problem.of === 'subscribe' && problem.status === 400) {
      this.transcript = this.#blank();
      this.socket.followAfresh(this.id);
    } else if (problem.idempotency_key) {
      this.#outgoing(problem.idempotency_key, (out) => ({ ...out, problem: refusal(problem) }));
    } else {
      this.problem = refusal(problem);
      this.changed();
    }
  }

  /**
   * Sends a message, and gives the key by which it is known. `answers` is what was shown and these words answer; `typed` when the
   * words were seen being typed; `model` answers these words alone. Who brings the key has the words until they are acknowledged.
   */
  send(content: string, mode: InputMode, attached: QueuedAttachment[] = [], answers: Answers | null = null, typed = false, model: string | null = null, given = ''): string {
    const key = given || this.nextKey();
    const attachments = attached.map(({ upload_id }) => ({ upload_id }));
    const out = { key, content, mode, attached, model, turn_id: null, problem: null };
    this.transcript = { ...this.transcript, outgoing: [...this.transcript.outgoing, out] };
    this.problem = null;
    const common = { type: 'send' as const, session_id: this.id, content, mode, idempotency_key: key, ...(typed && { typed }), ...(model && { model }) };
    const named = answers ? { ...common, answers } : common;
    const frame = attachments.length > 0 ? { ...named, attachments } : named;
    if (!given) keepUnsent(frame, attached);
    this.socket.send(frame);
    this.changed();
    return key;
  }

  /** Null once the server has these words, else why it refused them. */
  answered(key: string): Promise<string | null> {
    return new Promise((settle) => {
      const look = () => {
        const out = this.transcript.outgoing.find((one) => one.key === key);
        if (out && !out.turn_id && out.problem === null) return;
        unsubscribe();
        settle(out?.problem ?? null);
      };
      const unsubscribe = this.subscribe(look);
      look();
    });
  }

  /** Words that the server refused are taken back, also those that it was only too busy for. */
  forget(key: string): void {
    this.socket.forget(key);
    dropUnsent(key);
    this.#outgoing(key, () => null);
  }

  stop(): void {
    this.#stopped = this.transcript.last_seq;
    if (this.#abort()) return;
    this.problem = t('The reply will be stopped when the connection is back.');
    this.changed();
  }

  #abort(): boolean {
    return this.socket.say({ type: 'abort', session_id: this.id });
  }

  /** The connection is back: the reply that was to stop does, if it is still running. None that began since then is meant. */
  async #stopLate(): Promise<void> {
    const after = this.#stopped;
    if (after === null) return;
    const ended = await api.events(this.id, { after, limit: 1, types: 'turn_ended' }).catch(() => null);
    if (!ended || this.#stopped !== after) return;
    this.#stopped = null;
    this.problem = null;
    if (ended.items.length === 0) this.#abort();
    this.changed();
  }

  async retry(): Promise<void> {
    try {
      await api.retry(this.id);
    } catch (error) {
      this.problem = words(error);
      this.changed();
    }
  }

  async answerPrompt(message: string, prompt: string, answer: string | boolean | number | string[]): Promise<void> {
    const changed = await api.answerPrompt(this.id, message, prompt, answer);
    this.transcript = withMessages(this.transcript, [changed]);
    this.changed();
  }

  /** A turn is not over: it can be stopped, and no other may be begun in its place. */
  get active(): boolean {
    return this.transcript.turn?.active ?? (this.#status === 'working' || this.#status === 'input_required');
  }

  get working(): boolean {
    return this.transcript.turn?.working ?? false;
  }

  #outgoing(key: string, edit: (out: Transcript['outgoing'][number]) => Transcript['outgoing'][number] | null): void {
    const outgoing = this.transcript.outgoing.flatMap((out) => (out.key === key ? (edit(out) ?? []) : [out]));
    this.transcript = { ...this.transcript, outgoing };
    this.changed();
  }

  /** A message whose writing was not seen from its first word is fetched: only the store has all its parts. */
  #complete(message: string, seq: number): void {
    const entry = this.transcript.entries.find((one) => one.id === message);
    if (!entry || entry.whole || this.#fetching.has(message)) return;
    this.#fetching.add(message);
    void api
      .messages(this.id, { after_seq: seq - 1, limit: 1 })
      .then((page) => {
        this.transcript = withMessages(this.transcript, page.items);
        this.changed();
      })
      .catch(() => undefined)
      .finally(() => this.#fetching.delete(message));
  }

  #note(event: Envelope): void {
    if (isLive(event)) return;
    const last = this.events.at(-1);
    if (!last || event.seq > last.seq) this.events.push(event);
    else if (!this.events.some((one) => one.seq === event.seq)) {
      this.events = [...this.events, event].sort((a, b) => a.seq - b.seq);
    }
    if (this.events.length > KEPT_EVENTS) this.events = this.events.slice(-KEPT_EVENTS);
  }

  /** However many pieces come, what is shown changes once per frame; a hidden window has no frames. */
  #soon(): void {
    if (this.#frame) return;
    const run = () => {
      this.#frame = 0;
      this.changed();
    };
    if (document.hidden) run();
    else this.#frame = requestAnimationFrame(run);
  }
}

/** What changes which messages wait. */
const QUEUE = new Set<string>(['input_accepted', 'turn_started', 'turn_ended']);
const LIVE = new Set<string>(['text', 'thinking', 'element_start', 'element_update', 'element_complete', 'tool_output']);

function isLive(event: Envelope): boolean {
  return LIVE.has(event.type) || (event.type === 'element_error' && !('call_id' in event.data));
}
