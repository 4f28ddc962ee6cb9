import { repeat } from 'lit/directives/repeat.js';
import type { Envelope } from '../../api/schema';
import { icon } from '../../element/icon';
import { clock, money } from '../../element/time';
import { house } from '../../store/house';
import { AsidePart } from './part';
import { describe, type Told } from './describe';
import { html, t } from '../../words/words';

const KINDS = ['all', 'turn', 'call', 'people'] as const;
/** A feed is read at its end. */
const MOST = 60;

/** The session's events as a feed that people can read; it can be filtered, and held still. */
export class MjActivity extends AsidePart {
  static override properties = { ...AsidePart.properties, kind: { state: true }, held: { state: true } };
  declare kind: (typeof KINDS)[number];
  declare held: Envelope[] | null;
  #shown: unknown[] = [];

  constructor() {
    super();
    this.kind = 'all';
    this.held = null;
  }

  protected override opened(): void {
    this.held = null;
  }

  /** Words come many times a second, events do not. */
  override shouldUpdate(changed: Map<PropertyKey, unknown>): boolean {
    if (changed.size > 0) return true;
    const { events, transcript } = this.conversation;
    const concerns = [events.length, events.at(-1)?.seq, transcript.turn?.steps, transcript.turn?.usage, transcript.turn?.working, house.agentOf(this.session)];
    const same = concerns.every((one, at) => one === this.#shown[at]);
    this.#shown = concerns;
    return !same;
  }

  override render() {
    const { turn } = this.conversation.transcript;
    const agent = house.agentOf(this.session);
    const most = agent && 'limits' in agent ? agent.limits.steps : null;
    const events = this.held ?? this.conversation.events;
    const told = events.flatMap((event): [Envelope, Told][] => {
      const words = describe(event);
      return words && (this.kind === 'all' || words.kind === this.kind) ? [[event, words]] : [];
    });
    return html`<div class="feed">
      <div class="stat"><div><b>${turn?.steps ?? 0}${most ? ` / ${most}` : ''}</b><span>steps</span></div><div><b>${money(turn?.usage.cost_microusd ?? 0)}</b><span>${turn?.working ? t('this reply') : t('last reply')}</span></div></div>
      <div class="row filter">
        <select class="input" aria-label="Show" @change=${(event: Event) => (this.kind = (event.currentTarget as HTMLSelectElement).value as typeof this.kind)}>
          <option value="all">Everything</option><option value="turn">Replies</option><option value="call">Tool calls</option><option value="people">Messages and answers</option>
        </select>
        <button class="btn ghost icon" aria-pressed=${this.held !== null} title=${this.held ? t('Resume') : t('Pause')} aria-label=${this.held ? t('Resume') : t('Pause')} @click=${() => (this.held = this.held ? null : [...this.conversation.events])}>${icon(this.held ? 'play' : 'pause', 14)}</button>
      </div>
      ${told.length === 0 ? html`<p class="empty">Steps and costs of this conversation appear here.</p>` : html`<ol>${repeat(told.slice(-MOST), ([event]) => event.seq, ([event, words]) => html`<li class="ev"><span class="k">${icon(words.icon, 11)}</span><div>${words.title}<small>${words.detail}</small></div><time datetime=${event.at}>${clock(event.at, true)}</time></li>`)}</ol>`}
    </div>`;
  }
}
customElements.define('mj-activity', MjActivity);
