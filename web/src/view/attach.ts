/**
 * What is attached: every file goes with the message, and the agent is told what it says. Where the agent works with files, it
 * lies among those of the session as well.
 */
import { Problem, words } from '../api/client';
import { api } from '../api/routes';
import type { AgentView, QueuedAttachment, ReadText, Upload } from '../api/schema';
import { house } from '../store/house';
import type { AttachedFile } from '../store/transcript';
import { size } from '../element/time';
import { sentence, served, t } from '../words/words';

export type Attached =
  | { kind: 'pending'; name: string; stop?: AbortController }
  | { kind: 'picture'; name: string; id: string }
  | { kind: 'file'; name: string; id: string | null; path: string | null; text: ReadText | null; file: File | null };

export const isPending = (attached: Attached): attached is Attached & { kind: 'pending' } => attached.kind === 'pending';

const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** No model of the large vendors takes a larger picture: 5 MiB in base64. */
const MOST_OF_A_PICTURE = ((5 << 20) / 4) * 3;
const UNSUPPORTED = 415;

export async function attach(session: string, file: File, agent: AgentView | undefined, stop: AbortSignal): Promise<Attached> {
  return attachTo(session, file, await handIn(file, stop), agent);
}

/** Uploads a file, for whichever conversation. Null for what no message can carry: it can lie among the files of one. */
export async function handIn(file: File, stop?: AbortSignal): Promise<Upload | null> {
  // What a browser says of a file is a guess by its name; the server looks at its bytes.
  const sent = !PICTURES.has(file.type) ? new File([file], file.name) : file.size > MOST_OF_A_PICTURE ? await (await import('./shrink-photo')).smaller(file, MOST_OF_A_PICTURE) : file;
  return api.upload(sent, stop).catch((error: unknown) => {
    if (error instanceof Problem && error.status === UNSUPPORTED && !PICTURES.has(file.type)) return null;
    throw error;
  });
}

/** What was uploaded becomes part of a conversation: where its agent works with files, it lies among them. */
export async function attachTo(session: string, file: File, uploaded: Upload | null, agent: AgentView | undefined): Promise<Attached> {
  if (uploaded && !uploaded.text) return { kind: 'picture', name: uploaded.name, id: uploaded.id };
  const works = agent?.works_with_files ?? false;
  // A file that the agent has no tool for would lie where the agent never looks.
  if (!works && agent && (!uploaded || uploaded.text?.problem)) throw new Unreadable(file.name, house.nameOf(agent), uploaded?.text?.problem ?? '');
  const path = !uploaded || works ? await save(session, file) : null;
  return { kind: 'file', name: file.name, id: uploaded?.id ?? null, path, text: uploaded?.text ?? null, file };
}

/** Nothing of the file can be told to the agent. */
class Unreadable extends Error {
  constructor(file: string, agent: string, why: string) {
    super([t('“{}” was not attached: {} cannot read it.', file, agent), why && sentence(served(why))].filter(Boolean).join(' '));
  }
}

/** Puts a file among those of a session, under a name that nothing has there; gives back where. */
export async function save(session: string, file: File, folder = '/'): Promise<string> {
  const taken = new Set((await api.files(session, folder)).items.map((one) => one.path));
  for (;;) {
    const path = freePath(file.name, (one) => taken.has(one), folder);
    try {
      await api.putFile(session, path.slice(1), file, true);
      return path;
    } catch (error) {
      // Another file of that name came in the meantime.
      if (!(error instanceof Problem && error.code === 'file_exists')) throw error;
      taken.add(path);
    }
  }
}

/** What is known of a file before it is sent. */
export function describe({ text, path }: { text: ReadText | null; path: string | null }): string {
  return [text && !text.problem ? served(text.noun) : '', text ? readWords(text) : '', path ? t('saved in Files') : ''].filter(Boolean).join(' · ');
}

/** What was read of a file, in a few words; empty where there is nothing to say. */
export function readWords(read: { parts: number; part?: string | null; problem?: string | null }): string {
  if (read.problem) return served(read.problem);
  const words = { page: ['{} page', '{} pages'], sheet: ['{} sheet', '{} sheets'], slide: ['{} slide', '{} slides'], chapter: ['{} chapter', '{} chapters'], section: ['{} section', '{} sections'] } as const;
  const [one, many] = words[read.part as keyof typeof words] ?? ['', ''];
  return one ? t(read.parts === 1 ? one : many, read.parts) : '';
}

/** Which part of a file the agent was told. */
export function toldWords(file: AttachedFile): string {
  if (file.problem) return served(file.problem);
  const size = readWords(file);
  if (file.read_chars >= file.chars) return [size, file.cut ? t('read up to the limit for files') : t('read completely')].filter(Boolean).join(', ');
  const part = file.parts > 1 ? t('the first {} read', file.read_parts) : t('the first {} percent read', Math.floor((100 * file.read_chars) / Math.max(file.chars, 1)));
  return [size, part].filter(Boolean).join(', ');
}

/** Says who wrote what is added to a conversation. What was just attached is put there once more, to count so as well. */
export async function sayWhose(session: string, own: boolean, attached: Attached[]): Promise<void> {
  await api.changeSession(session, { own_files: own });
  for (const one of attached) {
    if (one.kind === 'file' && one.path && one.file) await api.putFile(session, one.path.slice(1), one.file);
  }
}

/** The words of a message and its uploads. Where a file lies among those of the session, the words say where. */
export function together(text: string, all: Attached[]): { content: string; attached: QueuedAttachment[] } {
  const attached = all.flatMap((one) => (one.kind !== 'pending' && one.id ? [{ upload_id: one.id, name: one.name, kind: one.kind }] : []));
  const files = all.flatMap((one) => (one.kind === 'file' ? (one.path ?? []) : []));
  const where = files.length > 0 ? t('Attached: {}', files.join(', ')) : '';
  return { content: [text, where].filter(Boolean).join('\n\n'), attached };
}

/** The uploads of a message that comes back to be written again. Where one lies among the files, its words say so already. */
export function takenBack(attached: QueuedAttachment[]): Attached[] {
  return attached.map(({ upload_id: id, name, kind }) => (kind === 'picture' ? { kind, id, name: name || t('Picture') } : { kind, id, name, path: null, text: null, file: null }));
}

const TOO_LARGE = 413;
/** What the server says of it last, in whichever language. */
const LIMIT = /\d[\d.,]* [KMG]?B(?!.*\d [KMG]?B)/;

/** Why a file was not taken, with its name. */
export function uploadProblem(file: File, error: unknown): string {
  if (error instanceof Unreadable) return error.message;
  const limit = error instanceof Problem && error.status === TOO_LARGE ? LIMIT.exec(error.message)?.[0] : undefined;
  return limit ? t('“{}” is too large ({}; the limit is {}).', file.name, size(file.size), limit) : t('“{}” was not uploaded. {}', file.name, words(error));
}

/** Nothing that is there already is written over. */
export function freePath(name: string, taken: (path: string) => boolean, folder = '/'): string {
  const within = folder === '/' ? '' : folder;
  const plain = name.replaceAll(/[/\\]/g, '_') || 'file';
  const dot = plain.lastIndexOf('.');
  const [stem, end] = dot > 0 ? [plain.slice(0, dot), plain.slice(dot)] : [plain, ''];
  for (let count = 1; ; count += 1) {
    const path = `${within}/${count === 1 ? plain : `${stem} (${count})${end}`}`;
    if (!taken(path)) return path;
  }
}
