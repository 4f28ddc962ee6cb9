/**
 * Events become what is shown. Pure: the same events give the same transcript, and one that is heard twice changes
 * nothing.
 */
import type { Envelope, Message, Retrying, Usage } from '../api/schema';
import { cut, entryOf, NO_USAGE, type Call, type Discarded, type Entry, type HmlElement, type Piece, type Transcript, type Turn } from './transcript';

/** The newest stored messages, or older ones; those that are there already are replaced. */
export function withMessages(state: Transcript, messages: Message[], more?: boolean): Transcript {
  const entries = new Map(state.entries.map((entry) => [entry.id, entry]));
  const calls = { ...state.calls };
  const results: Message[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      results.push(message);
      continue;
    }
    const made = entryOf(message);
    const known = entries.get(message.id);
    if (known) made.entry.agent_name = known.agent_name;
    if (known) made.entry.created_at = known.created_at;
    entries.set(message.id, made.entry);
    for (const call of made.calls) calls[call.call_id] = { ...call, ...settled(calls[call.call_id], call.started_at) };
  }
  for (const message of results) noteResult(calls, message);
  const sorted = [...entries.values()].sort((a, b) => a.seq - b.seq);
  const last_seq = messages.reduce((last, { seq }) => Math.max(last, seq), state.last_seq);
  return { ...state, entries: sorted, calls, more: more ?? state.more, loaded: true, last_seq };
}

function settled(known: Call | undefined, made_at: string | null): Partial<Call> {
  if (!known) return {};
  const { status, content, started_at, ended_at, output, order, asked } = known;
  return { status, content, started_at: started_at ?? made_at, ended_at, ...(output && { output }), ...(order && { order }), ...(asked && { asked }) };
}

function noteResult(calls: Record<string, Call>, message: Message): void {
  for (const part of message.parts) {
    if (part.type !== 'result') continue;
    const { call_id, status, name } = part;
    const content = part.content ?? message.content;
    const known = calls[call_id] ?? unknownCall(call_id, name);
    const { order } = message.meta;
    calls[call_id] = { ...known, status, content, ...(order && { order }), ended_at: message.created_at };
  }
}

function unknownCall(call_id: string, name: string): Call {
  const nothing = { arguments: null, element_id: null, content: null, started_at: null, ended_at: null };
  return { call_id, message_id: '', name, origin: 'native', status: 'running', ...nothing };
}

export function reduce(state: Transcript, event: Envelope): Transcript {
  const next = apply(state, event);
  return event.seq > next.last_seq ? { ...next, last_seq: event.seq } : next;
}

export function apply(state: Transcript, event: Envelope): Transcript {
  const turn_id = event.turn_id ?? '';
  switch (event.type) {
    case 'input_accepted':
      return event.data.mode === 'queue' && !state.waiting.includes(event.data.turn_id)
        ? { ...state, waiting: [...state.waiting, event.data.turn_id] }
        : state;
    case 'turn_started': {
      const waiting = state.waiting.filter((id) => id !== turn_id);
      const again = state.turn?.id === turn_id ? state.turn : null;
      const usage = again?.usage ?? NO_USAGE;
      const started_at = again?.started_at ?? event.at;
      const steps = again?.steps ?? 0;
      return { ...state, waiting, turn: { id: turn_id, started_at, steps, usage, active: true, working: true, attempt: event.data.attempt } };
    }
    case 'agent_status':
      return { ...state, turn: goesOn(state.turn, turn_id, event) };
    case 'turn_ended': {
      // A queued message that is taken back ends a turn that never began, while another runs.
      const ended = state.turn?.id === turn_id ? { ...state.turn, active: false, working: false, usage: event.data.usage } : state.turn;
      const waiting = state.waiting.filter((id) => id !== turn_id);
      const outgoing = state.outgoing.filter((out) => out.turn_id !== turn_id);
      const approvals = withdrawn(state.approvals, turn_id);
      const questions = state.questions.map((one) => (one.status === 'pending' && one.turn_id === turn_id ? { ...one, status: 'withdrawn' as const } : one));
      return held({ ...closeOpen(state, turn_id, event.at), approvals, questions, turn: ended, waiting, outgoing });
    }
    case 'user_message':
      return arrived(withMessages(state, [event.data.message]), event.data.message);
    case 'message_start':
      return started(state, event);
    case 'message_restarted':
      return change(state, event.data.message_id, (entry) => ({ ...entry, ...blank(event.seq), retrying: retrying(event.data), discarded: discarded(entry) }));
    case 'text':
      return live(seen(state, event, event.data.message_id), event.data.message_id, (entry) => grown(entry, event.data.text, offset(event)));
    case 'thinking':
      return live(seen(state, event, event.data.message_id), event.data.message_id, (entry) => ({ ...entry, thinking: entry.thinking + event.data.text }));
    case 'element_start':
      return live(seen(state, event, event.data.message_id), event.data.message_id, (entry) => opened(entry, event));
    case 'element_update': {
      const { message_id, id, delta } = event.data;
      return inElement(state, message_id, id, (element) => ({ ...element, content: element.content + delta }));
    }
    case 'element_complete': {
      const { message_id, id, content, attributes } = event.data;
      return inElement(state, message_id, id, (element) => ({
        ...element,
        content,
        done: true,
        attributes: (attributes as Record<string, string> | undefined) ?? element.attributes,
      }));
    }
    case 'element_error': {
      const { message_id, id, error } = event.data;
      if ('call_id' in event.data || id === null) return state;
      return inElement(state, message_id, id, (element) => ({ ...element, done: true, error }));
    }
    case 'element_executing': {
      const { message_id, id, call_id } = event.data;
      return inElement(state, message_id, id, (element) => ({ ...element, call_id }));
    }
    case 'message_complete':
      return completed(state, event);
    case 'tool_use_start':
      return called(state, event);
    case 'tool_result': {
      const { call_id, status, content, name, order } = event.data;
      const known = state.calls[call_id] ?? unknownCall(call_id, name);
      const call: Call = { ...known, status, content, ...(order && { order }), ended_at: event.at };
      return { ...state, calls: { ...state.calls, [call_id]: call } };
    }
    case 'question_prompt': {
      const others = state.questions.filter((question) => question.id !== event.data.id);
      return { ...state, questions: [...others, event.data] };
    }
    case 'question_answered':
      return {
        ...waited(state, state.questions.find((question) => question.id === event.data.question_id), event.at),
        questions: state.questions.map((question) =>
          question.id === event.data.question_id
            ? { ...question, status: event.data.by === 'user' ? 'answered' : 'expired', answer: event.data.answer }
            : question,
        ),
      };
    case 'prompt_updated':
      return answered(state, event.data);
    case 'usage':
      return charged(state, turn_id, event.data);
    case 'approval_request': {
      const others = state.approvals.filter((approval) => approval.id !== event.data.id);
      return held({ ...state, approvals: [...others, event.data] });
    }
    case 'approval_result':
      return held({
        ...waited(state, state.approvals.find((approval) => approval.id === event.data.approval_id), event.at),
        approvals: state.approvals.map((approval) =>
          approval.id === event.data.approval_id ? { ...approval, status: event.data.decision } : approval,
        ),
      });
    default: {
      const other = event as { type: string; data: unknown };
      if (other.type === 'tool_output') return overheard(state, other.data as Overheard);
      // An event that this page does not know yet is no reason to stop.
      return state;
    }
  }
}

interface Overheard {
  call_id: string;
  /** Bytes of what it said before. */
  offset: number;
  delta: string;
}

/**
 * What a call says while it runs: heard once, and where something is missing that is seen. A window that opens in the middle is told
 * it before the call itself has been read.
 */
function overheard(state: Transcript, { call_id, offset, delta }: Overheard): Transcript {
  const call = state.calls[call_id] ?? unknownCall(call_id, '');
  if (call.content !== null) return state;
  const { text, bytes } = call.output ?? { text: '', bytes: 0 };
  if (offset < bytes) return state;
  const output = { text: text + (offset > bytes ? '\n…\n' : '') + delta, bytes: offset + encoder.encode(delta).length };
  return { ...state, calls: { ...state.calls, [call_id]: { ...call, output } } };
}

/** A question, or a request for approval. */
export type Asked = { id: string; call_id: string; created_at: string };

export function askedOf(call: Call, asked: Asked, now: string): Call {
  return { ...call, asked: { ...call.asked, [asked.id]: [Date.parse(asked.created_at), Date.parse(now)] } };
}

/** A person was asked from then until now; that is not the time of the call. */
function waited(state: Transcript, asked: Asked | undefined, now: string): Transcript {
  const call = asked && state.calls[asked.call_id];
  if (!call) return state;
  return { ...state, calls: { ...state.calls, [call.call_id]: askedOf(call, asked, now) } };
}

/** What a turn still asked approval for when it ended is denied. */
function withdrawn(approvals: Transcript['approvals'], turn_id: string): Transcript['approvals'] {
  return approvals.map((one) => (one.status === 'pending' && one.turn_id === turn_id ? { ...one, status: 'denied' } : one));
}

/** A call that waits for approval does not run. */
export function held(state: Transcript): Transcript {
  const waiting = new Set(state.approvals.filter((one) => one.status === 'pending').map((one) => one.call_id));
  const calls = { ...state.calls };
  for (const { call_id } of state.approvals) {
    const call = calls[call_id];
    if (call?.status === 'running' && waiting.has(call_id)) calls[call_id] = { ...call, status: 'waiting' };
    else if (call?.status === 'waiting' && !waiting.has(call_id)) calls[call_id] = { ...call, status: 'running' };
  }
  return { ...state, calls };
}

function plus(a: Usage, b: Usage): Usage {
  const cost = a.cost_microusd === null || b.cost_microusd === null ? null : a.cost_microusd + b.cost_microusd;
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cached_tokens: a.cached_tokens + b.cached_tokens,
    cost_microusd: cost,
  };
}

/** What the message before it cost. */
function charged(state: Transcript, turn_id: string, usage: Usage): Transcript {
  const turn = state.turn ? { ...state.turn, usage: plus(state.turn.usage, usage) } : null;
  const at = state.entries.findLastIndex((entry) => entry.role === 'assistant' && entry.turn_id === turn_id);
  const entry = state.entries[at];
  const entries = entry && entry.usage === null ? state.entries.with(at, { ...entry, usage }) : state.entries;
  return { ...state, turn, entries };
}

/** What a turn does now. Of a long one this may be the first that a window hears. */
function goesOn(turn: Turn | null, id: string, event: Envelope & { type: 'agent_status' }): Turn | null {
  const working = event.data.state === 'working';
  const active = working || event.data.state === 'input_required';
  if (turn?.id === id) return { ...turn, active, working };
  return active ? { id, started_at: event.at, steps: 0, usage: NO_USAGE, active, working, attempt: 1 } : turn;
}

/** The words came; they are no longer on their way. The same words that were refused are not these. */
function arrived(state: Transcript, message: Message): Transcript {
  const at = state.outgoing.findIndex((out) => out.content === message.content && (out.turn_id === null ? out.problem === null : out.turn_id === message.turn_id));
  return at < 0 ? state : { ...state, outgoing: state.outgoing.toSpliced(at, 1) };
}

function blank(seq: number): Pick<Entry, 'seq' | 'content' | 'thinking' | 'pieces' | 'elements' | 'calls' | 'open' | 'whole' | 'retrying' | 'discarded'> {
  return { seq, content: '', thinking: '', pieces: [], elements: {}, calls: [], open: true, whole: true, retrying: null, discarded: null };
}

/** The longest that was seen of a message: one that begins a third time may have said less the second. */
function discarded(entry: Entry): Discarded | null {
  const { content, pieces, elements } = entry;
  return written(entry) > 0 ? (entry.discarded ?? { content, pieces, elements }) : entry.discarded;
}

/** How much of a message there is, in its elements too. */
function written({ content, elements }: Discarded): number {
  return Object.values(elements).reduce((sum, element) => sum + element.content.length, content.length);
}

/** What was discarded is kept until as much was written anew. */
function caughtUp(entry: Entry): Entry {
  if (!entry.discarded || (entry.open && written(entry) < written(entry.discarded))) return entry;
  return { ...entry, discarded: null };
}

function retrying({ attempt, retry }: { attempt: number; retry?: Retrying | null }): Entry['retrying'] {
  return retry ? { attempt, of: retry.of, code: retry.error.code, why: retry.error.message } : null;
}

function started(state: Transcript, event: Envelope & { type: 'message_start' }): Transcript {
  const { message_id, agent_name } = event.data;
  if (state.entries.some((entry) => entry.id === message_id)) return state;
  const turn = state.turn ? { ...state.turn, steps: state.turn.steps + 1 } : null;
  return { ...state, turn, entries: [...state.entries, openEntry(event, message_id, agent_name)] };
}

/** A window that opens in the middle of a message is told its words, and not that it began. */
function seen(state: Transcript, event: Envelope, message_id: string): Transcript {
  if (state.entries.some((entry) => entry.id === message_id)) return state;
  return { ...state, entries: [...state.entries, openEntry(event, message_id, null)] };
}

function openEntry(event: Envelope, id: string, agent_name: string | null): Entry {
  const nothing = { author: null, ended_at: null, images: [], files: [], kind: null, stop_reason: null, usage: null, model: null };
  const { at: created_at, turn_id } = event;
  return { ...blank(event.seq), id, turn_id: turn_id ?? '', role: 'assistant', agent_name, created_at, ...nothing };
}

/** Of a message that is whole, nothing is added. */
function live(state: Transcript, id: string, edit: (entry: Entry) => Entry): Transcript {
  return change(state, id, (entry) => (entry.open ? edit(entry) : entry));
}

function change(state: Transcript, id: string, edit: (entry: Entry) => Entry): Transcript {
  // The open message is the last one, or nearly.
  for (let at = state.entries.length - 1; at >= 0; at -= 1) {
    const entry = state.entries[at];
    if (entry?.id !== id) continue;
    return { ...state, entries: state.entries.with(at, caughtUp(edit(entry))) };
  }
  return state;
}

function inElement(state: Transcript, message: string, id: string, edit: (element: HmlElement) => HmlElement): Transcript {
  return change(state, message, (entry) => {
    const element = entry.elements[id];
    return element ? { ...entry, elements: { ...entry.elements, [id]: edit(element) } } : entry;
  });
}

function offset(event: Envelope): number {
  return Number(event.cursor.split('.')[1] ?? 0);
}

function grown(entry: Entry, text: string, end: number): Entry {
  const last = entry.pieces.at(-1);
  const content = entry.content + text;
  if (last?.type === 'text') {
    return { ...entry, content, pieces: entry.pieces.with(-1, { type: 'text', text: last.text + text, end }) };
  }
  return { ...entry, content, pieces: [...entry.pieces, { type: 'text', text, end }] };
}

function opened(entry: Entry, event: Envelope & { type: 'element_start' }): Entry {
  const { id, parent_id, type, attributes } = event.data;
  const element: HmlElement = { id, parent_id, type, attributes: attributes as Record<string, string>, content: '', done: false };
  const elements = { ...entry.elements, [id]: element };
  if (parent_id !== null || entry.elements[id]) return { ...entry, elements };
  return { ...entry, elements, pieces: [...entry.pieces, { type: 'element', id, end: offset(event) }] };
}

function called(state: Transcript, event: Envelope & { type: 'tool_use_start' }): Transcript {
  const { message_id, call_id, name, origin, element_id } = event.data;
  const known = state.calls[call_id];
  const made: Call = {
    call_id,
    message_id,
    name,
    origin,
    element_id,
    arguments: event.data.arguments,
    status: known?.status ?? 'running',
    content: known?.content ?? null,
    started_at: event.at,
    ended_at: known?.ended_at ?? null,
    ...(known?.output && { output: known.output }),
  };
  const next = { ...state, calls: { ...state.calls, [call_id]: made } };
  if (element_id !== null) return next;
  return change(next, message_id, (entry) => {
    const known = entry.calls.includes(call_id) || entry.pieces.some((piece) => piece.type === 'call' && piece.call_id === call_id);
    if (known) return entry;
    const at = event.data.offset;
    if (typeof at === 'number' && entry.open) return { ...entry, pieces: insert(entry.pieces, call_id, at) };
    return { ...entry, calls: [...entry.calls, call_id] };
  });
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A call takes its place in the text, which may have gone on meanwhile. */
function insert(pieces: Piece[], call_id: string, at: number): Piece[] {
  const call: Piece = { type: 'call', call_id, end: at };
  const index = pieces.findIndex((piece) => piece.end > at);
  const piece = pieces[index];
  if (!piece) return [...pieces, call];
  if (piece.type !== 'text') return pieces.toSpliced(index, 0, call);
  const bytes = encoder.encode(piece.text);
  const before = bytes.length - (piece.end - at);
  if (before <= 0) return pieces.toSpliced(index, 0, call);
  const head: Piece = { type: 'text', text: decoder.decode(bytes.subarray(0, before)), end: at };
  const tail: Piece = { type: 'text', text: decoder.decode(bytes.subarray(before)), end: piece.end };
  return pieces.toSpliced(index, 1, head, call, tail);
}

function completed(state: Transcript, event: Envelope & { type: 'message_complete' }): Transcript {
  const { message_id, content, elements: served, stop_reason, model } = event.data;
  return change(state, message_id, (entry) => {
    if (!entry.open) return entry;
    const inText = entry.pieces.flatMap((piece) => (piece.type === 'call' ? [piece.call_id] : []));
    const { pieces, elements } = cut(content, served, inText);
    for (const element of Object.values(elements)) {
      const call_id = element.call_id ?? entry.elements[element.id]?.call_id;
      if (call_id) element.call_id = call_id;
    }
    const seen = shownText(entry.pieces) === shownText(pieces);
    return { ...entry, seq: event.seq, content, pieces, elements, open: false, stop_reason, model: model ?? null, ended_at: event.at, whole: entry.whole && seen };
  });
}

function shownText(pieces: Piece[]): string {
  return pieces.map((piece) => (piece.type === 'text' ? piece.text : '\u0000')).join('');
}

/** The turn writes no more: a message of it that is still open was cut off. */
function closeOpen(state: Transcript, turn_id: string, at: string): Transcript {
  const isCut = (entry: Entry) => entry.open && entry.turn_id === turn_id;
  if (!state.entries.some(isCut)) return state;
  const close = (entry: Entry): Entry => (isCut(entry) ? { ...entry, open: false, ended_at: at, discarded: null } : entry);
  return { ...state, entries: state.entries.map(close) };
}

function answered(state: Transcript, data: { message_id: string; prompt_id: string; answer: string }): Transcript {
  return change(state, data.message_id, (entry) => {
    const elements = { ...entry.elements };
    for (const [id, element] of Object.entries(elements)) {
      if (element.type !== 'hml-prompt' || element.attributes['id'] !== data.prompt_id) continue;
      elements[id] = { ...element, attributes: { ...element.attributes, answered: 'true', answer: data.answer } };
    }
    return { ...entry, elements };
  });
}
