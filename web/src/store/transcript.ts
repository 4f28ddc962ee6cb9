/** What a conversation is made of, as the page holds it. */
import type { Envelope, InputMode, Message, MessageKind, Origin2, Part, Question, QueuedAttachment, Role, StopReason, Usage } from '../api/schema';

/** An element of a reply, as the server reads it. */
export interface HmlElement {
  id: string;
  parent_id: string | null;
  type: string;
  attributes: Record<string, string>;
  content: string;
  /** Nothing more comes. */
  done: boolean;
  error?: string;
  call_id?: string;
}

/** A reply is a row of these; each grows only at its end, and only the last one grows. */
export type Piece =
  | { type: 'text'; text: string; end: number }
  | { type: 'element'; id: string; end: number }
  | { type: 'call'; call_id: string; end: number };

export interface Call {
  call_id: string;
  message_id: string;
  name: string;
  arguments: unknown;
  origin: Origin2;
  element_id: string | null;
  status: 'running' | 'waiting' | 'ok' | 'error' | 'denied' | 'unknown';
  content: string | null;
  /** What it said while it ran; its result has the whole. */
  output?: { text: string; bytes: number };
  /** How many characters it said on stdout, then on stderr, and so on in turn. */
  order?: number[];
  started_at: string | null;
  ended_at: string | null;
  /** When a person was asked in the meantime: by the name of what they were asked, from when until when. */
  asked?: Record<string, [number, number]>;
}

/** How long a person was asked, where several requests stood side by side once. */
export function askedMs(calls: Call[]): number {
  const times = calls.flatMap((call) => Object.values(call.asked ?? {})).sort(([a], [b]) => a - b);
  let [sum, until] = [0, -Infinity];
  for (const [from, to] of times) {
    sum += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return sum;
}

export interface Entry {
  id: string;
  /** Of the event that stored it; of an open message, of the one that opened it. */
  seq: number;
  turn_id: string;
  role: Role;
  agent_name: string | null;
  /** Who said it in the place of the person: another agent, or a stranger behind a bridge. */
  author: string | null;
  created_at: string;
  ended_at: string | null;
  /** The raw text: what is copied. */
  content: string;
  thinking: string;
  pieces: Piece[];
  elements: Record<string, HmlElement>;
  /** Those that stand in no place of the text. */
  calls: string[];
  images: string[];
  /** Words that others may have written; of a message of a person. */
  untrusted?: boolean;
  /** What the agent was told of the files that were sent along. */
  files: AttachedFile[];
  open: boolean;
  kind: MessageKind | null;
  stop_reason: StopReason | null;
  usage: Usage | null;
  /** The model that wrote it, where the stored message says so. */
  model: string | null;
  /** Seen from its first word, or fetched; else its parts are not known. */
  whole: boolean;
  /** The model did not answer and is asked again. */
  retrying: { attempt: number; of: number; code: string; why: string } | null;
  /** What was written before it was begun again, until as much has been written anew. */
  discarded: Discarded | null;
}

export type Discarded = Pick<Entry, 'content' | 'pieces' | 'elements'>;

/** A file of a message, and what the agent was told of it. */
export type AttachedFile = Omit<Extract<Part, { type: 'file' }>, 'type'>;

/** Words on their way: sent from this window, and not yet in the log. */
export interface Outgoing {
  key: string;
  content: string;
  mode: InputMode;
  attached: QueuedAttachment[];
  /** The model that was chosen for these words alone. */
  model: string | null;
  turn_id: string | null;
  problem: string | null;
}

/** What a person is asked to allow; nothing else is drawn as an approval. */
export type Approval = Extract<Envelope, { type: 'approval_request' }>['data'];

export interface Turn {
  id: string;
  started_at: string;
  steps: number;
  usage: Usage;
  /** It is not over: the agent works, or waits for a person. */
  active: boolean;
  working: boolean;
  attempt: number;
}

export interface Transcript {
  session_id: string;
  entries: Entry[];
  calls: Record<string, Call>;
  questions: Question[];
  approvals: Approval[];
  outgoing: Outgoing[];
  turn: Turn | null;
  /** Inputs of turns that have not begun, also from other windows. */
  waiting: string[];
  /** There is more before the first entry. */
  more: boolean;
  loaded: boolean;
  /** The newest of the stored messages that were read and the events that were heard: so much a person answers for who declares it trusted. */
  last_seq: number;
}

export const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0, cached_tokens: 0, cost_microusd: 0 };

export function emptyTranscript(session_id: string): Transcript {
  return {
    session_id,
    entries: [],
    calls: {},
    questions: [],
    approvals: [],
    outgoing: [],
    turn: null,
    waiting: [],
    more: false,
    loaded: false,
    last_seq: 0,
  };
}

/** The agent has begun to write after this message: it has read what was answered to the prompts in it. */
export function isRead(entry: Entry, { entries }: Transcript): boolean {
  return (entries.findLast((one) => one.role === 'assistant')?.seq ?? 0) > entry.seq;
}

/** A stored element, as it is served. */
interface Served {
  id: string;
  parent_id: string | null;
  type: string;
  attributes: Record<string, string>;
  content: string;
  error?: string;
  call_id?: string;
  span?: [number, number];
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A whole text, cut where its elements stand. Spans count bytes. */
export function cut(content: string, served: unknown[], inText: string[]): Pick<Entry, 'pieces' | 'elements'> {
  const elements: Record<string, HmlElement> = {};
  const pieces: Piece[] = [];
  const bytes = encoder.encode(content);
  const calls = [...inText];
  let at = 0;
  const text = (end: number) => {
    if (end > at) pieces.push({ type: 'text', text: decoder.decode(bytes.subarray(at, end)), end });
    at = Math.max(at, end);
  };
  for (const one of served as Served[]) {
    const [start, end] = one.span ?? [at, at];
    const top = one.parent_id === null && start >= at;
    if (one.type === 'interaction') {
      const call_id = calls.shift();
      if (!top) continue;
      text(start);
      if (call_id) pieces.push({ type: 'call', call_id, end });
    } else {
      elements[one.id] = element(one);
      if (!top) continue;
      text(start);
      pieces.push({ type: 'element', id: one.id, end });
    }
    at = Math.max(at, end);
  }
  text(bytes.length);
  return { pieces, elements };
}

function element({ id, parent_id, type, attributes, content, error, call_id }: Served): HmlElement {
  const made: HmlElement = { id, parent_id, type, attributes, content, done: true };
  if (error) made.error = error;
  if (call_id) made.call_id = call_id;
  return made;
}

function authorOf({ asker, sender }: Message): string | null {
  if (asker) return asker.name;
  if (!sender) return null;
  return sender.name ? `${sender.name} (${sender.source})` : sender.source;
}

/** A stored message as an entry, and the calls it made. */
export function entryOf(message: Message): { entry: Entry; calls: Call[] } {
  const calls: Call[] = [];
  const images: string[] = [];
  const files: AttachedFile[] = [];
  let thinking = '';
  for (const part of message.parts) {
    if (part.type === 'thinking') thinking += part.text;
    else if (part.type === 'image') images.push(part.upload_id);
    else if (part.type === 'file') files.push(part);
    else if (part.type === 'call') {
      const { call_id, name, origin } = part;
      const element_id = part.element_id ?? null;
      // A call of the model itself is made when its message is complete; of others only the log knows.
      const started_at = origin === 'native' ? message.created_at : null;
      const common = { status: 'running' as const, content: null, started_at, ended_at: null };
      calls.push({ call_id, message_id: message.id, name, origin, element_id, arguments: part.arguments, ...common });
    }
  }
  const standing = calls.filter((call) => call.element_id === null && (call.origin === 'interaction' || call.origin === 'pattern'));
  const inText = standing.map((call) => call.call_id);
  const { pieces, elements } = cut(message.content, message.elements, inText);
  const placed = new Set(pieces.flatMap((piece) => (piece.type === 'call' ? [piece.call_id] : [])));
  const loose = calls.filter((call) => call.element_id === null && !placed.has(call.call_id));
  const entry: Entry = {
    id: message.id,
    seq: message.seq,
    turn_id: message.turn_id,
    role: message.role,
    agent_name: null,
    author: authorOf(message),
    created_at: message.created_at,
    ended_at: message.created_at,
    content: message.content,
    thinking,
    pieces,
    elements,
    calls: loose.map((call) => call.call_id),
    images,
    untrusted: message.label.integrity === 'untrusted',
    files,
    open: false,
    kind: message.meta.kind ?? null,
    stop_reason: message.stop_reason ?? null,
    usage: message.usage ?? null,
    model: message.meta.model ?? null,
    whole: true,
    retrying: null,
    discarded: null,
  };
  return { entry, calls };
}
