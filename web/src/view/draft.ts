/** What is being written and was not sent: words, files, and the model for this message alone. */
import { words } from '../api/client';
import { api } from '../api/routes';
import { house } from '../store/house';
import { keep, kept, own } from '../store/browser-storage';
import { Observable } from '../store/observable';
import { Untyped } from '../store/untyped';
import type { Attached } from './attach';
import type { Attempt } from './first';

/** One for each conversation, and one for the next. The browser keeps its words; its files are this window's. */
export class Draft extends Observable {
  text: string;
  untyped: Untyped;
  /** Uploaded, or on their way. */
  #uploads: Attached[] = [];
  /** Chosen, and nothing of them is stored yet. */
  #files: File[] = [];
  /** For this message alone; where none is sent yet, for the conversation. */
  #model: string | null = null;
  /** The person says that they wrote the files and long texts. Where a conversation has begun, that is asked of it. */
  own = false;
  /** The conversation that begins with it is told what the agent remembers. */
  memory = true;
  #busy = false;
  /** The conversation that was to begin with it, as long as it may be there without its message. */
  attempt: Attempt | null = null;

  constructor(readonly name: string) {
    super();
    this.text = written(name);
    this.untyped = new Untyped(this.text);
  }

  get uploads(): Attached[] {
    return this.#uploads;
  }

  set uploads(uploads: Attached[]) {
    this.#uploads = uploads;
    this.changed();
  }

  get files(): File[] {
    return this.#files;
  }

  set files(files: File[]) {
    this.#files = files;
    this.changed();
  }

  get model(): string | null {
    return this.#model;
  }

  set model(model: string | null) {
    this.#model = model;
    this.changed();
  }

  /** It is on its way, whatever place is shown meanwhile. */
  get busy(): boolean {
    return this.#busy;
  }

  set busy(busy: boolean) {
    this.#busy = busy;
    this.changed();
  }

  /** Nothing is written there that would be in the way. */
  get free(): boolean {
    return !this.text;
  }

  /** What one event of a field made of the words. */
  write(text: string, how = ''): void {
    this.untyped.note(text, how);
    this.#set(text);
  }

  /** What was sent comes back, behind what is being written by now. */
  takeBack(text: string, uploads: Attached[], model: string | null): void {
    const all = [this.text, text].filter(Boolean).join('\n\n');
    this.untyped.put(all);
    this.#uploads = [...this.#uploads, ...uploads];
    this.#model = model ?? this.#model;
    this.#set(all);
  }

  /** These words were sent, with these files: what was written and added since then stays. */
  sent(words: string, files: readonly (Attached | File)[] = []): void {
    const text = this.text.trim();
    const rest = text.startsWith(words) ? text.slice(words.length).trimStart() : text;
    this.#uploads = this.#uploads.filter((one) => !files.includes(one));
    this.#files = this.#files.filter((one) => !files.includes(one));
    this.untyped = new Untyped(rest);
    this.#set(rest);
  }

  clear(): void {
    this.untyped = new Untyped();
    this.#uploads = [];
    this.#files = [];
    this.#set('');
  }

  #set(text: string): void {
    this.text = text;
    keep(own('draft', this.name), text);
    this.changed();
  }
}

const drafts = new Map<string, Draft>();

export function draftOf(name: string): Draft {
  let draft = drafts.get(name);
  if (!draft) drafts.set(name, (draft = new Draft(name)));
  return draft;
}

/** The words of a draft, whether or not it was begun in this window. */
export function written(name: string): string {
  return drafts.get(name)?.text ?? kept(own('draft', name), '');
}

/** What is being written goes along to another version of the conversation, behind what is written there. */
export function moveDraft(from: string, to: string): void {
  const [old, now] = [draftOf(from), draftOf(to)];
  const { text, untyped, uploads } = old;
  const { free } = now;
  now.takeBack(text, uploads, old.model);
  if (free) now.untyped = untyped;
  old.clear();
  old.model = null;
  for (const one of uploads) if (one.kind === 'file' && one.path && one.file) void lay(to, one.path, one.file);
}

/** A file that lies among those of one version lies among those of another. What is there already stays. */
async function lay(session: string, path: string, file: File): Promise<void> {
  try {
    const { items } = await api.files(session, '/');
    if (!items.some((one) => one.path === path)) await api.putFile(session, path.slice(1), file);
  } catch (error) {
    house.complain(words(error));
  }
}

/** A file that was on its way has come, or will not, wherever it is written in by now. False where it was removed meanwhile. */
export function arrived(waiting: Attached, from: string, come: Attached | null): boolean {
  for (const draft of drafts.values()) {
    const at = draft.uploads.indexOf(waiting);
    if (at < 0) continue;
    draft.uploads = draft.uploads.toSpliced(at, 1, ...(come ? [come] : []));
    if (draft.name !== from && come?.kind === 'file' && come.path && come.file) void lay(draft.name, come.path, come.file);
    return true;
  }
  return false;
}
