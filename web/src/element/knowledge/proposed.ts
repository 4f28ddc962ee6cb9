import { nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { link } from '../../store/place';
import { LightElement } from '../light';
import './proposal';
import type { Answered } from './proposal';
import { allWaiting, type Waiting } from './waiting';
import { html, t } from '../../words/words';

/** A page that has an agent propose a lot does not fill the conversation. */
const MOST_SHOWN = 3;

/** What was proposed in a conversation and waits for its person, at its end, where no reply reaches. */
export class MjProposed extends LightElement {
  static override properties = { session: { type: String }, calls: { type: Number }, waiting: { state: true }, answered: { state: true } };
  declare session: string;
  /** How many calls have ended: with each, something may wait. */
  declare calls: number;
  declare waiting: Waiting[];
  declare answered: Answered | null;
  #asked = 0;

  constructor() {
    super();
    this.waiting = [];
    this.answered = null;
    this.addEventListener('answered', (event) => (this.answered = (event as CustomEvent<Answered>).detail));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    for (const when of ['knowledge', 'focus']) window.addEventListener(when, this.#look);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const when of ['knowledge', 'focus']) window.removeEventListener(when, this.#look);
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('session')) Object.assign(this, { waiting: [], answered: null });
    if (changed.has('session') || changed.has('calls')) this.#look();
  }

  /** Of two answers, the one that was asked for last counts. */
  #look = (): void => {
    const asked = (this.#asked += 1);
    void allWaiting().then((all) => asked === this.#asked && (this.waiting = all.filter(({ version }) => version.origin.session_id === this.session)), () => undefined);
  };

  override render() {
    const shown = this.waiting.slice(0, MOST_SHOWN);
    const left = this.waiting.length - shown.length;
    return html`${repeat(shown, ({ entry }) => entry.id, (one) => html`<mj-proposal .waiting=${one}></mj-proposal>`)}
      ${left > 0 ? html`<p><a href=${link('knowledge', 'review')} data-place="knowledge#review">${t('{} more wait for you. Review all of them.', left)}</a></p>` : nothing}
      ${this.answered?.told ? html`<p class=${this.answered.refused ? 'told' : 'hint'} role=${this.answered.refused ? 'alert' : 'status'} dir="auto">${this.answered.told}</p>` : nothing}`;
  }
}
customElements.define('mj-proposed', MjProposed);
