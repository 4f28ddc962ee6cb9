/**
 * What is attached: every file goes with the message, and the agent is told what it says. Where the agent works with files, it
 * lies among those of the session as well.
 */
import { Problem, words } from '../api/client';
import { api } from '../api/routes';
import type { AgentView, CapabilityView, QueuedAttachment, ReadText, Upload } from '../api/schema';
import type { AttachedFile } from '../store/transcript';
import { size } from '../element/time';
import { sentence, served, t } from '../words/words';

export type Attached =
  | { kind: 'pending'; name: string; stop?: AbortController }
  | { kind: 'picture'; name: string; id: string }
  | { kind: 'file'; name: string; id: string | null; path: string | null; text: ReadText | null; file: File | null };

const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** What a capability is marked with that has tools for the files of a session. */
const FILES = 'files';
const UNSUPPORTED = 415;

export async function attach(session: string, file: File, agent: AgentView | undefined, stop: AbortSignal): Promise<Attached> {
  return attachTo(session, file, await handIn(file, stop), agent);
}

/** Uploads a file, for whichever conversation. Null for what no message can carry: it can lie among the files of one. */
export async function handIn(file: File, stop?: AbortSignal): Promise<Upload | null> {
  // What a browser says of a file is a guess by its name; the server looks at its bytes.
  const sent = PICTURES.has(file.type) ? file : new File([file], file.name);
  return api.upload(sent, stop).catch((error: unknown) => {
    if (error instanceof Problem && error.status === UNSUPPORTED && !PICTURES.has(file.type)) return null;
    throw error;
  });
}

/** What was uploaded becomes part of a conversation: where its agent works with files, it lies among them. */
export async function attachTo(session: string, file: File, uploaded: Upload | null, agent: AgentView | undefined): Promise<Attached> {
  if (uploaded && !uploaded.text) return { kind: 'picture', name: uploaded.name, id: uploaded.id };
  const works = agent ? await worksWithFiles(agent) : false;
  // A file that the agent has no tool for would lie where the agent never looks.
  if (!works && agent && (!uploaded || uploaded.text?.problem)) throw new Unreadable(file.name, agent.name, uploaded?.text?.problem ?? '');
  const path = !uploaded || works ? await save(session, file) : null;
  return { kind: 'file', name: file.name, id: uploaded?.id ?? null, path, text: uploaded?.text ?? null, file };
}

/** Asked once for each agent as it was loaded. */
const known = new WeakMap<AgentView, Promise<boolean>>();

function worksWithFiles(agent: AgentView): Promise<boolean> {
  const asked = known.get(agent);
  if (asked) return asked;
  const ids = agent.capabilities.map((one) => (typeof one === 'string' ? one : one.id));
  const answer = api.capabilities().then(({ items }) => bringsFiles(ids, items));
  known.set(agent, answer);
  answer.catch(() => known.delete(agent));
  return answer;
}

/** A capability brings along the tools of those that it needs. */
export function bringsFiles(ids: string[], all: Pick<CapabilityView, 'id' | 'dependencies' | 'features'>[]): boolean {
  const had = new Set(ids);
  // What is added is gone through as well.
  for (const id of had) for (const needed of all.find((one) => one.id === id)?.dependencies ?? []) had.add(needed);
  return all.some((one) => had.has(one.id) && one.features.includes(FILES));
}

/** Nothing of the file can be told to the agent. */
class Unreadable extends Error {
  constructor(file: string, agent: string, why: string) {
    super([t('“{}” was not attached: {} cannot read it.', file, agent), why && sentence(served(why))].filter(Boolean).join(' '));
  }
}

async function save(session: string, file: File): Promise<string> {
  const taken = new Set((await api.files(session, '/')).items.map((one) => one.path));
  const path = freePath(file.name, (one) => taken.has(one));
  await api.putFile(session, path.slice(1), file);
  return path;
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

/** Why a file was not taken, with its name. */
export function uploadProblem(file: File, error: unknown): string {
  if (error instanceof Unreadable) return error.message;
  const large = error instanceof Problem && error.status === TOO_LARGE;
  return large ? t('“{}” is too large ({}). Choose a smaller file.', file.name, size(file.size)) : t('“{}” was not uploaded. {}', file.name, words(error));
}

/** Nothing that is there already is written over. */
export function freePath(name: string, taken: (path: string) => boolean): string {
  const plain = name.replaceAll(/[/\\]/g, '_') || 'file';
  const dot = plain.lastIndexOf('.');
  const [stem, end] = dot > 0 ? [plain.slice(0, dot), plain.slice(dot)] : [plain, ''];
  for (let count = 1; ; count += 1) {
    const path = count === 1 ? `/${plain}` : `/${stem} (${count})${end}`;
    if (!taken(path)) return path;
  }
}
