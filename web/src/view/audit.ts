import { nothing } from 'lit';
import { api } from '../api/routes';
import type { AuditView } from '../api/schema';
import { moment } from '../element/time';
import { PlaceView } from './place-view';
import { html, t } from '../words/words';

/** What was done, by whom, newest first. */
export class MjAudit extends PlaceView {
  static override properties = { ...PlaceView.properties, rows: { state: true }, next: { state: true } };
  declare rows: AuditView[];
  declare next: string | null;

  constructor() {
    super();
    this.rows = [];
    this.next = null;
  }

  protected override async load(): Promise<void> {
    const page = await api.audit(this.next ?? undefined);
    this.rows = [...this.rows, ...page.items];
    this.next = page.next_cursor;
  }

  override render() {
    return this.frame(t('Audit'), t('Logins, keys, rights and settings: who changed what. Admins see everybody’s; what people say is in nobody’s.'), html`
      <table class="table"><thead><tr><th>When</th><th>What</th><th>By</th><th>About</th></tr></thead>
        <tbody>${this.rows.map((row) => html`<tr><td><time datetime=${row.at}>${moment(row.at)}</time></td><td>${row.action.replaceAll('.', ' ').replaceAll('_', ' ')}</td><td>${row.actor}</td><td>${row.subject}${detail(row.detail)}</td></tr>`)}</tbody></table>
      ${this.rows.length === 0 ? html`<p class="empty">Nothing was done yet.</p>` : nothing}
      ${this.next ? html`<p><button class="btn" @click=${() => void this.attempt(() => this.load())}>Older</button></p>` : nothing}`);
  }
}

function detail(value: unknown) {
  const text = JSON.stringify(value);
  return text === '{}' || text === 'null' ? nothing : html`<small class="hint"> ${text}</small>`;
}
customElements.define('mj-audit', MjAudit);
