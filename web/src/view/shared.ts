import { nothing } from 'lit';
import { words } from '../api/client';
import { api } from '../api/routes';
import type { Message, SharedConversation, SharedMessage } from '../api/schema';
import { LightElement } from '../element/light';
import { noticeCard } from '../element/notice';
import '../element/reply';
import type { MjReply } from '../element/reply';
import { moment, said } from '../element/time';
import { withMessages } from '../store/reduce';
import { emptyTranscript } from '../store/transcript';
import { html, t } from '../words/words';

/** A conversation that another person shares: to be read, and nothing else. */
export class MjShared extends LightElement {
  static override properties = { secret: { type: String }, about: { state: true }, items: { state: true }, next: { state: true }, problem: { state: true } };
  declare secret: string;
  declare about: SharedConversation | null;
  declare items: SharedMessage[];
  declare next: string | null;
  declare problem: string;

  constructor() {
    super();
    this.about = null;
    this.items = [];
    this.next = null;
    this.problem = '';
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (!changed.has('secret')) return;
    this.about = null;
    this.items = [];
    void this.#load(0);
  }

  async #load(after: number): Promise<void> {
    const { secret } = this;
    this.problem = '';
    try {
      const page = await api.shared(secret, after);
      // Asked for twice, it is shown once.
      if (secret !== this.secret || after < (this.items.at(-1)?.seq ?? 0)) return;
      this.about = page;
      this.items = [...this.items, ...page.items];
      this.next = page.next_cursor ?? null;
    } catch (error) {
      this.problem = words(error);
    }
  }

  override render() {
    if (this.problem && !this.about) return html`<div class="page"><div class="wide"><h1>Shared conversation</h1><p class="told" role="alert">This link shows nothing. It was revoked, or the conversation was deleted, or the link is incomplete.</p></div></div>`;
    if (!this.about) return html`<div class="page"><p class="empty">…</p></div>`;
    const { name, shared_by, shared_at } = this.about;
    return html`<div class="page shared"><div class="wide">
      <h1>${name ?? t('Conversation')}</h1>
      <p class="quiet">${t('Shared by {} on {}. You can read it but not reply.', shared_by, moment(shared_at))}</p>
      ${this.items.map((item) => this.#message(item, shared_by))}
      ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}
      ${this.next ? html`<p><button class="btn" @click=${() => void this.#load(Number(this.next))}>Show later messages</button></p>` : nothing}
    </div></div>`;
  }

  #message(item: SharedMessage, owner: string) {
    const agent = item.role === 'assistant';
    const who = item.author ?? (agent ? t('Agent') : owner);
    return html`<article class="msg ${agent ? '' : 'user'}" aria-label="${who}, ${said(item.created_at)}"><div class="ava" aria-hidden="true">${who.slice(0, 1).toUpperCase()}</div><div>
      <div class="meta"><b>${who}</b><time datetime=${item.created_at}>${said(item.created_at)}</time></div>
      ${item.kind === 'error' || item.kind === 'limit' ? noticeCard(item.kind, item.content) : agent ? html`<div class="body" dir="auto"><mj-reply data-seq=${item.seq}></mj-reply></div>` : html`<div class="body plain" dir="auto">${item.content}</div>`}
    </div></article>`;
  }

  override updated(): void {
    for (const item of this.items) {
      if (item.role !== 'assistant') continue;
      const reply = this.querySelector<MjReply>(`mj-reply[data-seq="${item.seq}"]`);
      if (!reply || reply.childNodes.length > 0) continue;
      const message = { ...item, id: `shared_${item.seq}`, turn_id: '', parts: [], meta: {}, label: { integrity: 'untrusted', confidentiality: 'private' } } as unknown as Message;
      const transcript = withMessages(emptyTranscript(''), [message]);
      const entry = transcript.entries[0];
      if (entry) reply.show(entry, transcript);
    }
  }
}
customElements.define('mj-shared', MjShared);
