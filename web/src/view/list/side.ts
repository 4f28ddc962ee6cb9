import { nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { words } from '../../api/client';
import { api } from '../../api/routes';
import type { Folder, FoundSession, KeepAction, Session } from '../../api/schema';
import { icon } from '../../element/icon';
import { LightElement } from '../../element/light';
import { mark } from '../../element/mark';
import { dayOf } from '../../element/time';
import { house } from '../../store/house';
import { keep, kept } from '../../store/browser-storage';
import { newSession } from './new-session';
import { go, link, type Place } from '../../store/place';
import { placesFor } from '../../store/role';
import { html, t } from '../../words/words';
import { addressOf, itemWords, type Found } from './side-item';
import '../../element/tray';

/** So much of a search is shown before a person asks for more, and so often the server looks for it. */
const PAGE = 50;
const ROUNDS = 20;

/** The left column: pinned conversations, folders, the others by day, and the other places. */
export class MjSide extends LightElement {
  static override properties = { place: { attribute: false }, search: { state: true }, found: { state: true }, searching: { state: true }, menu: { state: true }, moving: { state: true }, renaming: { state: true }, selected: { state: true }, problem: { state: true } };
  declare place: Place;
  declare search: string;
  declare found: FoundSession[] | null;
  declare searching: boolean;
  declare menu: string;
  /** Of what is in the menu it is asked where to move it. */
  declare moving: boolean;
  declare renaming: string;
  /** Those that are chosen together; null while one is opened by a click. */
  declare selected: Set<string> | null;
  declare problem: string;
  #asking: AbortController | null = null;
  #typing = 0;
  /** Where the search goes on; null when everything was looked through. */
  #next: string | null = null;
  #minute = 0;
  #open = new Set<string>();

  constructor() {
    super();
    this.search = '';
    this.found = null;
    this.searching = false;
    this.menu = '';
    this.moving = false;
    this.renaming = '';
    this.selected = null;
    this.problem = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow(house);
    this.follow(house.sessions);
    this.#open = new Set(kept<string[]>('folders', []));
    for (const id of this.#open) void house.sessions.loadFolder(id).catch(() => undefined);
    this.#minute = window.setInterval(() => this.requestUpdate(), 30_000);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#minute);
  }

  override render() {
    const me = house.me;
    return html`<aside class="side" aria-label="Conversations" @longpress=${this.#pressed} @keydown=${this.#key}>
      <div class="brand">${mark()}<b>Majordomo</b><a class="who" href=${link('settings')} data-place="settings" title="${me?.name}, ${t(me?.role ?? '')}" aria-label="${initials(me?.name)}, ${me?.name}: your settings">${initials(me?.name)}</a></div>
      <div class="find">
        <input type="search" placeholder="Search conversations" aria-label="Search conversations" .value=${this.search} @input=${this.#search} />
        <button class="btn icon" title="New conversation (n)" aria-label="New conversation" @click=${this.#new}>${icon('plus', 15)}</button>
      </div>
      <mj-tray></mj-tray>
      <div class="list">${this.problem ? html`<p class="told empty" role="alert">${this.problem} <button class="btn ghost" @click=${() => (this.problem = '')}>Close</button></p>` : nothing}${this.#list()}</div>
      ${this.#several()}
      <nav class="nav" aria-label="Pages">${placesFor(me?.role).map(([name, label]) => html`<a href=${link(name)} data-place=${name} aria-current=${this.#isAt(name) ? 'page' : nothing}>${label}</a>`)}</nav>
    </aside>`;
  }

  /** Esc closes the actions, and stops no reply. */
  #key = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !this.menu) return;
    event.stopPropagation();
    this.menu = '';
  };

  #isAt(name: string): boolean {
    return this.place.name === name || (name === 'agents' && this.place.name.startsWith('agent_'));
  }

  #list(): TemplateResult {
    const { sessions } = house;
    if (this.found) return this.#results(this.found);
    if (!sessions.loaded) return html`<p class="empty">…</p>`;
    if (sessions.items.length === 0 && !sessions.archived && sessions.folders.length === 0) return html`<p class="empty">No conversations yet. To start one, press <kbd>n</kbd> or the plus button above.</p>${this.#archive()}`;
    const pinned = sessions.items.filter((one) => one.pinned);
    const folders = new Set(sessions.folders.map((folder) => folder.id));
    const days = new Map<string, Session[]>();
    for (const session of sessions.items) {
      if (session.pinned || folders.has(session.folder_id ?? '')) continue;
      days.set(dayOf(session.updated_at), [...(days.get(dayOf(session.updated_at)) ?? []), session]);
    }
    return html`${this.#tools()} ${pinned.length > 0 ? html`<h2 class="group">Pinned</h2><ul>${repeat(pinned, (one) => one.id, (one) => this.#item(one))}</ul>` : nothing}
      ${repeat(sessions.folders, (folder) => folder.id, (folder) => this.#folder(folder))}
      ${[...days].map(([day, of]) => html`<h2 class="group">${day}</h2><ul>${repeat(of, (one) => one.id, (one) => this.#item(one))}</ul>`)}
      ${sessions.next ? html`<button class="btn ghost" @click=${() => void sessions.loadMore().catch((error: unknown) => (this.problem = words(error)))}>Show older conversations</button>` : nothing} ${this.#archive()}`;
  }

  #results(found: FoundSession[]): TemplateResult {
    const search = this.search.trim();
    const state = this.searching ? t('Searching…') : found.length > 0 ? '' : this.#next ? t('Nothing found so far for “{}”.', search) : t('No conversation mentions “{}”.', search);
    return html`<ul>${repeat(found, (one) => one.id, (one) => this.#item(one, { search: this.search, snippet: one.match.snippet, seq: one.match.seq ?? null }))}</ul>
      <p class="empty" role="status" ?hidden=${!state}>${state}</p>
      ${!this.searching && this.#next ? html`<button class="btn ghost" @click=${() => void this.#find(search, found, this.#next ?? undefined)}>${found.length > 0 ? t('Show more') : t('Search older conversations')}</button>` : nothing}`;
  }

  #tools(): TemplateResult {
    return html`<div class="tools"><button class="btn ghost" @click=${() => void this.#editFolder(null)}>${icon('folder', 13)} New folder</button><button class="btn ghost" aria-pressed=${this.selected !== null} @click=${() => (this.selected = this.selected ? null : new Set())}>${icon('list', 13)} Select</button></div>`;
  }

  #folder(folder: Folder): TemplateResult {
    const open = this.#open.has(folder.id);
    const inside = house.sessions.items.filter((one) => one.folder_id === folder.id);
    return html`<section class="folder">
      <div class="item top"><button class="name" aria-expanded=${open} @click=${() => this.#toggle(folder.id)}>${icon('folder', 14)} <span class="t">${folder.name}</span></button>
        <button class="btn ghost icon more" aria-label=${t('Actions for {}', folder.name)} aria-expanded=${this.menu === folder.id} @click=${() => this.#openMenu(folder.id)}>${icon('dots', 15)}</button>
        ${this.menu === folder.id
          ? html`<div class="menu" role="group" aria-label="Folder"><button class="btn ghost" @click=${() => ((this.menu = ''), void this.#editFolder(folder))}>Edit folder</button><button class="btn ghost" @click=${this.#act(async () => this.#newIn(folder))}>New conversation</button><button class="btn ghost danger" @click=${this.#act(() => this.#removeFolder(folder))}>Delete folder</button></div>`
          : nothing}</div>
      ${open ? html`<ul>${inside.length === 0 ? html`<li class="empty">This folder is empty.</li>` : repeat(inside, (one) => one.id, (one) => this.#item(one, undefined, folder.id))}</ul>` : nothing}
    </section>`;
  }

  #archive(): TemplateResult {
    const { archived } = house.sessions;
    const toggle = archived ? () => house.sessions.hideArchived() : this.#act(() => house.sessions.loadArchived());
    return html`<button class="btn ghost archived" aria-expanded=${archived !== null} @click=${toggle}>${icon('archive', 14)} Archived conversations</button>
      ${archived ? html`<ul>${archived.length === 0 ? html`<li class="empty">No conversation is archived.</li>` : archived.map((one) => this.#item(one))}</ul>` : nothing}
      ${archived && house.sessions.archivedNext ? html`<button class="btn ghost" @click=${this.#act(() => house.sessions.loadMoreArchived())}>Show older archived conversations</button>` : nothing}`;
  }

  /** `within`: the folder it is listed in; a pinned one is listed twice. */
  #item(session: Session, found?: Found, within = ''): TemplateResult {
    const on = this.place.name === session.id;
    const unread = !on && (session.last_message?.seq ?? 0) > session.read_seq;
    const here = within + session.id;
    if (this.renaming === here) return this.#rename(session);
    if (this.selected) return this.#choice(session, this.selected);
    const [address, place] = addressOf(session, found);
    return html`<li class="item ${on ? 'on' : ''} ${unread ? 'unread' : ''}">
      <a href=${address} data-place=${place} aria-current=${on ? 'page' : nothing}>${itemWords(session, on, found)}</a>
      <button class="btn ghost icon more" aria-label=${t('Actions for {}', session.name ?? t('this conversation'))} aria-expanded=${this.menu === here} @click=${() => this.#openMenu(here)}>${icon('dots', 15)}</button>
      ${this.menu === here ? this.#menu(session, here) : nothing}
    </li>`;
  }

  #choice(session: Session, selected: Set<string>): TemplateResult {
    const toggle = () => {
      const chosen = new Set(selected);
      if (!chosen.delete(session.id)) chosen.add(session.id);
      this.selected = chosen;
    };
    return html`<li class="item choice"><label><input type="checkbox" .checked=${selected.has(session.id)} @change=${toggle} /> <span class="words">${itemWords(session, false)}</span></label></li>`;
  }

  #openMenu(id: string): void {
    this.moving = false;
    this.menu = this.menu === id ? '' : id;
    // Below the last entry that is in sight it would be out of sight.
    void this.updateComplete.then(() => this.querySelector('.menu')?.scrollIntoView({ block: 'nearest' }));
  }

  #pressed = (event: Event): void => {
    const item = (event.target as Element).closest('.item');
    const more = item?.querySelector<HTMLElement>(':scope > .more');
    if (!more) return;
    event.preventDefault();
    if (more.ariaExpanded === 'false') more.click();
    void this.updateComplete.then(() => item?.scrollIntoView({ block: 'nearest' }));
  };

  #act(deed: () => Promise<unknown>): () => void {
    return () => {
      this.menu = '';
      this.problem = '';
      void deed().catch((error: unknown) => (this.problem = words(error)));
    };
  }

  #menu(session: Session, here: string): TemplateResult {
    const one = (action: KeepAction, folder: string | null = null) => this.#act(() => this.#keep([session.id], action, folder));
    if (this.moving) return html`<div class="menu" role="group" aria-label="Move to">${this.#targets((folder) => one('move', folder)(), session.folder_id ?? null)}</div>`;
    return html`<div class="menu" role="group" aria-label="Conversation">
      <button class="btn ghost" @click=${() => ((this.menu = ''), (this.renaming = here))}>Rename</button>
      ${session.archived
        ? html`<button class="btn ghost" @click=${one('unarchive')}>Restore</button>`
        : html`<button class="btn ghost" @click=${one(session.pinned ? 'unpin' : 'pin')}>${session.pinned ? t('Unpin') : t('Pin')}</button>
            <button class="btn ghost" @click=${() => (this.moving = true)}>Move to…</button>
            <button class="btn ghost" @click=${one('archive')}>Archive</button>`}
      <button class="btn ghost danger" @click=${one('delete')}>Delete</button>
    </div>`;
  }

  /** The folders, and none. */
  #targets(move: (folder: string | null) => void, now: string | null): TemplateResult {
    const { folders } = house.sessions;
    return html`${folders.filter((folder) => folder.id !== now).map((folder) => html`<button class="btn ghost" @click=${() => move(folder.id)}>${icon('folder', 13)} ${folder.name}</button>`)}
      ${now ? html`<button class="btn ghost" @click=${() => move(null)}>No folder</button>` : nothing}
      <button class="btn ghost" @click=${() => void this.#editFolder(null).then((folder) => folder && move(folder.id))}>${icon('plus', 13)} New folder</button>`;
  }

  /** What a person sees in the list: nothing that is in a closed folder. */
  #visible(): string[] {
    const { items, archived, folders } = house.sessions;
    if (this.found) return this.found.map((one) => one.id);
    const closed = new Set(folders.map((folder) => folder.id).filter((id) => !this.#open.has(id)));
    return [...items.filter((one) => one.pinned || !closed.has(one.folder_id ?? '')), ...(archived ?? [])].map((one) => one.id);
  }

  /** What can be done with all that are selected. */
  #several(): TemplateResult | typeof nothing {
    const { selected } = this;
    if (!selected) return nothing;
    const ids = [...selected];
    const away = ids.filter((id) => (this.found?.find((one) => one.id === id) ?? house.sessions.find(id))?.archived);
    const here = ids.filter((id) => !away.includes(id));
    const all = (action: KeepAction, of: string[], folder: string | null = null) => this.#act(() => this.#keep(of, action, folder));
    const none = ids.length === 0;
    return html`<div class="several" role="toolbar" aria-label="Selected conversations">
      <p>${t('{} selected', ids.length)}</p>
      ${this.moving
        ? html`<div class="menu">${this.#targets((folder) => all('move', here, folder)(), '')}</div>`
        : html`<button class="btn ghost" @click=${() => (this.selected = new Set(this.#visible()))}>Select all</button>
          ${away.length > 0 ? html`<button class="btn ghost" @click=${all('unarchive', away)}>Restore</button>` : nothing}
          ${here.length > 0 || none ? html`<button class="btn ghost" ?disabled=${none} @click=${all('pin', here)}>Pin</button><button class="btn ghost" ?disabled=${none} @click=${() => (this.moving = true)}>Move to…</button><button class="btn ghost" ?disabled=${none} @click=${all('archive', here)}>Archive</button>` : nothing}
          <button class="btn ghost danger" ?disabled=${none} @click=${all('delete', ids)}>Delete</button>`}
      <button class="btn ghost" @click=${() => ((this.selected = null), (this.moving = false))}>Cancel</button>
    </div>`;
  }

  async #keep(ids: string[], action: KeepAction, folder: string | null): Promise<void> {
    this.moving = false;
    const leaves = action === 'delete' || action === 'archive';
    const { busy, missing } = await house.sessions.keepMany(ids, action, folder, house.titleOf(house.sessions.find(ids[0]!) ?? this.found?.find((one) => one.id === ids[0])));
    if (leaves) for (const id of ids) if (!busy.includes(id)) house.closeTab(id);
    if (this.found) this.found = this.found.filter((one) => !missing.includes(one.id) && (action !== 'delete' || busy.includes(one.id) || !ids.includes(one.id)));
    this.selected = null;
    const told: string[] = [];
    if (busy.length > 0) told.push(t(busy.length === 1 ? '{} conversation was left as it is, because a reply is running in it.' : '{} conversations were left as they are, because replies are running in them.', busy.length));
    if (missing.length > 0) told.push(t(missing.length === 1 ? '{} conversation was deleted before, in another window.' : '{} conversations were deleted before, in another window.', missing.length));
    this.problem = told.join(' ');
  }

  #toggle(id: string): void {
    if (!this.#open.delete(id)) {
      this.#open.add(id);
      void house.sessions.loadFolder(id).catch((error: unknown) => (this.problem = words(error)));
    }
    keep('folders', [...this.#open]);
    this.requestUpdate();
  }

  async #editFolder(folder: Folder | null): Promise<Folder | null> {
    const { editFolder } = await import('./folder');
    const saved = await editFolder(folder);
    if (saved) await house.sessions.loadFolders();
    return saved;
  }

  #newIn(folder: Folder): void {
    newSession(null, folder.id);
    if (!this.#open.has(folder.id)) this.#toggle(folder.id);
  }

  async #removeFolder(folder: Folder): Promise<void> {
    // All but the files can be taken back.
    const { items: files } = await api.folderFiles(folder.id);
    if (files.length === 0 || confirm(t('Delete the folder “{}” and its files? Its conversations stay. The files cannot be restored.', folder.name))) await house.sessions.removeFolder(folder);
  }

  #rename(session: Session): TemplateResult {
    const save = (event: Event) => {
      event.preventDefault();
      const name = String(new FormData(event.currentTarget as HTMLFormElement).get('name')).trim();
      this.renaming = '';
      void house.sessions.rename(session.id, name).catch((error: unknown) => (this.problem = words(error)));
    };
    const leave = (event: KeyboardEvent) => event.key === 'Escape' && (event.stopPropagation(), (this.renaming = ''));
    return html`<li class="item"><form @submit=${save} @keydown=${leave}><input class="input" name="name" aria-label="Name of the conversation" maxlength="200" .value=${session.name ?? ''} autofocus /></form></li>`;
  }

  override updated(): void {
    this.querySelector<HTMLInputElement>('.item [autofocus]')?.focus();
  }

  #search = (event: Event): void => {
    this.search = (event.currentTarget as HTMLInputElement).value;
    clearTimeout(this.#typing);
    this.#asking?.abort();
    this.#next = null;
    const words = this.search.trim();
    this.searching = words !== '';
    this.found = words ? (this.found ?? []) : null;
    if (words) this.#typing = window.setTimeout(() => void this.#find(words, [], undefined), 200);
  };

  /** The server looks for half a second at a time; what it finds is shown at once. It goes on until there is a page more, or a person says so. */
  async #find(text: string, before: FoundSession[], cursor: string | undefined): Promise<void> {
    const asking = new AbortController();
    this.#asking = asking;
    this.searching = true;
    let found = before;
    try {
      for (let rounds = 0; rounds < ROUNDS; rounds += 1) {
        const page = await api.searchSessions(text, cursor, asking.signal);
        if (asking.signal.aborted) return;
        // Another version may have come into the list between two pieces.
        const fresh = page.items.filter((one) => !found.some((other) => other.id === one.id || (one.version_of && other.version_of === one.version_of)));
        found = [...found, ...fresh];
        this.found = found;
        this.#next = page.next_cursor;
        if (!page.next_cursor || found.length >= before.length + PAGE) break;
        cursor = page.next_cursor;
      }
    } catch (error) {
      if (asking.signal.aborted) return;
      this.problem = words(error);
    }
    this.searching = false;
  }

  #new = (): void => {
    newSession();
  };

  /** For the welcome view. */
  open(id: string): void {
    go(id);
  }
}

function initials(name = ''): string {
  return name.slice(0, 2).toUpperCase();
}
customElements.define('mj-side', MjSide);
