/** The first message of a conversation, and the conversation that is made for it. */
import { Problem } from '../api/client';
import { api } from '../api/routes';
import type { AgentView, NewSession, Session, Upload } from '../api/schema';
import { house } from '../store/house';
import { attachTo, handIn, uploadProblem, type Attached } from './attach';
import type { Draft } from './draft';

/** What was begun to send a draft. Tried again with the same words it is the same conversation and the same message, whatever the
 * server did of it before. */
export interface Attempt {
  /** By which it is known whether it is the same. */
  readonly fits: string;
  readonly files: readonly File[];
  /** Of the conversation and of its message. */
  readonly key: string;
  session: Session | null;
  /** The files, once all of them are in the conversation. */
  attached: Attached[] | null;
}

/** Files go first, so that the conversation exists when everything is there that is said in it. */
export async function makeConversation(draft: Draft, agent: AgentView, fields: NewSession, text: string): Promise<{ session: Session; attached: Attached[]; key: string }> {
  const { files } = draft;
  const fits = JSON.stringify([fields, text, draft.untyped.typed]);
  const left = draft.attempt;
  if (left && (left.fits !== fits || left.files.length !== files.length || left.files.some((file, at) => file !== files[at]))) {
    await dropConversation(draft);
    draft.attempt = null;
  }
  const attempt = (draft.attempt ??= { fits, files, key: crypto.randomUUID(), session: null, attached: null });
  const uploads: [File, Upload | null][] = [];
  if (!attempt.attached) for (const file of files) uploads.push([file, await named(file, handIn(file))]);
  try {
    attempt.session ??= await api.createSession(fields, attempt.key);
    const { session } = attempt;
    if (!attempt.attached) {
      const attached: Attached[] = [];
      for (const [file, upload] of uploads) attached.push(await named(file, attachTo(session.id, file, upload, agent)));
      attempt.attached = attached;
    }
    return { session, attached: attempt.attached, key: attempt.key };
  } catch (error) {
    // Without an answer it is not known whether there is a conversation: the same key finds it.
    if (attempt.session || !(error instanceof Problem && (error.status === 0 || error.status >= 500))) await dropConversation(draft);
    throw error;
  }
}

/** Nothing was said in it. Where it cannot be deleted now, it is the one that the next try goes on in. */
export async function dropConversation(draft: Draft): Promise<void> {
  const { attempt } = draft;
  try {
    if (attempt?.session) await house.sessions.remove(attempt.session.id);
  } catch (error) {
    if (!(error instanceof Problem && error.status === 404)) return;
  }
  draft.attempt = null;
}

/** What goes wrong with a file is told with its name. */
function named<T>(file: File, deed: Promise<T>): Promise<T> {
  return deed.catch((error: unknown) => {
    throw new Error(uploadProblem(file, error));
  });
}
