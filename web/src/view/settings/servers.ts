import { nothing } from 'lit';
import { api } from '../../api/routes';
import type { HouseNode } from '../../api/schema';
import { lastedMs, moment, said } from '../../element/time';
import { PlaceView, scrolling } from '../place-view';
import { html, t } from '../../words/words';

const STATES: Record<HouseNode['status'], string> = { serving: 'runs', leaving: 'is stopping', silent: 'does not answer' };
const CHIPS: Record<HouseNode['status'], string> = { serving: 'ok', leaving: '', silent: 'bad' };
/** Less is the way to the database and back. */
const RIGHT_MS = 100;
/** Leases are short. */
const EVERY_MS = 5_000;

/** The servers that work on one database: which versions they are, and whether their clocks and leases are right. */
export class MjServers extends PlaceView {
  static override properties = { ...PlaceView.properties, servers: { state: true } };
  declare servers: HouseNode[];
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    this.servers = [];
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#timer = setInterval(() => void (document.hidden || this.attempt(() => this.load())), EVERY_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  protected override async load(): Promise<void> {
    this.servers = (await api.nodes()).items;
  }

  override render() {
    const versions = new Set(this.servers.filter((one) => one.status !== 'silent').map((one) => one.version));
    return this.frame(t('Servers'), t('The servers that work on the database of this page. Several of them need PostgreSQL.'), html`
      ${versions.size > 1 ? html`<p class="told">${t('The servers run different versions. This is meant for the time of an upgrade only: install the newest version on every machine.')}</p>` : nothing}
      ${this.servers.filter((one) => one.clock_is_off).map((one) => html`<p class="told">${t('The clock of {} is wrong. Set it with NTP. The server uses the clock of the database, but the times in its log are wrong.', one.name || one.id)}</p>`)}
      ${scrolling(t('Servers'), html`<table class="table cards"><thead><tr><th>Server</th><th>Status</th><th>Version</th><th>Running since</th><th class="n">Running replies</th><th>Clock</th><th>Other servers take over in</th></tr></thead>
        <tbody>${this.servers.map((one) => this.#row(one))}</tbody></table>`)}`);
  }

  #row(one: HouseNode) {
    return html`<tr>
      <td title=${one.id}>${one.name || one.id} ${one.is_this ? html`<span class="chip">this server</span>` : nothing}</td>
      <td data-label=${t('Status')}><span class="chip ${CHIPS[one.status]}">${t(STATES[one.status])}</span></td>
      <td data-label=${t('Version')}>${one.version}</td>
      <td data-label=${t('Running since')}>${moment(one.started_at)}</td>
      <td class="n" data-label=${t('Running replies')}>${one.running_turns}</td>
      <td data-label=${t('Clock')}>${clock(one.clock_ahead_ms)}</td>
      <td data-label=${t('Other servers take over in')}>${lease(one)}</td>
    </tr>`;
  }
}

/** Beside that of the database, which counts. */
function clock(ahead: number | null): string {
  if (ahead === null) return t('reference');
  if (Math.abs(ahead) < RIGHT_MS) return t('correct');
  return ahead > 0 ? t('{} ahead', lastedMs(ahead)) : t('{} behind', lastedMs(-ahead));
}

/** How long others leave its replies to it, or since when it was not heard. */
function lease(one: HouseNode): string {
  if (one.lease_left_ms === null) return t('not needed');
  if (one.status === 'silent') return t('last seen: {}', said(one.seen_at));
  return lastedMs(one.lease_left_ms);
}
customElements.define('mj-servers', MjServers);
