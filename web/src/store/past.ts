/** What was before this window looked, from the log: when calls began, what waits for people, what runs. */
import type { Envelope } from '../api/schema';
import { apply, askedOf, held, type Asked } from './reduce';
import type { Transcript } from './transcript';

const ABOUT_TURNS = new Set(['input_accepted', 'turn_started', 'agent_status', 'usage', 'turn_ended', 'message_start']);
export const ABOUT_PEOPLE = new Set(['question_prompt', 'question_answered', 'approval_request', 'approval_result']);

/** What the log says of the time before this window looked: when calls began, what waits for people, what runs. */
export function withPast(state: Transcript, events: Envelope[]): Transcript {
  const calls = { ...withWaits(state, events).calls };
  for (const event of events) {
    if (event.type !== 'tool_use_start') continue;
    const call = calls[event.data.call_id];
    if (call) calls[call.call_id] = { ...call, started_at: event.at };
  }
  let past: Transcript = { ...state, calls: {}, entries: [], turn: null, waiting: [], questions: [], approvals: [], outgoing: [] };
  for (const event of events) {
    if (ABOUT_TURNS.has(event.type) || ABOUT_PEOPLE.has(event.type)) past = apply(past, event);
  }
  const known = new Set([...state.questions, ...state.approvals].map((one) => one.id));
  const questions = [...past.questions.filter((one) => !known.has(one.id)), ...state.questions];
  const approvals = [...past.approvals.filter((one) => !known.has(one.id)), ...state.approvals];
  const { turn, waiting } = state.turn ? state : past;
  return held({ ...state, calls, questions, approvals, turn, waiting });
}

/** What the log says of how long people were asked for calls that were read. */
export function withWaits(state: Transcript, events: Envelope[]): Transcript {
  const asked = new Map<string, Asked>();
  const calls = { ...state.calls };
  for (const event of events) {
    if (event.type === 'question_prompt' || event.type === 'approval_request') asked.set(event.data.id, event.data);
    const id = event.type === 'question_answered' ? event.data.question_id : event.type === 'approval_result' ? event.data.approval_id : '';
    const before = asked.get(id);
    const call = before && calls[before.call_id];
    if (call) calls[call.call_id] = askedOf(call, before, event.at);
  }
  return { ...state, calls };
}
