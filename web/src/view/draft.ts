/** What is being written and was not sent: words, files, and the model for this message alone. */
import { keep, kept } from '../store/kept';
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
  /** For this message alone. */
  model: string | null = null;
  #busy = false;
  /** The conversation that was to begin with it, as long as it may be there without its message. */
  attempt: Attempt | null = null;

  constructor(readonly name: string) {
    super();
    this.text = kept(`draft-${name}`, '');
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
    this.model = model ?? this.model;
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
    keep(`draft-${this.name}`, text);
    this.changed();
  }
}

const drafts = new Map<string, Draft>();

export function draftOf(name: string): Draft {
  let draft = drafts.get(name);
  if (!draft) drafts.set(name, (draft = new Draft(name)));
  return draft;
}
