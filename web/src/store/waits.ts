/** What waits for the person in a conversation, and what their words are to it. */
import type { Question } from '../api/schema';
import { t } from '../words/words';
import type { Approval, Transcript } from './transcript';

/** The oldest question, or else everything that waits for an approval. */
export type Waits = { question: Question } | { approvals: Approval[] };

export function waits(transcript: Transcript): Waits | null {
  const question = transcript.questions.find((one) => one.status === 'pending');
  if (question) return { question };
  const approvals = transcript.approvals.filter((one) => one.status === 'pending');
  return approvals.length > 0 ? { approvals } : null;
}

/** By which it is known whether something else is shown than before. */
export function shownAs(open: Waits | null): string {
  if (!open) return '';
  return 'question' in open ? open.question.id : open.approvals.map((one) => one.id).join(' ');
}

/** A bare yes or no in English or in the language of the page, or its first letter, and nothing beside it. */
export function bare(text: string): 'approve' | 'deny' | null {
  const word = text.trim().toLowerCase();
  const is = (...answers: string[]) => answers.some((answer) => word === answer || word === answer.charAt(0));
  if (is('yes', t('yes'))) return 'approve';
  return is('no', t('no')) ? 'deny' : null;
}
