import { nothing } from 'lit';
import { api } from '../api/routes';
import { Problem, words } from '../api/client';
import type { Question } from '../api/schema';
import { house } from '../store/house';
import { Attention } from './attention';
import { icon } from './icon';
import { LightElement } from './light';
import { html, t } from '../words/words';

/**
 * A question of an agent, which waits for its person: its options, other words, and how much time is left. Like an approval it takes
 * no press before its person can have read it; words that were typed into it were meant for it.
 */
export class MjQuestion extends LightElement {
  static override properties = { question: { attribute: false } };
  declare question: Question;
  #timer = 0;
  #busy = false;
  #problem = '';
  #attention = this.#unread();

  override connectedCallback(): void {
    super.connectedCallback();
    this.#timer = window.setInterval(() => this.question?.mode === 'timeout' && this.requestUpdate(), 1_000);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#timer);
    this.#forget();
  }

  /** Another question in its place is unread again. */
  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    const before = changed.get('question') as Question | undefined;
    if (before && before.id !== this.question.id) this.#forget();
  }

  override updated(): void {
    if (this.question.status !== 'pending') this.#forget();
    // Its last row: options may be higher than the screen, and who has seen the row below them has seen them.
    else if (this.isConnected) this.#attention.follow([this.querySelector('header'), this.querySelector('.row.words')]);
  }

  #unread(): Attention {
    return new Attention(this, () => this.requestUpdate());
  }

  #forget(): void {
    this.#attention.end();
    this.#attention = this.#unread();
  }

  /** Its person cannot have read it yet, or the answer is on its way already. */
  get #deaf(): boolean {
    return this.#busy || !this.#attention.awake;
  }

  override render() {
    const { question, status, answer } = this.question;
    if (status !== 'pending') {
      const how = t({ answered: 'answered', expired: 'not answered in time', withdrawn: 'no longer needed' }[status]);
      return html`<section class="card question settled">
        <header>${icon('question', 15)} Question <span class="push">${how}</span></header>
        <div class="in"><p>${question}</p>${answer ? html`<p><span class="prompt answered">${answer}</span></p>` : nothing}</div>
      </section>`;
    }
    return html`<section class="card question">
      <header>${icon('question', 15)} The agent asks you <span class="push">${this.#left()}</span></header>
      <form class="in" @submit=${this.#submit}>
        <p>${question}</p>
        <div class="row">
          ${this.question.options.map((option) => html`<button class="btn" type="button" ?disabled=${this.#deaf} @click=${() => this.#choose(option)}>${option}</button>`)}
        </div>
        <div class="row words"><input class="input" name="words" aria-label="Answer in your own words" placeholder="Your own answer" autocomplete="off" /><button class="btn primary" ?disabled=${this.#busy}>Send answer</button></div>
        ${this.#attention.hidden && this.question.options.length > 0 ? html`<p class="hint">Scroll until you have seen the whole question. Then you can choose an answer.</p>` : nothing}
        ${this.#problem ? html`<p class="told" role="alert">${this.#problem}</p>` : nothing}
      </form>
    </section>`;
  }

  #left(): string {
    const { mode, timeout_ms, created_at } = this.question;
    if (mode !== 'timeout' || timeout_ms === null) return '';
    const seconds = Math.max(0, Math.ceil((Date.parse(created_at) + timeout_ms - Date.now()) / 1_000));
    const otherwise = this.question.default;
    const left = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    return otherwise ? t('{} left, then your answer is “{}”', left, otherwise) : t('{} left', left);
  }

  #choose(option: string): void {
    if (!this.#deaf) void this.#answer(option);
  }

  #submit = (event: Event): void => {
    event.preventDefault();
    const said = String(new FormData(event.currentTarget as HTMLFormElement).get('words') ?? '').trim();
    if (said) void this.#answer(said);
  };

  async #answer(answer: string): Promise<void> {
    this.#attention.decided();
    this.#busy = true;
    this.#problem = '';
    this.requestUpdate();
    try {
      await api.answerQuestion(this.question.id, answer);
      void house.loadWaiting();
    } catch (error) {
      // It was answered elsewhere meanwhile; the event says by whom.
      if (!(error instanceof Problem && error.status === 409)) this.#problem = words(error);
    }
    this.#busy = false;
    this.requestUpdate();
  }
}
customElements.define('mj-question', MjQuestion);
