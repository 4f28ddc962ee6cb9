/** The list of conversations: what the server has, kept in step by events and notices. */
import { api } from '../api/routes';
import { Problem, words } from '../api/client';
import type { Envelope, Folder, KeepAction, Session, SessionStatus } from '../api/schema';
import type { Notice } from '../stream/frames';
import { Observable } from './observable';

/** What comes quickly after one another is fetched once. */
const PATIENCE = 250;
/** What a person only passed is not read. */
const READ_AFTER = 1_000;
/** A little less than the server waits. */
const UNDO = 55_000;
/** What the server does at once. */
const BATCH = 100;
/** So many requests at the same time; a server has more people than one. */
const AT_ONCE = 6;

/** What was deleted, as long as it can be taken back. */
export interface Deletion {
  ids: string[];
  name: string | null;
  /** How what is no conversation comes back. */
  back?: () => Promise<void>;
}

/** What came of something that was done to several. */
export interface Left {
  /** A reply is running in them. */
  busy: string[];
  /** They are not there any more. */
  missing: string[];
}

export class Sessions extends Observable {
  items: Session[] = [];
  archived: Session[] | null = null;
  folders: Folder[] = [];
  /** Is there more in the archive than was fetched? */
  archivedNext: string | null = null;
  /** The oldest first. */
  deletions: Deletion[] = [];
  problem: string | null = null;
  loaded = false;
  next: string | null = null;
  /** Deleted while this window knew them. */
  readonly gone = new Set<string>();
  /** Those that are in no list that is shown, and may still be open. */
  readonly #apart = new Map<string, Session>();
  #soon = new Map<string, number>();
  #reading = new Map<string, number>();
  /** A folder that is not known here is asked for once. */
  readonly #unknown = new Set<string>();

  /** The server says that folders or prompts are not as they were, in whichever window or on whichever device. */
  listsChanged(): void {
    if (!this.loaded) return;
    void this.loadFolders().catch(() => undefined);
    this.promptsChanged();
    this.knowledgeChanged();
    this.schedulesChanged();
  }

  /** What agents remember was changed, here or elsewhere: what shows some of it is read again. */
  knowledgeChanged(): void {
    window.dispatchEvent(new Event('knowledge'));
  }

  schedulesChanged(): void {
    window.dispatchEvent(new Event('schedules'));
  }

  promptsChanged(): void {
    window.dispatchEvent(new Event('prompts'));
    window.dispatchEvent(new Event('prompts-elsewhere'));
  }

  async load(): Promise<void> {
    try {
      const [page, pinned, folders] = await Promise.all([api.sessions({}), api.pinnedSessions(), api.folders()]);
      this.folders = folders.items;
      // Pinned ones are shown however old they are.
      page.items.push(...pinned.items.filter((one) => !page.items.some((other) => other.id === one.id)));
      const known = new Set(page.items.map((session) => session.id));
      this.items = [...page.items, ...this.items.filter((session) => !known.has(session.id) && !session.archived)];
      this.next = page.next_cursor;
      this.problem = null;
    } catch (error) {
      this.problem = words(error);
    }
    this.loaded = true;
    this.#sorted();
  }

  async loadMore(): Promise<void> {
    if (!this.next) return;
    const page = await api.sessions({ cursor: this.next });
    this.next = page.next_cursor;
    for (const session of page.items) this.#put(session);
    this.#sorted();
  }

  /** After a lost connection: those that the server does not list were deleted or put away elsewhere, or are new. */
  async reconcile(listed: ReadonlySet<string>): Promise<void> {
    const doubtful = this.items.filter((one) => !listed.has(one.id)).map((one) => one.id);
    await inTurns(doubtful, (id) => this.#ask(id));
    if (this.archived) await this.loadArchived();
  }

  async #ask(id: string): Promise<void> {
    try {
      this.take(await api.session(id));
    } catch (error) {
      if (error instanceof Problem && error.status === 404) this.drop(id);
    }
  }

  /** All that is in a folder, however old. */
  async loadFolder(folder_id: string): Promise<void> {
    for (const session of (await api.sessionsOf(folder_id)).items) this.#put(session);
    this.#sorted();
  }

  async loadFolders(): Promise<void> {
    this.folders = (await api.folders()).items;
    this.changed();
  }

  /** Its conversations stay, and are in it again when it is taken back. What agents knew of its files is gone. */
  async removeFolder({ id, name, instructions }: Folder): Promise<void> {
    const within = (await Promise.all([false, true].map((archived) => api.sessionsOf(id, archived)))).flatMap((page) => page.items.map((one) => one.id));
    await api.deleteFolder(id);
    for (const session of this.items) if (session.folder_id === id) session.folder_id = null;
    let made: Folder | null = null;
    this.deleted(id, name, async () => {
      made ??= await api.createFolder({ name, instructions });
      await this.keepMany(within, 'move', made.id);
      await this.loadFolders();
    });
    await this.loadFolders();
  }

  /** The same for several, however many; tells which of them stayed as they were. `title` is what one of them is called afterwards. */
  async keepMany(ids: string[], action: KeepAction, folder_id: string | null = null, title: string | null = null): Promise<Left> {
    // Asked before: the server may tell this window that it is gone before it answers.
    const name = ids.length === 1 ? (title ?? this.find(ids[0]!)?.name ?? null) : null;
    const left: Left = { busy: [], missing: [] };
    const deleted: string[] = [];
    try {
      for (let at = 0; at < ids.length; at += BATCH) {
        const { items } = await api.keep({ ids: ids.slice(at, at + BATCH), action, folder_id });
        const of = (outcome: string) => items.filter((one) => one.outcome === outcome).map((one) => one.id);
        left.busy.push(...of('busy'));
        left.missing.push(...of('not_found'));
        if (action === 'delete') deleted.push(...of('done'));
        else await inTurns(of('done'), (id) => this.#ask(id));
      }
    } finally {
      // What was deleted before something went wrong can be taken back, too.
      this.#deleted(deleted, name);
    }
    if (action !== 'restore') for (const id of left.missing) this.drop(id);
    return left;
  }

  /** The server lets go of them a minute later, whether this window is open or not. */
  #deleted(ids: string[], name: string | null): void {
    if (ids.length === 0) return;
    for (const id of ids) this.drop(id);
    this.#offer({ ids, name });
  }

  /** Something else than a conversation was deleted, and `back` makes it again. */
  deleted(id: string, name: string, back: () => Promise<void>): void {
    this.#offer({ ids: [id], name, back });
  }

  #offer(deletion: Deletion): void {
    this.deletions = [...this.deletions, deletion];
    window.setTimeout(() => this.forget(deletion), UNDO);
    this.changed();
  }

  forget(deletion: Deletion): void {
    this.deletions = this.deletions.filter((one) => one !== deletion);
    this.changed();
  }

  /** Gives how many were gone for good already. What could not be asked for can be tried again. */
  async takeBack(deletion: Deletion): Promise<number> {
    const { missing } = deletion.back ? { missing: await deletion.back().then(() => []) } : await this.keepMany(deletion.ids, 'restore');
    this.forget(deletion);
    return missing.length;
  }

  async loadArchived(): Promise<void> {
    const page = await api.sessions({ archived: true });
    this.archived = page.items;
    this.archivedNext = page.next_cursor;
    this.changed();
  }

  async loadMoreArchived(): Promise<void> {
    if (!this.archivedNext || !this.archived) return;
    const page = await api.sessions({ archived: true, cursor: this.archivedNext });
    const known = new Set(this.archived.map((one) => one.id));
    this.archived = [...this.archived, ...page.items.filter((one) => !known.has(one.id))];
    this.archivedNext = page.next_cursor;
    this.changed();
  }

  hideArchived(): void {
    this.archived = null;
    this.changed();
  }

  /** The same, told in other words. */
  retold(): void {
    this.changed();
  }

  find(id: string): Session | undefined {
    return this.items.find((session) => session.id === id) ?? this.archived?.find((session) => session.id === id) ?? this.#apart.get(id);
  }

  /** One that a person opens by its address may be archived, or older than what was fetched. False when there is none. */
  async know(id: string): Promise<boolean> {
    if (this.find(id)) return true;
    if (this.gone.has(id)) return false;
    try {
      this.take(await api.session(id));
    } catch (error) {
      return !(error instanceof Problem && error.status === 404);
    }
    return true;
  }

  /** A session as the server has it now. */
  take(session: Session): void {
    this.gone.delete(session.id);
    this.#meet(session.folder_id ?? null);
    session.read_seq = Math.max(session.read_seq, this.find(session.id)?.read_seq ?? 0);
    if (session.archived || session.hidden) {
      this.#apart.set(session.id, session);
      this.items = this.items.filter((one) => one.id !== session.id);
      if (session.archived && this.archived) this.archived = [session, ...this.archived.filter((one) => one.id !== session.id)];
    } else {
      this.#apart.delete(session.id);
      if (this.archived) this.archived = this.archived.filter((one) => one.id !== session.id);
      this.#put(session);
    }
    this.#sorted();
  }

  /** It may be in a folder that another window has just made. */
  #meet(folder: string | null): void {
    if (!folder || !this.loaded || this.#unknown.has(folder) || this.folders.some((one) => one.id === folder)) return;
    this.#unknown.add(folder);
    void this.loadFolders().catch(() => this.#unknown.delete(folder));
  }

  /** Another version of a conversation is in the list instead of this one. */
  replace(id: string, by: Session): void {
    const before = this.items.find((one) => one.id === id);
    if (before) this.take({ ...before, hidden: true });
    this.take(by);
  }

  drop(id: string): void {
    this.gone.add(id);
    this.#apart.delete(id);
    this.items = this.items.filter((one) => one.id !== id);
    if (this.archived) this.archived = this.archived.filter((one) => one.id !== id);
    this.changed();
  }

  async rename(id: string, name: string): Promise<void> {
    this.take(await api.changeSession(id, { name: name || null }));
  }

  async archive(id: string): Promise<void> {
    this.take(await api.archive(id));
  }

  async unarchive(id: string): Promise<void> {
    this.take(await api.unarchive(id));
  }

  /** At once, and for good: for what no person would want back. */
  async remove(id: string): Promise<void> {
    await api.deleteSession(id);
    this.drop(id);
  }

  /** Everything up to here was seen. */
  read(id: string, seq: number): void {
    const session = this.find(id);
    if (!session || session.read_seq >= seq) return;
    session.read_seq = seq;
    this.changed();
    clearTimeout(this.#reading.get(id));
    const run = () => void api.changeSession(id, { read_seq: seq }).catch(() => undefined);
    this.#reading.set(id, window.setTimeout(run, READ_AFTER));
  }

  /** Of a session that is followed. */
  hear(event: Envelope): void {
    const status = statusOf(event);
    if (status) this.#status(event.session_id, status);
    const telling = ['user_message', 'message_complete', 'session_updated', 'turn_ended'];
    if (telling.includes(event.type)) this.#refresh(event.session_id);
  }

  /** Of a session that is not. */
  notice(notice: Notice): void {
    if (notice.event_type === 'session_deleted') return this.drop(notice.session_id);
    this.#status(notice.session_id, notice.status);
    this.#refresh(notice.session_id);
  }

  #status(id: string, status: SessionStatus): void {
    const session = this.find(id);
    if (!session || session.status === status) return;
    session.status = status;
    this.changed();
  }

  #refresh(id: string): void {
    if (this.#soon.has(id)) return;
    const run = () => {
      this.#soon.delete(id);
      void api.session(id).then((session) => this.take(session), () => undefined);
    };
    this.#soon.set(id, window.setTimeout(run, PATIENCE));
  }

  #put(session: Session): void {
    const at = this.items.findIndex((one) => one.id === session.id);
    if (at < 0) this.items = [...this.items, session];
    else this.items = this.items.with(at, session);
  }

  #sorted(): void {
    this.items = [...this.items].sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
    this.changed();
  }
}

/** For each of them, not all at the same time. */
async function inTurns<T>(items: T[], deed: (item: T) => Promise<unknown>): Promise<void> {
  const left = [...items];
  const next = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await deed(item);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, next));
}

function statusOf(event: Envelope): SessionStatus | null {
  if (event.type !== 'agent_status') return null;
  const { state } = event.data;
  return state === 'working' || state === 'input_required' || state === 'failed' ? state : 'idle';
}
