import { nothing } from 'lit';
import { api } from '../api/routes';
import type { AuditView, User } from '../api/schema';
import { moment } from '../element/time';
import { house } from '../store/house';
import { isAtLeast } from '../store/role';
import { listed, readable } from './audit-words';
import { PlaceView, scrolling } from './place-view';
import { html, t } from '../words/words';

/** What was done, by whom, newest first. */
export class MjAudit extends PlaceView {
  static override properties = { ...PlaceView.properties, rows: { state: true }, next: { state: true }, people: { state: true } };
  declare rows: AuditView[];
  declare next: string | null;
  declare people: User[];

  constructor() {
    super();
    this.rows = [];
    this.next = null;
    this.people = [];
  }

  protected override async load(): Promise<void> {
    const users = isAtLeast(house.me?.role, 'admin') ? api.users().catch(() => null) : null;
    const [page, people] = await Promise.all([api.audit(this.next ?? undefined), users]);
    this.people = people?.items ?? this.people;
    this.rows = [...this.rows, ...page.items];
    this.next = page.next_cursor;
  }

  /** What a person knows it by; only admins know who there is. */
  #name = (id: string): string | undefined => {
    const known = [...(house.me ? [house.me] : []), ...this.people, ...house.agents].find((one) => one.id === id);
    return known?.name ?? house.sessions.find(id)?.name ?? undefined;
  };

  override render() {
    return this.frame(t('Audit log'), t('Sign-ins, keys, permissions and settings: who changed what. Admins see entries of all people. Conversations are never recorded here.'), html`
      ${scrolling(t('Audit log'), html`<table class="table"><thead><tr><th>When</th><th>What</th><th>Who</th><th>Details</th></tr></thead>
        <tbody>${this.rows.map((row) => html`<tr><td><time datetime=${row.at}>${moment(row.at)}</time></td><td>${row.action.replaceAll('.', ' ').replaceAll('_', ' ')}</td><td title=${row.actor}>${readable(row.actor, this.#name)}</td><td title=${row.subject}>${readable(row.subject, this.#name)}<small class="hint"> ${listed(row.detail, this.#name)}</small></td></tr>`)}</tbody></table>`)}
      ${this.loaded && this.rows.length === 0 ? html`<p class="empty">No entries yet.</p>` : nothing}
      ${this.next ? html`<p><button class="btn" @click=${() => void this.attempt(() => this.load())}>Show older entries</button></p>` : nothing}`);
  }
}
customElements.define('mj-audit', MjAudit);
