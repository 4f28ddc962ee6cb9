import { nothing } from 'lit';
import { api } from '../../api/routes';
import type { Backup } from '../../api/schema';
import { moment, size } from '../../element/time';
import { PlaceView, scrolling } from '../place-view';
import { html, sentence, served, t } from '../../words/words';

const STATES: Record<Backup['status'], string> = { reading: 'being created', checking: 'being verified', restoring: 'being restored', damaged: 'damaged', verified: 'verified' };

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
    return this.frame(t('Data'), t('All data is stored encrypted in the data directory of this server. Keep a copy of the file master.key in another place. Without it, neither the data nor a backup can be read.'), html`
      <p><button class="btn primary" @click=${() => void this.attempt(async () => (await api.createBackup(), await this.load()), t('A backup is being created and verified.'))}>Create backup now</button></p>
      ${scrolling(t('Data'), html`<table class="table"><thead><tr><th>Created</th><th>Name</th><th class="n">Size</th><th>Status</th></tr></thead>
        <tbody>${this.backups.map((one) => html`<tr><td>${moment(one.made_at)}</td><td>${one.name}</td><td class="n">${size(one.bytes)}</td><td><span class="chip ${one.status === 'verified' ? 'ok' : one.status === 'damaged' ? 'bad' : ''}">${t(STATES[one.status])}</span> ${one.problem ? sentence(served(one.problem)) : nothing}</td></tr>`)}</tbody></table>`)}
      ${this.loaded && this.backups.length === 0 ? html`<p class="empty">No backups yet. One is created and verified automatically every day.</p>` : nothing}`);
  }
}
customElements.define('mj-data', MjData);
