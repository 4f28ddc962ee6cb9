import { nothing } from 'lit';
import { api } from '../../api/routes';
import type { Backup } from '../../api/schema';
import { moment, size } from '../../element/time';
import { PlaceView } from '../place-view';
import { html, t } from '../../words/words';

/** Backups: one a day is made by itself. */
export class MjData extends PlaceView {
  static override properties = { ...PlaceView.properties, backups: { state: true } };
  declare backups: Backup[];

  constructor() {
    super();
    this.backups = [];
  }

  protected override async load(): Promise<void> {
    this.backups = (await api.backups()).items;
  }

  override render() {
    return this.frame(t('Data'), t('Everything is in the data directory of this machine, encrypted. Keep a copy of master.key elsewhere: without it nobody can read any of it.'), html`
      <p><button class="btn primary" @click=${() => void this.attempt(async () => (await api.createBackup(), await this.load()), t('A backup is being made and verified.'))}>Back up now</button></p>
      <table class="table"><thead><tr><th>Made</th><th>Name</th><th class="n">Size</th><th>State</th></tr></thead>
        <tbody>${this.backups.map((one) => html`<tr><td>${moment(one.made_at)}</td><td>${one.name}</td><td class="n">${size(one.bytes)}</td><td><span class="chip ${one.status === 'verified' ? 'ok' : one.status === 'damaged' ? 'bad' : ''}">${one.status}</span> ${one.problem ?? nothing}</td></tr>`)}</tbody></table>
      ${this.backups.length === 0 ? html`<p class="empty">None yet; one a day is made and verified by itself.</p>` : nothing}`);
  }
}
customElements.define('mj-data', MjData);
