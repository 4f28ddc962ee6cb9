/** Says that a model sends nothing, so that the reader knows whether the reply still runs. */
import { nothing } from 'lit';
import { html, t } from '../words/words';
import { LightElement } from './light';

/** As long as a slow model may take without a word about it. */
const AFTER_MS = 15_000;

export class MjSilence extends LightElement {
  static override properties = { said: { attribute: false }, seconds: { state: true } };
  /** Changes whenever something comes. */
  declare said: number;
  declare seconds: number;
  #since = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    this.said = 0;
    this.seconds = 0;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#since = Date.now();
    this.#timer = setInterval(() => this.#look(), 1_000);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (!changed.has('said')) return;
    this.#since = Date.now();
    this.seconds = 0;
  }

  #look(): void {
    const silent = Date.now() - this.#since;
    this.seconds = silent < AFTER_MS ? 0 : Math.floor(silent / 5_000) * 5;
  }

  override render() {
    return this.seconds === 0 ? nothing : html`<p class="hint" role="status">${t('The model has sent nothing for {} seconds. The reply is still running; press Stop to end it.', this.seconds)}</p>`;
  }
}
customElements.define('mj-silence', MjSilence);
