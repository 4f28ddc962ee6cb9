/** What is attached: a picture goes with the message, every other file to those of the session. */
import { Problem, words } from '../api/client';
import { api } from '../api/routes';
import { size } from '../element/time';
import { t } from '../words/words';

export type Attached =
  | { kind: 'pending'; name: string }
  | { kind: 'picture'; name: string; id: string }
  | { kind: 'file'; name: string; path: string; file: File };

const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

export async function attach(session: string, file: File): Promise<Attached> {
  if (PICTURES.has(file.type)) {
    const { id, name } = await api.upload(file);
    return { kind: 'picture', name, id };
  }
  const taken = new Set((await api.files(session, '/')).items.map((one) => one.path));
  const path = freePath(file.name, (one) => taken.has(one));
  await api.putFile(session, path.slice(1), file);
  return { kind: 'file', name: file.name, path, file };
}

/** Says who wrote what is added to a conversation. What was just attached is put there once more, to count so as well. */
export async function sayWhose(session: string, own: boolean, attached: Attached[]): Promise<void> {
  await api.changeSession(session, { own_files: own });
  for (const one of attached) {
    if (one.kind === 'file') await api.putFile(session, one.path.slice(1), one.file);
  }
}

/** Models are shown pictures; a file lies among those of the session, and the words say where. */
export function together(text: string, attached: Attached[]): { content: string; pictures: string[] } {
  const pictures = attached.flatMap((one) => (one.kind === 'picture' ? one.id : []));
  const files = attached.flatMap((one) => (one.kind === 'file' ? one.path : []));
  const where = files.length > 0 ? `Attached: ${files.join(', ')}` : '';
  return { content: [text, where].filter(Boolean).join('\n\n'), pictures };
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
