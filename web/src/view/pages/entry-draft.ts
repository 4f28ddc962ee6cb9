import type { EntryFields, KnowledgeEntry, KnowledgeStore, NewEntry } from '../../api/schema';
import { dayOfUntil, untilOfDay } from '../../element/knowledge/words';

/** An entry that is being written or changed, with what its person saw when they began. */
export class EntryDraft {
  readonly id: string;
  /** With it a request that is sent twice makes one entry. */
  readonly key = crypto.randomUUID();
  title: string;
  body: string;
  day: string;
  pinned: boolean;
  #before: KnowledgeEntry | null;

  constructor(
    readonly store: KnowledgeStore,
    entry: KnowledgeEntry | null = null,
  ) {
    this.#before = entry;
    this.id = entry?.id ?? '';
    this.title = entry?.title ?? '';
    this.body = entry?.body ?? '';
    this.day = dayOfUntil(entry?.until ?? null);
    this.pinned = entry?.pinned ?? false;
  }

  get isNew(): boolean {
    return !this.id;
  }

  take(form: HTMLFormElement): void {
    const data = new FormData(form);
    this.title = String(data.get('title') ?? '').trim();
    this.body = String(data.get('body') ?? '').trim();
    this.day = String(data.get('until') ?? '');
    this.pinned = data.get('pinned') !== null;
  }

  /** Its person has not seen what it says now. */
  isStale(now: KnowledgeEntry): boolean {
    return now.version !== this.#before?.version;
  }

  seen(now: KnowledgeEntry): void {
    this.#before = now;
  }

  all(): NewEntry {
    const { store, title, body, pinned } = this;
    return { store, body, pinned, until: untilOfDay(this.day), ...(store === 'scratchpad' && { title }) };
  }

  /** Only what is different: the hour of an end that was not touched stays. */
  changes(): EntryFields {
    const before = this.#before;
    return {
      ...(this.store === 'scratchpad' && this.title !== before?.title && { title: this.title }),
      ...(this.body !== before?.body && { body: this.body }),
      ...(this.pinned !== before?.pinned && { pinned: this.pinned }),
      ...(this.day !== dayOfUntil(before?.until ?? null) && { until: untilOfDay(this.day) }),
    };
  }
}
