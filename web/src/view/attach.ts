/** What is attached: a picture goes with the message; so does every other file that can be read, which also lies among those of the session. */
import { Problem, words } from '../api/client';
import { api } from '../api/routes';
import type { ReadText } from '../api/schema';
import type { AttachedFile } from '../store/transcript';
import { size } from '../element/time';
import { t } from '../words/words';

export type Attached =
  | { kind: 'pending'; name: string }
  | { kind: 'picture'; name: string; id: string }
  | { kind: 'file'; name: string; path: string; file: File; id: string | null; read: ReadText | null };

const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

export async function attach(session: string, file: File): Promise<Attached> {
  if (PICTURES.has(file.type)) {
    const { id, name } = await api.upload(file);
    return { kind: 'picture', name, id };
  }
  const taken = new Set((await api.files(session, '/')).items.map((one) => one.path));
  const path = freePath(file.name, (one) => taken.has(one));
  await api.putFile(session, path.slice(1), file);
  return { kind: 'file', name: file.name, path, file, ...(await readable(file)) };
}

const NO_KIND = 415;

/** The text of a file for the model. What is no document lies among the files of the session and nowhere else. */
async function readable(file: File): Promise<{ id: string | null; read: ReadText | null }> {
  try {
    // What a browser says of a file is a guess by its name; the server looks at its bytes.
    const { id, text } = await api.upload(new File([file], file.name));
    return { id, read: text ?? null };
  } catch (error) {
    if (error instanceof Problem && error.status === NO_KIND) return { id: null, read: null };
    throw error;
  }
}

/** What was read of a file, in a few words; empty where there is nothing to say. */
export function readWords(read: { parts: number; part?: string | null; problem?: string | null }): string {
  if (read.problem) return read.problem;
  const words = { page: ['{} page', '{} pages'], sheet: ['{} sheet', '{} sheets'], slide: ['{} slide', '{} slides'], chapter: ['{} chapter', '{} chapters'], section: ['{} section', '{} sections'] } as const;
  const [one, many] = words[read.part as keyof typeof words] ?? ['', ''];
  return one ? t(read.parts === 1 ? one : many, read.parts) : '';
}

/** Which part of a file the agent was told. */
export function toldWords(file: AttachedFile): string {
  if (file.problem) return file.problem;
  const whole = file.read_chars >= file.chars;
  const size = readWords(file);
  if (whole) return size;
  const part = file.parts > 1 ? t('the first {} read', file.read_parts) : t('the first {} percent read', Math.floor((100 * file.read_chars) / Math.max(file.chars, 1)));
  return [size, part].filter(Boolean).join(', ');
}

/** Says who wrote what is added to a conversation. What was just attached is put there once more, to count so as well. */
export async function sayWhose(session: string, own: boolean, attached: Attached[]): Promise<void> {
  await api.changeSession(session, { own_files: own });
  for (const one of attached) {
    if (one.kind === 'file') await api.putFile(session, one.path.slice(1), one.file);
  }
}

const TOO_LARGE = 413;

/** Why a file was not taken, with its name. */
export function uploadProblem(file: File, error: unknown): string {
  const large = error instanceof Problem && error.status === TOO_LARGE;
  return large ? t('“{}” is too large ({}). Choose a smaller file.', file.name, size(file.size)) : t('“{}” was not uploaded. {}', file.name, words(error));
}

/** Longer texts count as pasted, unless they were typed. */
export const TYPED_CHARS = 2000;

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
