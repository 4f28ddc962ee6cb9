import { nothing } from 'lit';
import { api } from '../../api/routes';
import type { ApiKey, Issued, Scope } from '../../api/schema';
import { copyText } from '../../element/clipboard';
import { confirmed } from '../../element/confirm';
import { ago, date } from '../../element/time';
import { fieldsOf, PlaceView, scrolling } from '../place-view';
import { html, t } from '../../words/words';

const SCOPES: Record<Scope, string> = {
  full: 'everything you may do',
  read: 'read all your data',
  chat: 'take part in conversations',
  bridge: 'deliver messages from other people',
};

/** Keys for programs; each is shown once. */
export class MjKeys extends PlaceView {
  static override properties = { ...PlaceView.properties, keys: { state: true }, issued: { state: true } };
  declare keys: ApiKey[];
  declare issued: Issued | null;

  constructor() {
    super();
    this.keys = [];
    this.issued = null;
  }

  protected override async load(): Promise<void> {
    this.keys = (await api.keys()).items;
  }

  override render() {
    return this.frame(t('API keys'), t('Programs use these keys to work with your account.'), html`
      ${this.issued ? html`<section class="card"><header>Your new key <button class="btn push" @click=${(event: Event) => void copyText(event.currentTarget as HTMLElement, this.issued?.secret ?? '')}>Copy</button></header><div class="in"><pre tabindex="0">${this.issued.secret}</pre><p class="hint">Copy the key now. It cannot be shown again.</p></div></section>` : nothing}
      ${scrolling(t('API keys'), html`<table class="table cards"><thead><tr><th>Name</th><th>Access</th><th>Created</th><th>Expires</th><th><span class="unseen">Actions</span></th></tr></thead>
        <tbody>${this.keys.map((key) => html`<tr><td>${key.name}</td><td data-label=${t('Access')}>${t(SCOPES[key.scope])}${key.source ? ` (${key.source})` : ''}</td><td data-label=${t('Created')}>${ago(key.created_at)}</td><td data-label=${t('Expires')}>${key.expires_at ? date(key.expires_at) : t('never')}</td><td class="n"><button class="btn ghost danger" @click=${() => void this.attempt(async () => (await api.revokeKey(key.id), await this.load()), t('The key was revoked.'))}>Revoke key</button></td></tr>`)}</tbody></table>`)}
      ${this.loaded && this.keys.length === 0 ? html`<p class="empty">No API keys yet.</p>` : nothing}
      <section class="card"><header>New API key</header><form class="in" @submit=${this.#create}>
        <label class="field"><span>Name</span><input class="input" name="name" placeholder="laptop" required autocomplete="off" /></label>
        <label class="field"><span>Access</span><select class="input" name="scope">${Object.entries(SCOPES).map(([scope, does]) => html`<option value=${scope}>${t(does)}</option>`)}</select></label>
        <label class="field"><span>Bridge</span><input class="input" name="source" placeholder="telegram" autocomplete="off" /><small>Only for a key that delivers messages from other people: the name of the message service. The key can deliver messages from this service only.</small></label>
        <label class="field"><span>Expires after (days)</span><input class="input" name="days" type="number" min="1" max="3650" placeholder="never" /></label>
        <button class="btn primary">Create key</button>
      </form></section>`);
  }

  #create = (event: Event): void => {
    const form = event.currentTarget as HTMLFormElement;
    const { name = '', scope, source, days } = fieldsOf(event);
    const expires_at = days ? new Date(Date.now() + Number(days) * 86_400_000).toISOString() : null;
    void this.attempt(async () => {
      this.issued = await confirmed(() => api.createKey({ name, scope: scope as Scope, source: source || null, expires_at }));
      form.reset();
      await this.load();
    });
  };
}
customElements.define('mj-keys', MjKeys);
