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
    return this.frame(t('Audit log'), t('Sign-ins, keys, permissions and settings: who changed what. Admins see entries of all people. Conversations are never recorded here.'), html`
      <table class="table"><thead><tr><th>When</th><th>What</th><th>Who</th><th>Details</th></tr></thead>
        <tbody>${this.rows.map((row) => html`<tr><td><time datetime=${row.at}>${moment(row.at)}</time></td><td>${row.action.replaceAll('.', ' ').replaceAll('_', ' ')}</td><td>${row.actor}</td><td>${row.subject}${detail(row.detail)}</td></tr>`)}</tbody></table>
      ${this.rows.length === 0 ? html`<p class="empty">No entries yet.</p>` : nothing}
      ${this.next ? html`<p><button class="btn" @click=${() => void this.attempt(() => this.load())}>Show older entries</button></p>` : nothing}`);
  }
}

function detail(value: unknown) {
  const text = listed(value);
  return text ? html`<small class="hint"> ${text}</small>` : nothing;
}

/** `name: value, name: value`, however deep. */
function listed(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(listed).filter(Boolean).join(', ');
  if (typeof value !== 'object') return String(value);
  const parts = Object.entries(value).map(([name, one]) => [name.replaceAll('_', ' '), listed(one)]);
  return parts.filter(([, text]) => text).map((part) => part.join(': ')).join(', ');
}
customElements.define('mj-audit', MjAudit);
