import { nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { words } from '../api/client';
import { api } from '../api/routes';
import type { Folder, FoundSession, KeepAction, Session } from '../api/schema';
import { icon } from '../element/icon';
import { LightElement } from '../element/light';
import { mark } from '../element/mark';
import { dayOf } from '../element/time';
import { house } from '../store/house';
import { keep, kept } from '../store/kept';
import { newSession } from './new-session';
import { go, link, type Place } from '../store/place';
import { placesFor } from '../store/role';
import { html, t } from '../words/words';
import { addressOf, itemWords, type Found } from './side-item';
import '../element/tray';

/** The left column: pinned conversations, folders, the others by day, and the other places. */
export class MjSide extends LightElement {
  static override properties = { place: { attribute: false }, search: { state: true }, found: { state: true }, menu: { state: true }, moving: { state: true }, renaming: { state: true }, selected: { state: true }, problem: { state: true } };
  declare place: Place;
  declare search: string;
  declare found: FoundSession[] | null;
  declare menu: string;
  /** Of what is in the menu it is asked where to move it. */
  declare moving: boolean;
  declare renaming: string;
  /** Those that are chosen together; null while one is opened by a click. */
  declare selected: Set<string> | null;
  declare problem: string;
  #asking: AbortController | null = null;
  #typing = 0;
  #minute = 0;
  #open = new Set<string>();

  constructor() {
    super();
    this.search = '';
    this.found = null;
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
    return html`<aside class="side" aria-label="Conversations" @longpress=${this.#pressed}>
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

  #isAt(name: string): boolean {
    return this.place.name === name || (name === 'agents' && this.place.name.startsWith('agent_'));
  }

  #list(): TemplateResult {
    const { sessions } = house;
    if (this.found) {
      if (this.found.length === 0) return html`<p class="empty">${t('No conversation mentions “{}”.', this.search)}</p>`;
      return html`<ul>${repeat(this.found, (one) => one.id, (one) => this.#item(one, { search: this.search, snippet: one.match.snippet, seq: one.match.seq ?? null }))}</ul>`;
    }
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
      ${sessions.next ? html`<button class="btn ghost" @click=${() => void sessions.loadMore()}>Show older conversations</button>` : nothing} ${this.#archive()}`;
  }

  #tools(): TemplateResult {
    return html`<div class="tools"><button class="btn ghost" @click=${() => void this.#editFolder(null)}>${icon('folder', 13)} New folder</button><button class="btn ghost" aria-pressed=${this.selected !== null} @click=${() => (this.selected = this.selected ? null : new Set())}>${icon('list', 13)} Select</button></div>`;
  }

  #folder(folder: Folder): TemplateResult {
    const open = this.#open.has(folder.id);
    const inside = house.sessions.items.filter((one) => one.folder_id === folder.id && !one.pinned);
    return html`<section class="folder">
      <div class="item top"><button class="name" aria-expanded=${open} @click=${() => this.#toggle(folder.id)}>${icon('folder', 14)} <span class="t">${folder.name}</span></button>
        <button class="btn ghost icon more" aria-label=${t('Actions for {}', folder.name)} aria-expanded=${this.menu === folder.id} @click=${() => this.#openMenu(folder.id)}>${icon('dots', 15)}</button>
        ${this.menu === folder.id
          ? html`<div class="menu" role="group" aria-label="Folder"><button class="btn ghost" @click=${() => ((this.menu = ''), void this.#editFolder(folder))}>Edit folder</button><button class="btn ghost" @click=${this.#act(async () => this.#newIn(folder))}>New conversation</button><button class="btn ghost danger" @click=${this.#act(() => this.#removeFolder(folder))}>Delete folder</button></div>`
          : nothing}</div>
      ${open ? html`<ul>${inside.length === 0 ? html`<li class="empty">This folder is empty.</li>` : repeat(inside, (one) => one.id, (one) => this.#item(one))}</ul>` : nothing}
    </section>`;
  }

  #archive(): TemplateResult {
    const { archived } = house.sessions;
    const toggle = () => (archived ? house.sessions.hideArchived() : void house.sessions.loadArchived());
    return html`<button class="btn ghost archived" aria-expanded=${archived !== null} @click=${toggle}>${icon('archive', 14)} Archived conversations</button>
      ${archived ? html`<ul>${archived.length === 0 ? html`<li class="empty">No conversation is archived.</li>` : archived.map((one) => this.#item(one))}</ul>` : nothing}`;
  }

  #item(session: Session, found?: Found): TemplateResult {
    const on = this.place.name === session.id;
    const unread = !on && (session.last_message?.seq ?? 0) > session.read_seq;
    if (this.renaming === session.id) return this.#rename(session);
    if (this.selected) return this.#choice(session, this.selected);
    const [address, place] = addressOf(session, found);
    return html`<li class="item ${on ? 'on' : ''} ${unread ? 'unread' : ''}">
      <a href=${address} data-place=${place} aria-current=${on ? 'page' : nothing}>${itemWords(session, on, found)}</a>
      <button class="btn ghost icon more" aria-label=${t('Actions for {}', session.name ?? t('this conversation'))} aria-expanded=${this.menu === session.id} @click=${() => this.#openMenu(session.id)}>${icon('dots', 15)}</button>
      ${this.menu === session.id ? this.#menu(session) : nothing}
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

  #menu(session: Session): TemplateResult {
    const one = (action: KeepAction, folder: string | null = null) => this.#act(() => this.#keep([session.id], action, folder));
    if (this.moving) return html`<div class="menu" role="group" aria-label="Move to">${this.#targets((folder) => one('move', folder)(), session.folder_id ?? null)}</div>`;
    return html`<div class="menu" role="group" aria-label="Conversation">
      <button class="btn ghost" @click=${() => ((this.menu = ''), (this.renaming = session.id))}>Rename</button>
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

  /** What can be done with all that are selected. */
  #several(): TemplateResult | typeof nothing {
    const { selected } = this;
    if (!selected) return nothing;
    const ids = [...selected];
    const all = (action: KeepAction, folder: string | null = null) => this.#act(() => this.#keep(ids, action, folder));
    return html`<div class="several" role="toolbar" aria-label="Selected conversations">
      <p>${t('{} selected', ids.length)}</p>
      ${this.moving
        ? html`<div class="menu">${this.#targets((folder) => all('move', folder)(), '')}</div>`
        : html`<button class="btn ghost" ?disabled=${ids.length === 0} @click=${all('pin')}>Pin</button><button class="btn ghost" ?disabled=${ids.length === 0} @click=${() => (this.moving = true)}>Move to…</button><button class="btn ghost" ?disabled=${ids.length === 0} @click=${all('archive')}>Archive</button><button class="btn ghost danger" ?disabled=${ids.length === 0} @click=${all('delete')}>Delete</button>`}
      <button class="btn ghost" @click=${() => ((this.selected = null), (this.moving = false))}>Cancel</button>
    </div>`;
  }

  async #keep(ids: string[], action: KeepAction, folder: string | null): Promise<void> {
    this.moving = false;
    const leaves = action === 'delete' || action === 'archive';
    const busy = await house.sessions.keepMany(ids, action, folder);
    if (leaves) for (const id of ids) if (!busy.includes(id)) house.closeTab(id);
    if (this.found) this.found = this.found.filter((one) => action !== 'delete' || busy.includes(one.id) || !ids.includes(one.id));
    this.selected = null;
    if (busy.length > 0) this.problem = t(busy.length === 1 ? '{} conversation was left as it is, because a reply is running in it.' : '{} conversations were left as they are, because replies are running in them.', busy.length);
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
    if (confirm(t('Delete the folder “{}”? Its conversations stay.', folder.name))) await house.sessions.removeFolder(folder.id);
  }

  #rename(session: Session): TemplateResult {
    const save = (event: Event) => {
      event.preventDefault();
      const name = String(new FormData(event.currentTarget as HTMLFormElement).get('name')).trim();
      this.renaming = '';
      void house.sessions.rename(session.id, name).catch((error: unknown) => (this.problem = words(error)));
    };
    const leave = (event: KeyboardEvent) => event.key === 'Escape' && (this.renaming = '');
    return html`<li class="item"><form @submit=${save} @keydown=${leave}><input class="input" name="name" aria-label="Name of the conversation" maxlength="200" .value=${session.name ?? ''} autofocus /></form></li>`;
  }

  override updated(): void {
    this.querySelector<HTMLInputElement>('.item [autofocus]')?.focus();
  }

  #search = (event: Event): void => {
    this.search = (event.currentTarget as HTMLInputElement).value;
    clearTimeout(this.#typing);
    this.#asking?.abort();
    const words = this.search.trim();
    if (!words) {
      this.found = null;
      return;
    }
    this.#typing = window.setTimeout(() => void this.#find(words), 200);
  };

  /** The server looks for half a second at a time; what it finds is shown at once. */
  async #find(text: string): Promise<void> {
    const asking = new AbortController();
    this.#asking = asking;
    const found: FoundSession[] = [];
    try {
      for (let cursor: string | undefined, rounds = 0; rounds < 20; rounds += 1) {
        const page = await api.searchSessions(text, cursor, asking.signal);
        found.push(...page.items);
        if (asking.signal.aborted) return;
        this.found = [...found];
        if (!page.next_cursor || found.length >= 50) return;
        cursor = page.next_cursor;
      }
    } catch (error) {
      if (!asking.signal.aborted) this.problem = words(error);
    }
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
