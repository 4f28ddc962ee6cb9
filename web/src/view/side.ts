import { nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { words } from '../api/client';
import { api } from '../api/routes';
import type { FoundSession, Session } from '../api/schema';
import { icon } from '../element/icon';
import { LightElement } from '../element/light';
import { mark } from '../element/mark';
import { ago, dayOf } from '../element/time';
import { house } from '../store/house';
import { newSession } from './new-session';
import { go, link, type Place } from '../store/place';
import { gistOf } from '../store/gist';
import { placesFor } from '../store/role';
import { html, t } from '../words/words';
import '../element/tray';

/** The left column: conversations by day, and the other places. */
export class MjSide extends LightElement {
  static override properties = { place: { attribute: false }, search: { state: true }, found: { state: true }, menu: { state: true }, renaming: { state: true }, problem: { state: true } };
  declare place: Place;
  declare search: string;
  declare found: FoundSession[] | null;
  declare menu: string;
  declare renaming: string;
  declare problem: string;
  #asking: AbortController | null = null;
  #typing = 0;
  #minute = 0;

  constructor() {
    super();
    this.search = '';
    this.found = null;
    this.menu = '';
    this.renaming = '';
    this.problem = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow(house);
    this.follow(house.sessions);
    this.#minute = window.setInterval(() => this.requestUpdate(), 30_000);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#minute);
  }

  override render() {
    const me = house.me;
    return html`<aside class="side" aria-label="Conversations">
      <div class="brand">${mark()}<b>Majordomo</b><a class="who" href=${link('settings')} data-place="settings" title="${me?.name}, ${t(me?.role ?? '')}" aria-label="${initials(me?.name)}, ${me?.name}: your settings">${initials(me?.name)}</a></div>
      <div class="find">
        <input type="search" placeholder="Search conversations" aria-label="Search conversations" .value=${this.search} @input=${this.#search} />
        <button class="btn icon" title="New conversation (n)" aria-label="New conversation" @click=${this.#new}>${icon('plus', 15)}</button>
      </div>
      <mj-tray></mj-tray>
      <div class="list">${this.#list()}</div>
      <nav class="nav" aria-label="Pages">${placesFor(me?.role).map(([name, label]) => html`<a href=${link(name)} data-place=${name} aria-current=${this.#isAt(name) ? 'page' : nothing}>${label}</a>`)}</nav>
    </aside>`;
  }

  #isAt(name: string): boolean {
    return this.place.name === name || (name === 'agents' && this.place.name.startsWith('agent_'));
  }

  #list(): TemplateResult {
    const { sessions } = house;
    if (this.problem) return html`<p class="told empty" role="alert">${this.problem}</p>`;
    if (this.found) {
      if (this.found.length === 0) return html`<p class="empty">${t('No conversation mentions “{}”.', this.search)}</p>`;
      return html`<ul>${repeat(this.found, (one) => one.id, (one) => this.#item(one, one.match.snippet))}</ul>`;
    }
    if (!sessions.loaded) return html`<p class="empty">…</p>`;
    if (sessions.items.length === 0 && !sessions.archived) return html`<p class="empty">No conversations yet. To start one, press <kbd>n</kbd> or the plus button above.</p>${this.#archive()}`;
    const days = new Map<string, Session[]>();
    for (const session of sessions.items) days.set(dayOf(session.updated_at), [...(days.get(dayOf(session.updated_at)) ?? []), session]);
    return html`${[...days].map(([day, of]) => html`<h2 class="group">${day}</h2><ul>${repeat(of, (one) => one.id, (one) => this.#item(one))}</ul>`)}
      ${sessions.next ? html`<button class="btn ghost" @click=${() => void sessions.loadMore()}>Show older conversations</button>` : nothing} ${this.#archive()}`;
  }

  #archive(): TemplateResult {
    const { archived } = house.sessions;
    const toggle = () => (archived ? house.sessions.hideArchived() : void house.sessions.loadArchived());
    return html`<button class="btn ghost archived" aria-expanded=${archived !== null} @click=${toggle}>${icon('archive', 14)} Archived conversations</button>
      ${archived ? html`<ul>${archived.length === 0 ? html`<li class="empty">No conversation is archived.</li>` : archived.map((one) => this.#item(one))}</ul>` : nothing}`;
  }

  #item(session: Session, snippet?: string): TemplateResult {
    const on = this.place.name === session.id;
    const unread = !on && (session.last_message?.seq ?? 0) > session.read_seq;
    if (this.renaming === session.id) return this.#rename(session);
    return html`<li class="item ${on ? 'on' : ''} ${unread ? 'unread' : ''}">
      <a href=${link(session.id)} data-place=${session.id} aria-current=${on ? 'page' : nothing}>
        <span class="t"><i class="dot ${DOTS[session.status]}"></i>${session.parent_id ? html`<span class="quiet" title="Copy of another conversation">${icon('fork', 12)}</span> ` : nothing}${session.name ?? t('New conversation')}<span class="unseen">${dotWords(session.status)}${unread ? `, ${t('unread')}` : ''}</span></span>
        <time datetime=${session.updated_at}>${ago(session.updated_at)}</time>
        <span class="p">${snippet ?? (session.status === 'input_required' ? t('Needs your answer') : gistOf(session.last_message?.content ?? ''))}</span>
      </a>
      <button class="btn ghost icon more" aria-label=${t('Actions for {}', session.name ?? t('this conversation'))} aria-expanded=${this.menu === session.id} @click=${() => (this.menu = this.menu === session.id ? '' : session.id)}>${icon('dots', 15)}</button>
      ${this.menu === session.id ? this.#menu(session) : nothing}
    </li>`;
  }

  #menu(session: Session): TemplateResult {
    const act = (deed: () => Promise<void>) => () => {
      this.menu = '';
      void deed().catch((error: unknown) => (this.problem = words(error)));
    };
    const { sessions } = house;
    return html`<div class="menu" role="group" aria-label="Conversation">
      <button class="btn ghost" @click=${() => ((this.menu = ''), (this.renaming = session.id))}>Rename</button>
      ${session.archived
        ? html`<button class="btn ghost" @click=${act(() => sessions.unarchive(session.id))}>Restore</button>
            <button class="btn ghost danger" @click=${act(() => this.#remove(session))}>Delete</button>`
        : html`<button class="btn ghost" @click=${act(() => this.#putAway(session))}>Archive</button>`}
    </div>`;
  }

  async #putAway(session: Session): Promise<void> {
    await house.sessions.archive(session.id);
    house.closeTab(session.id);
  }

  async #remove(session: Session): Promise<void> {
    if (!confirm(t('Delete “{}” with all its messages and files? This cannot be undone.', session.name ?? t('New conversation')))) return;
    house.closeTab(session.id);
    await house.sessions.remove(session.id);
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

export const DOTS: Record<Session['status'], string> = { idle: '', working: 'working', input_required: 'needs', failed: 'failed' };
const DOT_WORDS: Record<Session['status'], string> = { idle: '', working: 'working', input_required: 'needs your answer', failed: 'failed' };

/** What the dot says, for those who do not see it. */
export function dotWords(status: Session['status']): string {
  return DOT_WORDS[status] && `, ${t(DOT_WORDS[status])}`;
}
customElements.define('mj-side', MjSide);
