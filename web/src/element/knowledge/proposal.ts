import { nothing, type TemplateResult } from 'lit';
import { Problem, words } from '../../api/client';
import { api } from '../../api/routes';
import type { EntryReview } from '../../api/schema';
import { Attention } from '../attention';
import { icon } from '../icon';
import { LightElement } from '../light';
import { date } from '../time';
import './origin';
import type { Waiting } from './waiting';
import { asWritten, brief, entryName, proposalTitle, whyWaits } from './words';
import { html, t } from '../../words/words';

/** What became of an answer, for those who show the list of what waits. */
export interface Answered {
  told: string;
  /** The answer was not used. */
  refused: boolean;
}

/**
 * What an agent wants to remember, change or forget, and only its person decides. THREAT[page-04]: it is drawn from the server's data
 * alone, as text, outside of every reply; and the answer names the version that is shown (THREAT[memory-02]).
 */
export class MjProposal extends LightElement {
  static override properties = { waiting: { attribute: false }, problem: { state: true }, busy: { state: true }, editing: { state: true } };
  declare waiting: Waiting;
  declare problem: string;
  declare busy: boolean;
  declare editing: boolean;
  #attention = new Attention(this, () => this.requestUpdate());
  #shown = '';

  constructor() {
    super();
    this.problem = '';
    this.busy = false;
    this.editing = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.#watch();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#attention.end();
  }

  override firstUpdated(): void {
    this.#watch();
  }

  /** Other words than those that were in view: its person has not read them. */
  override willUpdate(): void {
    const shown = `${this.waiting.entry.id}/${this.waiting.version.version}`;
    if (this.#shown && this.#shown !== shown) {
      this.editing = false;
      this.#renew();
      void this.updateComplete.then(() => this.isConnected && this.#follow());
    }
    this.#shown = shown;
  }

  #watch(): void {
    this.#renew();
    this.#follow();
  }

  #renew(): void {
    this.#attention.end();
    this.#attention = new Attention(this, () => this.requestUpdate());
  }

  #follow(): void {
    this.#attention.follow([this.querySelector('header'), this.querySelector('.row')]);
  }

  get #deaf(): boolean {
    return this.busy || !this.#attention.awake;
  }

  override render() {
    const { entry, version } = this.waiting;
    const title = proposalTitle(entry, version);
    const changes = entry.state === 'kept' && version.action === 'write';
    return html`<section class="card approve proposal" aria-label="${title} ${entryName(entry)}">
      <header>${icon('brain', 15)} ${title} <span class="push">${entryName(entry)}</span></header>
      <div class="in">
        ${changes ? html`<p class="what">It says now</p>${wordsOf(entry)}<p class="what">It would say</p>` : nothing}
        ${wordsOf(version)}
        ${version.until ? html`<p class="hint">${t('It would end by itself: {}', date(version.until))}</p>` : nothing}
        <p>${whyWaits(version)}</p>
        <p class="hint"><mj-origin .origin=${version.origin}></mj-origin></p>
        ${this.editing ? this.#form() : this.#buttons(version.action === 'delete')}
        ${this.#attention.hidden ? html`<p class="hint">Scroll until you have seen all of it. Then you can answer.</p>` : nothing}
        ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}
      </div>
    </section>`;
  }

  #buttons(deletes: boolean): TemplateResult {
    const answer = (decision: 'keep' | 'discard') => () => void this.#answer({ version: this.waiting.version.version, decision });
    const name = entryName(this.waiting.entry);
    return html`<div class="row">
      <button class="btn primary" ?disabled=${this.#deaf} aria-label="${deletes ? t('Delete {}', name) : t('Keep {}', name)}" @click=${answer('keep')}>${deletes ? t('Delete') : t('Keep')}</button>
      ${deletes ? nothing : html`<button class="btn" ?disabled=${this.#deaf} aria-label=${t('Edit and keep {}', name)} @click=${this.#edit}>Edit and keep</button>`}
      <button class="btn ghost" ?disabled=${this.#deaf} aria-label="${deletes ? t('Do not delete {}', name) : t('Discard {}', name)}" @click=${answer('discard')}>${deletes ? t('Do not delete') : t('Discard')}</button>
    </div>`;
  }

  #form(): TemplateResult {
    const { entry, version } = this.waiting;
    return html`<form @submit=${this.#save}>
      ${entry.store === 'scratchpad' ? html`<label class="field"><span>Title</span><input class="input" name="title" required maxlength="200" autocomplete="off" dir="auto" .value=${version.title ?? ''} /></label>` : nothing}
      <label class="field"><span>Your words</span><textarea class="input" name="body" required maxlength=${entry.store === 'memory' ? 2000 : 100000} rows="4" dir="auto" .value=${version.body}></textarea><small>They are kept instead of what the agent wrote.</small></label>
      <div class="row"><button class="btn primary" ?disabled=${this.busy}>Keep these words</button><button class="btn" type="button" @click=${() => (this.editing = false)}>Cancel</button></div>
    </form>`;
  }

  #edit = (): void => {
    this.editing = true;
    void this.updateComplete.then(() => this.querySelector('textarea')?.focus());
  };

  #save = (event: Event): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const title = data.get('title');
    const review: EntryReview = { version: this.waiting.version.version, decision: 'keep', body: String(data.get('body')) };
    void this.#answer(title === null ? review : { ...review, title: String(title) });
  };

  async #answer(review: EntryReview): Promise<void> {
    if (this.busy || (!this.editing && this.#deaf)) return;
    this.#attention.decided();
    this.busy = true;
    this.problem = '';
    const { entry, version } = this.waiting;
    const name = entryName(entry);
    try {
      const now = await api.reviewEntry(entry.id, review);
      const discarded = review.decision === 'discard';
      this.editing = false;
      if (version.action === 'delete') this.#tell(discarded ? t('{} was not deleted.', name) : t('{} was deleted.', name));
      else this.#tell(discarded ? t('{} was discarded. Your agents are not told it.', name) : t('Remembered from now on: “{}”', brief(now)));
    } catch (error) {
      await this.#refused(error);
    }
    this.busy = false;
  }

  /** What was answered is not what waits: it was answered before, or another version came. */
  async #refused(error: unknown): Promise<void> {
    const isStale = error instanceof Problem && (error.code === 'entry_changed' || error.status === 404);
    if (!isStale) return void (this.problem = words(error));
    const now = await api.knowledgeEntry(this.waiting.entry.id).catch(() => null);
    if (now?.proposal) {
      this.problem = t('The agent changed this while you looked at it, so your answer was not used. This is the newest version.');
      return this.#tell('', true);
    }
    if (now?.state === 'kept') return this.#tell(t('This was answered in another window already, so your answer was not used. It says now: “{}”', brief(now)), true);
    this.#tell(t('This was answered in another window already, so your answer was not used. It is not remembered.'), true);
  }

  /** The list of what waits says so, because this card is gone by then. */
  #tell(told: string, refused = false): void {
    this.dispatchEvent(new CustomEvent<Answered>('answered', { detail: { told, refused }, bubbles: true }));
    window.dispatchEvent(new Event('knowledge'));
  }
}

/** The words of others: text, and nothing else. */
function wordsOf({ title, body }: { title?: string | null; body: string }): TemplateResult {
  return html`${title ? html`<p class="plain" dir="auto"><b>${asWritten(title)}</b></p>` : nothing}<div class="plain entry-words" tabindex="0" role="group" aria-label="Words" dir="auto">${asWritten(body)}</div>`;
}
customElements.define('mj-proposal', MjProposal);
