/** Messages that were sent and not acknowledged, and those that were refused: the browser keeps them, whatever becomes of the window. */
import type { QueuedAttachment } from '../api/schema';
import type { Ack, ProblemFrame, SendFrame } from '../stream/frames';
import { problemWords, sentence } from '../words/words';
import { keep, kept, names, own } from './browser-storage';

export interface Unsent {
  frame: SendFrame;
  attached: QueuedAttachment[];
  /** Why the server refused it. */
  problem: string | null;
  /** The older ones come first. */
  at: number;
}

const nameOf = (key: string) => own('unsent', key);

export function keepUnsent(frame: SendFrame, attached: QueuedAttachment[]): void {
  keep(nameOf(frame.idempotency_key), { frame, attached, problem: null, at: Date.now() } satisfies Unsent);
}

export function dropUnsent(key: string): void {
  keep(nameOf(key), undefined);
}

export function allUnsent(): Unsent[] {
  return names(own('unsent')).flatMap((name) => kept<Unsent | null>(name, null) ?? []).sort((a, b) => a.at - b.at);
}

/** The server has it, or says why it has not. */
export function answeredUnsent(frame: Ack | ProblemFrame): void {
  const { idempotency_key: key } = frame;
  const one = key && kept<Unsent | null>(nameOf(key), null);
  if (one) keep(nameOf(key), frame.type === 'ack' ? undefined : { ...one, problem: refusal(frame) });
}

export function refusal({ code, detail }: ProblemFrame): string {
  return sentence(problemWords(code, detail));
}
