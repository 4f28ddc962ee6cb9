import { nothing } from 'lit';
import { words } from '../api/client';
import { api } from '../api/routes';
import type { RuleScope } from '../api/schema';
import type { Approval } from '../store/transcript';
import { Attention } from './attention';
import { confirmed } from './confirm';
import { icon } from './icon';
import { LightElement } from './light';
import { approvalLasts, approvalPlace, approvalTitle } from '../words/approval';
import { html, sentence, served, t } from '../words/words';

const WORDS = { approved: 'approved', denied: 'denied', expired: 'not answered in time, so it was denied' };
const RISKS = { safe: 'low risk', moderate: 'medium risk', dangerous: 'high risk' };

/** What is run stands by itself, as it would be typed. */
const COMMANDS = new Set(['command', 'code', 'sql', 'script']);

/**
 * Something an agent may do only when its person approves it. THREAT[page-04]: it is drawn from the server's data alone, at
 * the edge of the column where no reply reaches, so that a reply cannot look like it. Arguments are shown as the server
 * spells them, all of them and whole: what could mislead the eye is written out.
 */
export class MjApproval extends LightElement {
  static override properties = { approval: { attribute: false }, problem: { state: true }, busy: { state: true } };
  declare approval: Approval;
  declare problem: string;
  declare busy: boolean;
  #attention = new Attention(this, () => this.requestUpdate());

  constructor() {
    super();
    this.problem = '';
    this.busy = false;
    this.addEventListener('decide', (event) => void this.#decide((event as CustomEvent<'approve' | 'deny'>).detail, 'once'));
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

  #watch(): void {
    this.#attention = new Attention(this, () => this.requestUpdate());
    this.#attention.follow([this.querySelector('header'), this.querySelector('.row')]);
  }

  /** Its person cannot have read it yet, or the answer is on its way already. */
  get #deaf(): boolean {
    return this.busy || !this.#attention.awake;
  }

  /** Its person can have read it. */
  get awake(): boolean {
    return !this.#deaf;
  }

  /** Decides it this once, as its buttons do; what is deaf stays as it is. */
  decide(decision: 'approve' | 'deny'): Promise<void> {
    return this.#decide(decision, 'once');
  }

  /** What is written beside it depends on whether it takes an answer. */
  override updated(): void {
    this.dispatchEvent(new Event('attention', { bubbles: true }));
  }

  override render() {
    const { tool, shown, danger, why, status } = this.approval;
    if (status !== 'pending') {
      return html`<section class="card approve settled"><header>${icon('lock', 15)} ${tool} <span class="push">${t(WORDS[status])}</span></header></section>`;
    }
    return html`<section class="card approve" aria-label=${approvalTitle(this.approval)}>
      <header>${icon('alert', 15)} ${approvalTitle(this.approval)} <span class="push">${t(RISKS[danger])} · ${this.#left()}</span></header>
      <div class="in">
        ${shown.filter(({ name }) => COMMANDS.has(name)).map(({ name, value }) => html`<div class="term" aria-label=${name}><pre tabindex="0">${name === 'command' ? html`<b>$</b> ` : nothing}${value}</pre></div>`)}
        <dl class="facts">
          <dt>Tool</dt><dd><code>${tool}</code></dd>
          ${shown.filter(({ name }) => !COMMANDS.has(name)).map(({ name, value }) => html`<dt><code>${name}</code></dt><dd><pre>${value}</pre></dd>`)}
          ${shown.length === 0 ? html`<dt>Input</dt><dd>none</dd>` : nothing}
          <dt>Where</dt><dd>${approvalPlace(this.approval)}</dd>
          <dt>Why asked</dt><dd>${why.map(served).map(sentence).join(' ') || t('This tool always needs your approval.')}</dd>
          <dt>How long</dt><dd>${approvalLasts(this.approval).map((line) => html`<div>${line}</div>`)}</dd>
        </dl>
        <div class="row">
          <button class="btn primary" ?disabled=${this.#deaf} @click=${() => void this.#decide('approve', 'once')}>Approve once <kbd>a</kbd></button>
          ${this.#scope('session', this.#here())} ${this.#scope('always', t('Always approve exactly this'))}
          <button class="btn ghost" ?disabled=${this.#deaf} @click=${() => void this.#decide('deny', 'once')}>Deny <kbd>d</kbd></button>
        </div>
        ${this.#attention.hidden ? html`<p class="hint">Scroll until you have seen the whole request. Then you can approve or deny it.</p>` : nothing}
        ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}
      </div>
    </section>`;
  }

  /** Only where the server lets an approval hold for longer. */
  #scope(scope: RuleScope, label: string) {
    if (!this.approval.scopes.includes(scope)) return nothing;
    return html`<button class="btn" ?disabled=${this.#deaf} @click=${() => void this.#decide('approve', scope)}>${label}</button>`;
  }

  /** An address is allowed with its host, and with no other. */
  #here(): string {
    return this.approval.host ? t('Approve {} for this conversation', this.approval.host) : t('Approve for this conversation');
  }

  #left(): string {
    const minutes = Math.max(0, Math.round((Date.parse(this.approval.expires_at) - Date.now()) / 60_000));
    return minutes > 90 ? t('expires in {} h', Math.round(minutes / 60)) : t('expires in {} min', minutes);
  }

  /** For ever takes the password once more; the server says so. */
  async #decide(decision: 'approve' | 'deny', scope: RuleScope): Promise<void> {
    if (this.approval.status !== 'pending' || this.#deaf) return;
    this.#attention.decided();
    const { id, digest } = this.approval;
    this.busy = true;
    this.problem = '';
    try {
      await confirmed(() => api.decide(id, { decision, scope, digest }));
    } catch (error) {
      this.problem = words(error);
    }
    this.busy = false;
  }
}
customElements.define('mj-approval', MjApproval);
