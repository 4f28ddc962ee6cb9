import { api } from '../../api/routes';
import type { LoginView } from '../../api/schema';
import { ago } from '../../element/time';
import { PlaceView, scrolling } from '../place-view';
import { deviceOf } from './device';
import { html, t } from '../../words/words';

/** Where one is signed in. */
export class MjLogins extends PlaceView {
  static override properties = { ...PlaceView.properties, logins: { state: true } };
  declare logins: LoginView[];

  constructor() {
    super();
    this.logins = [];
  }

  protected override async load(): Promise<void> {
    this.logins = (await api.logins()).items;
  }

  override render() {
    return this.frame(t('Devices'), t('Where you are signed in. Signing out a device also stops what it is running.'), html`
      ${scrolling(t('Devices'), html`<table class="table cards"><thead><tr><th>Address</th><th>Browser or program</th><th>Last seen</th><th><span class="unseen">Actions</span></th></tr></thead>
        <tbody>${this.logins.map((one) => html`<tr><td>${one.address ?? t('unknown')}</td><td data-label=${t('Browser or program')} title=${one.user_agent ?? ''}>${deviceOf(one.user_agent)}</td><td data-label=${t('Last seen')}>${ago(one.seen_at)}</td><td class="n">${one.current ? html`<span class="chip ok">this device</span>` : html`<button class="btn ghost danger" @click=${() => void this.attempt(async () => (await api.endLogin(one.id), await this.load()), t('The device was signed out.'))}>Sign out device</button>`}</td></tr>`)}</tbody></table>`)}`);
  }
}
customElements.define('mj-logins', MjLogins);
