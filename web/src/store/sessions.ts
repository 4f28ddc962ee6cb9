/** The list of conversations: what the server has, kept in step by events and notices. */
import { api } from '../api/routes';
import { words } from '../api/client';
import type { Envelope, Folder, KeepAction, Session, SessionStatus } from '../api/schema';
import type { Notice } from '../stream/frames';
import { Observable } from './observable';

/** What comes quickly after one another is fetched once. */
const PATIENCE = 250;
/** What a person only passed is not read. */
const READ_AFTER = 1_000;
/** A little less than the server waits. */
const UNDO = 55_000;

export class Sessions extends Observable {
  items: Session[] = [];
  archived: Session[] | null = null;
  folders: Folder[] = [];
  /** What was deleted last, as long as it can be taken back. */
  undo: { ids: string[]; name: string | null } | null = null;
  #undoing = 0;
  problem: string | null = null;
  loaded = false;
  next: string | null = null;
  /** Deleted while this window knew them. */
  readonly gone = new Set<string>();
  /** Those that are in no list that is shown, and may still be open. */
  readonly #apart = new Map<string, Session>();
  #soon = new Map<string, number>();
  #reading = new Map<string, number>();

  async load(): Promise<void> {
    try {
      const [page, pinned, folders] = await Promise.all([api.sessions({}), api.sessions({ pinned: true, limit: 100 }), api.folders()]);
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

  /** All that is in a folder, however old. */
  async loadFolder(folder_id: string): Promise<void> {
    let cursor: string | undefined;
    do {
      const page = await api.sessions({ folder_id, limit: 100, cursor });
      for (const session of page.items) this.#put(session);
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    this.#sorted();
  }

  async loadFolders(): Promise<void> {
    this.folders = (await api.folders()).items;
    this.changed();
  }

  async removeFolder(id: string): Promise<void> {
    await api.deleteFolder(id);
    for (const session of this.items) if (session.folder_id === id) session.folder_id = null;
    await this.loadFolders();
  }

  /** The same for several; gives the ids of those at work, which stayed as they were. */
  async keepMany(ids: string[], action: KeepAction, folder_id: string | null = null): Promise<string[]> {
    // Asked before: the server may tell this window that it is gone before it answers.
    const name = ids.length === 1 ? (this.find(ids[0]!)?.name ?? null) : null;
    const { items } = await api.keep({ ids, action, folder_id });
    const done = items.filter((one) => one.outcome === 'done').map((one) => one.id);
    if (action === 'delete') this.#deleted(done, name);
    else await Promise.all(done.map((id) => api.session(id).then((session) => this.take(session))));
    return items.filter((one) => one.outcome === 'busy').map((one) => one.id);
  }

  /** The server lets go of them a minute later, whether this window is open or not. */
  #deleted(ids: string[], name: string | null): void {
    if (ids.length === 0) return;
    for (const id of ids) this.drop(id);
    this.undo = { ids, name };
    clearTimeout(this.#undoing);
    this.#undoing = window.setTimeout(() => this.forgetUndo(), UNDO);
    this.changed();
  }

  forgetUndo(): void {
    clearTimeout(this.#undoing);
    this.undo = null;
    this.changed();
  }

  async takeBack(): Promise<void> {
    const ids = this.undo?.ids ?? [];
    this.forgetUndo();
    if (ids.length > 0) await this.keepMany(ids, 'restore');
  }

  async loadArchived(): Promise<void> {
    this.archived = (await api.sessions({ archived: true, limit: 100 })).items;
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

  /** One that a person opens by its address may be archived, or older than what was fetched. */
  async know(id: string): Promise<void> {
    if (!this.find(id) && !this.gone.has(id)) await api.session(id).then((session) => this.take(session), () => undefined);
  }

  /** A session as the server has it now. */
  take(session: Session): void {
    this.gone.delete(session.id);
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

function statusOf(event: Envelope): SessionStatus | null {
  if (event.type !== 'agent_status') return null;
  const { state } = event.data;
  return state === 'working' || state === 'input_required' || state === 'failed' ? state : 'idle';
}
