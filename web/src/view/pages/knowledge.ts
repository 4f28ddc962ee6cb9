import { nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { api } from '../../api/routes';
import type { EntryState, KnowledgeEntry, KnowledgeStore } from '../../api/schema';
import { icon } from '../../element/icon';
import '../../element/knowledge/proposal';
import type { Answered } from '../../element/knowledge/proposal';
import { allWaiting, STORES, type Waiting } from '../../element/knowledge/waiting';
import { asWritten, brief, entryName } from '../../element/knowledge/words';
import { ago, date, moment } from '../../element/time';
import { house } from '../../store/house';
import { link } from '../../store/place';
import { PlaceView } from '../place-view';
import { EntryDraft } from './entry-draft';
import './entry-history';
import { html, t } from '../../words/words';

/** How often a person who looks sees what their agents wrote meanwhile, where nothing tells of it. */
const LOOK = 5_000;
/** Entries that are drawn at once. */
const SHOWN = 100;
/** Pages of a list that are read for a search. */
const MOST_PAGES = 20;

const TABS: [part: string, label: string][] = [
  ['memory', 'Memory'],
  ['scratchpad', 'Scratchpad'],
  ['review', 'To review'],
  ['gone', 'Gone'],
];

const ABOUT: Record<string, string> = {
  memory: 'Short facts. Your agents are told them in every conversation.',
  scratchpad: 'Longer pages. Your agents are told their titles, and read a page when they need it.',
  review: 'What agents wrote after reading words of other people, and changes of what you wrote. Your agents are told none of it until you keep it.',
  gone: 'What was deleted, discarded or has ended. Your agents are not told it. What was deleted can be restored, and all of it removed for good.',
};

const EMPTY: Record<string, string> = {
  memory: 'Nothing is remembered yet. Tell an agent “Remember that the bins go out on Tuesday”, or write it down here.',
  scratchpad: 'No pages yet. Ask an agent to write something down for later, for instance recipes that you liked, or add a page here.',
  review: 'Nothing waits for you.',
  gone: 'Nothing was deleted.',
};

/** What agents remember of this person. */
export class MjKnowledge extends PlaceView {
  static override properties = { ...PlaceView.properties, section: { type: String }, items: { state: true }, next: { state: true }, waiting: { state: true }, search: { state: true }, shown: { state: true }, draft: { state: true }, history: { state: true }, listed: { state: true }, busy: { state: true } };
  declare section: string;
  /** Of the tab that is open. */
  declare items: KnowledgeEntry[];
  /** There are more than were read. */
  declare next: boolean;
  declare waiting: Waiting[];
  declare search: string;
  declare shown: number;
  /** What is being written; null where nothing is. */
  declare draft: EntryDraft | null;
  /** The entry whose versions are shown. */
  declare history: string;
  /** The tab whose entries were read: only there an empty list is empty. */
  declare listed: string;
  declare busy: boolean;
  #timer = 0;
  #asked = 0;
  #pages = 1;
  #read = '';

  constructor() {
    super();
    Object.assign(this, { section: '', items: [], next: false, waiting: [], search: '', shown: SHOWN, draft: null, history: '', listed: '', busy: false });
    this.addEventListener('answered', (event) => this.#answered((event as CustomEvent<Answered>).detail));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    for (const when of ['knowledge', 'focus']) window.addEventListener(when, this.#look);
    // A long list is read again when something is known to have changed.
    this.#timer = window.setInterval(() => document.hidden || this.#pages > 1 || this.#look(), LOOK);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const when of ['knowledge', 'focus']) window.removeEventListener(when, this.#look);
    clearInterval(this.#timer);
  }

  get #tab(): string {
    return TABS.some(([part]) => part === this.section) ? this.section : 'memory';
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (!changed.has('section') || this.#read === this.#tab) return;
    Object.assign(this, { items: [], next: false, shown: SHOWN, search: '', draft: null, history: '', problem: '', done: '' });
    this.#pages = 1;
    this.#read = this.#tab;
    void this.attempt(() => this.load());
  }

  #look = (): void => void this.load().catch(() => undefined);

  /** Of two answers, the one that was asked for last counts. What is being written stays. */
  protected override async load(): Promise<void> {
    // Which tab is open is known with the first update.
    if (!this.#read) return;
    const asked = (this.#asked += 1);
    const tab = this.#tab;
    const lists: [KnowledgeStore, EntryState][] = tab === 'review' ? [] : tab === 'gone' ? STORES.map((store) => [store, 'gone']) : [[tab as KnowledgeStore, 'kept']];
    const [waiting, ...found] = await Promise.all([allWaiting(), ...lists.map(([store, state]) => this.#list(store, state))]);
    if (asked !== this.#asked) return;
    this.waiting = waiting;
    this.listed = tab;
    this.next = found.some((one) => one.more);
    this.items = found.flatMap((one) => one.items).sort(tab === 'gone' ? (a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at) : (a, b) => Number(b.pinned) - Number(a.pinned) || b.number - a.number);
  }

  async #list(store: KnowledgeStore, state: EntryState): Promise<{ items: KnowledgeEntry[]; more: boolean }> {
    const items: KnowledgeEntry[] = [];
    let cursor: string | null | undefined;
    for (let pages = 0; pages < this.#pages; pages += 1) {
      const page = await api.knowledge(store, state, cursor ?? undefined);
      items.push(...page.items);
      cursor = page.next_cursor;
      if (!cursor) break;
    }
    return { items, more: !!cursor };
  }

  override render() {
    const tab = this.#tab;
    const count = this.waiting.length;
    return this.frame(t('Knowledge'), t('What your agents remember of you, in all your conversations. You can change, undo and remove all of it.'), html`
      <nav class="sections knowledge-tabs" aria-label="Knowledge">${TABS.map(([part, label]) => html`<a href=${link('knowledge', part)} data-place="knowledge#${part}" aria-current=${part === tab ? 'page' : 'false'}>${t(label)}${part === 'review' && count > 0 ? ` (${count})` : nothing}</a>`)}</nav>
      <p class="quiet">${t(ABOUT[tab]!)}</p>
      ${tab === 'review' ? this.#review() : this.#entries(tab)}`);
  }

  #review(): TemplateResult {
    return html`${repeat(this.waiting, ({ entry }) => entry.id, (one) => html`<mj-proposal .waiting=${one}></mj-proposal>`)}
      ${this.listed && this.waiting.length === 0 ? html`<p class="empty">${t(EMPTY['review']!)}</p>` : nothing}`;
  }

  #entries(tab: string): TemplateResult {
    const sought = this.search.trim().toLowerCase();
    const fits = this.items.filter((one) => !sought || `${entryName(one)}\n${one.title ?? ''}\n${one.body}`.toLowerCase().includes(sought));
    const shown = fits.slice(0, this.shown);
    return html`<div class="row filters">
        <input class="input grow" type="search" placeholder="Search" aria-label="Search what is remembered" .value=${this.search} @input=${this.#search} />
        ${tab === 'gone' || this.draft?.isNew ? nothing : html`<button class="btn primary" @click=${() => this.#write(new EntryDraft(tab as KnowledgeStore))}>${tab === 'memory' ? t('Add a memory') : t('Add a page')}</button>`}
      </div>
      ${this.draft?.isNew ? html`<section class="card"><header>${tab === 'memory' ? t('New memory') : t('New page')}</header>${this.#form(this.draft)}</section>` : nothing}
      ${repeat(shown, (one) => one.id, (one) => this.#entry(one))}
      ${this.listed === tab && this.items.length === 0 && !this.draft?.isNew ? html`<p class="empty">${t(EMPTY[tab]!)}</p>` : nothing}
      ${this.items.length > 0 && fits.length === 0 ? html`<p class="empty" role="status">${t('Nothing here mentions “{}”.', this.search.trim())}</p>` : nothing}
      ${fits.length > shown.length || this.next ? html`<p><button class="btn" @click=${this.#more}>Show more</button></p>` : nothing}`;
  }

  #entry(one: KnowledgeEntry): TemplateResult {
    const name = entryName(one);
    const ended = one.state === 'kept' && this.#tab === 'gone';
    return html`<section class="card entry" aria-label=${name}>
      <header>${one.pinned ? icon('pin', 14) : nothing}<span dir="auto">${one.title ? asWritten(one.title) : name}</span>
        ${one.title ? html`<span class="hint">${name}</span>` : nothing}
        ${one.until ? html`<span class="chip">${ended ? t('ended {}', date(one.until)) : t('until {}', date(one.until))}</span>` : nothing}
        ${one.state === 'gone' && one.label.integrity === 'untrusted' ? html`<span class="chip">discarded</span>` : nothing}
        ${one.proposal ? html`<a class="chip warn" href=${link('knowledge', 'review')} data-place="knowledge#review">a change waits for you</a>` : nothing}
        <span class="push row">${one.state === 'gone' ? this.#ofGone(one, name) : this.#ofKept(one, name, ended)}</span></header>
      ${this.draft?.id === one.id ? this.#form(this.draft) : this.#words(one)}
      ${this.history === one.id ? html`<mj-entry-history class="in" .entry=${one} @back=${(event: CustomEvent<number>) => void this.#back(one, event.detail)}></mj-entry-history>` : nothing}
    </section>`;
  }

  #words(one: KnowledgeEntry): TemplateResult {
    const words = html`<div class="plain" dir="auto">${asWritten(one.body)}</div>`;
    return html`<div class="in">${one.title ? html`<details><summary>Show the page</summary>${words}</details>` : words}
      <small class="hint">${one.by_person ? t('You wrote or kept this.') : t('An agent wrote this.')} <time datetime=${one.updated_at} title=${moment(one.updated_at)}>${ago(one.updated_at)}</time></small></div>`;
  }

  #ofKept(one: KnowledgeEntry, name: string, ended: boolean): TemplateResult {
    return html`<button class="btn ghost" aria-label=${t('Edit {}', name)} ?disabled=${this.busy} @click=${() => this.#write(this.draft?.id === one.id ? null : new EntryDraft(one.store, one))}>Edit</button>
      ${ended ? nothing : html`<button class="btn ghost" aria-label=${one.pinned ? t('Unpin {}', name) : t('Pin {}', name)} title="Pinned entries are told first." ?disabled=${this.busy} @click=${() => void this.#do(() => api.changeEntry(one.id, { pinned: !one.pinned }))}>${one.pinned ? t('Unpin') : t('Pin')}</button>`}
      ${this.#historyButton(one, name)}
      <button class="btn ghost danger" aria-label=${t('Delete {}', name)} ?disabled=${this.busy} @click=${() => void this.#delete(one)}>Delete</button>`;
  }

  #ofGone(one: KnowledgeEntry, name: string): TemplateResult {
    // What was never kept was never in force: there is nothing to go back to.
    return html`${one.label.integrity === 'untrusted' ? nothing : html`<button class="btn ghost" aria-label=${t('Restore {}', name)} ?disabled=${this.busy} @click=${() => void this.#do(() => api.undoEntry(one.id, {}), t('{} was restored.', name))}>Restore</button>`}
      ${this.#historyButton(one, name)}
      <button class="btn ghost danger" aria-label=${t('Remove for good: {}', name)} ?disabled=${this.busy} @click=${() => void this.#purge(one, name)}>Remove for good</button>`;
  }

  #historyButton(one: KnowledgeEntry, name: string): TemplateResult {
    return html`<button class="btn ghost" aria-label=${t('History of {}', name)} aria-expanded=${this.history === one.id} @click=${() => (this.history = this.history === one.id ? '' : one.id)}>History</button>`;
  }

  #form(draft: EntryDraft): TemplateResult {
    const page = draft.store === 'scratchpad';
    return html`<form class="in" @submit=${(event: Event) => void this.#save(event, draft)} @keydown=${this.#leave}>
      ${page ? html`<label class="field"><span>Title</span><input class="input" name="title" required maxlength="200" autocomplete="off" dir="auto" .value=${draft.title} /><small>Your agents are told the title in every conversation.</small></label>` : nothing}
      <label class="field"><span>${page ? t('Text of the page') : t('What to remember')}</span><textarea class="input" name="body" rows=${page ? 8 : 3} required maxlength=${page ? 100000 : 2000} dir="auto" .value=${draft.body}></textarea></label>
      <label class="field"><span>Until (may stay empty)</span><input class="input day" type="date" name="until" .value=${draft.day} /><small>After this day your agents are not told it any more.</small></label>
      <p><label><input type="checkbox" name="pinned" .checked=${draft.pinned} /> Pinned: told before others</label></p>
      <div class="row"><button class="btn primary" ?disabled=${this.busy}>Save</button><button class="btn" type="button" @click=${() => this.#write(null)}>Cancel</button></div>
    </form>`;
  }

  #leave = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.stopPropagation();
    this.#write(null);
  };

  #write(draft: EntryDraft | null): void {
    this.draft = draft;
    if (draft) void this.updateComplete.then(() => this.querySelector<HTMLElement>('form .input')?.focus());
  }

  #search = (event: Event): void => {
    this.search = (event.currentTarget as HTMLInputElement).value;
    this.shown = SHOWN;
    if (!this.search.trim() || !this.next || this.#pages >= MOST_PAGES) return;
    this.#pages = MOST_PAGES;
    this.#look();
  };

  #more = (): void => {
    this.shown += SHOWN;
    if (!this.next || this.shown <= this.items.length) return;
    this.#pages += 1;
    this.#look();
  };

  #answered({ told, refused }: Answered): void {
    this.problem = refused ? told : '';
    this.done = refused ? '' : told;
    this.#look();
  }

  async #do(deed: () => Promise<unknown>, done = ''): Promise<boolean> {
    this.busy = true;
    const did = await this.attempt(deed, done);
    this.busy = false;
    await this.load().catch(() => undefined);
    return did;
  }

  /** What another window or an agent saved meanwhile is told first; what is typed here stays, and a second Save replaces the other. */
  async #save(event: Event, draft: EntryDraft): Promise<void> {
    event.preventDefault();
    draft.take(event.currentTarget as HTMLFormElement);
    const saved = await this.#do(async () => {
      const { id } = draft;
      if (!id) return void (await api.remember(draft.all(), draft.key));
      const now = await api.knowledgeEntry(id);
      if (draft.isStale(now)) {
        draft.seen(now);
        throw new Error(now.state === 'gone' ? t('This was deleted in another window. Restore it first.') : t('This was changed elsewhere meanwhile. It says “{}” there now. Save again to replace that with what you see here.', brief(now)));
      }
      await api.changeEntry(id, draft.changes());
    }, t('Saved. Your agents are told it from their next reply on.'));
    if (saved && this.draft === draft) this.draft = null;
  }

  async #delete(one: KnowledgeEntry): Promise<void> {
    const deleted = await this.#do(() => api.deleteEntry(one.id));
    if (!deleted) return;
    house.sessions.deleted(one.id, brief(one), async () => {
      await api.undoEntry(one.id, {});
      window.dispatchEvent(new Event('knowledge'));
    });
  }

  async #back(one: KnowledgeEntry, version: number): Promise<void> {
    await this.#do(() => api.undoEntry(one.id, { version }), t('{} is as it was then.', entryName(one)));
  }

  async #purge(one: KnowledgeEntry, name: string): Promise<void> {
    if (!confirm(t('Remove {} and all its versions for good? This cannot be undone.', name))) return;
    await this.#do(() => api.purgeEntry(one.id), t('{} was removed for good.', name));
  }
}
customElements.define('mj-knowledge', MjKnowledge);
