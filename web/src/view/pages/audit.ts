import { nothing } from 'lit';
import { api } from '../../api/routes';
import type { AuditView, User } from '../../api/schema';
import { moment } from '../../element/time';
import { house } from '../../store/house';
import { isAtLeast } from '../../store/role';
import { KINDS, listed, told } from './audit-words';
import { saveCsv } from './csv';
import { PlaceView, scrolling } from '../place-view';
import { html, t } from '../../words/words';

/** As many pages are read at once for what is rare among them. */
const MOST_PAGES = 10;
/** Lines of a file. */
const MOST_LINES = 20_000;

/** What was done, by whom, newest first. */
export class MjAudit extends PlaceView {
  static override properties = { ...PlaceView.properties, rows: { state: true }, next: { state: true }, people: { state: true }, person: { state: true }, kind: { state: true } };
  declare rows: AuditView[];
  declare next: string | null;
  declare people: User[];
  /** Only what concerns this person; empty: all of them. */
  declare person: string;
  /** Only what begins so. */
  declare kind: string;

  constructor() {
    super();
    this.rows = [];
    this.next = null;
    this.people = [];
    this.person = '';
    this.kind = '';
  }

  protected override async load(): Promise<void> {
    const users = isAtLeast(house.me?.role, 'admin') && this.people.length === 0 ? api.users().catch(() => null) : null;
    this.people = (await users)?.items ?? this.people;
    const { person, kind } = this;
    let found = 0;
    for (let pages = 0; pages < MOST_PAGES && found < 20; pages += 1) {
      const from = this.next;
      const page = await api.audit(from ?? undefined, person || undefined, 100);
      // Asked for twice, it is shown once.
      if (person !== this.person || kind !== this.kind || from !== this.next) return;
      const fits = page.items.filter((row) => row.action.startsWith(kind));
      found += fits.length;
      this.rows = [...this.rows, ...fits];
      this.next = page.next_cursor;
      if (!this.next) return;
    }
  }

  #filter(change: Partial<Pick<MjAudit, 'person' | 'kind'>>): void {
    Object.assign(this, change, { rows: [], next: null });
    void this.attempt(() => this.load());
  }

  /** What a person knows it by; only admins know who there is. */
  #name = (id: string): string | undefined => {
    const agent = house.agents.find((one) => one.id === id);
    if (agent) return house.nameOf(agent);
    const known = [...(house.me ? [house.me] : []), ...this.people].find((one) => one.id === id);
    return known?.name ?? house.sessions.find(id)?.name ?? undefined;
  };

  override render() {
    const value = (event: Event) => (event.currentTarget as HTMLSelectElement).value;
    return this.frame(t('Audit log'), t('Sign-ins, keys, permissions and settings: who changed what. Admins see entries of all people. Conversations are never recorded here.'), html`
      <div class="row filters">
        ${this.people.length > 1 ? html`<label class="field"><span>Person</span><select class="input" @change=${(event: Event) => this.#filter({ person: value(event) })}><option value="">Everyone</option>${this.people.map((person) => html`<option value=${person.id}>${person.name}</option>`)}</select></label>` : nothing}
        <label class="field"><span>What</span><select class="input" @change=${(event: Event) => this.#filter({ kind: value(event) })}>${KINDS.map(([kind, label]) => html`<option value=${kind}>${t(label)}</option>`)}</select></label>
        <button class="btn push" @click=${() => void this.attempt(() => this.#save())}>Download as CSV</button>
      </div>
      ${scrolling(t('Audit log'), html`<table class="table stacked"><thead><tr><th>When</th><th>What happened</th><th>Details</th></tr></thead>
        <tbody>${this.rows.map((row) => html`<tr><td><time datetime=${row.at}>${moment(row.at)}</time></td><td title=${row.action}>${told(row, this.#name)}</td><td><small class="hint">${listed(row.detail, this.#name)}</small></td></tr>`)}</tbody></table>`)}
      ${this.loaded && this.rows.length === 0 && !this.next ? html`<p class="empty">No entries yet.</p>` : nothing}
      ${this.next ? html`<p><button class="btn" @click=${() => void this.attempt(() => this.load())}>Show older entries</button></p>` : nothing}`);
  }

  /** Everything that fits, not only what is on the page. */
  async #save(): Promise<void> {
    const rows: AuditView[] = [];
    for (let cursor: string | undefined; rows.length < MOST_LINES; ) {
      const page = await api.audit(cursor, this.person || undefined, 100);
      rows.push(...page.items.filter((row) => row.action.startsWith(this.kind)));
      if (!page.next_cursor) break;
      cursor = page.next_cursor;
    }
    const line = (row: AuditView) => [row.at, row.action, told(row, this.#name), row.actor, row.subject, JSON.stringify(row.detail)];
    saveCsv('audit', ['at', 'action', 'sentence', 'actor', 'subject', 'details'], rows.map(line));
  }
}
customElements.define('mj-audit', MjAudit);
