import { LightElement } from '../element/light';
import { keep, kept } from '../store/browser-storage';
import { html, t } from '../words/words';
import './aside/activity';

const PARTS = ['Activity', 'Tasks', 'Files', 'Prompt', 'Log'] as const;
type Part = (typeof PARTS)[number];

const LOAD: Partial<Record<Part, () => Promise<unknown>>> = {
  Tasks: () => import('./aside/tasks'),
  Files: () => import('./aside/files'),
  Prompt: () => import('./aside/prompt'),
  Log: () => import('./aside/log'),
};

/** The right column: what is going on in this conversation. */
export class MjAside extends LightElement {
  static override properties = { session: { type: String }, chosen: { state: true } };
  declare session: string;
  declare chosen: Part;

  constructor() {
    super();
    const before = kept<string>('aside', 'Activity');
    this.chosen = PARTS.find((part) => part === before) ?? 'Activity';
  }

  override render() {
    void LOAD[this.chosen]?.();
    return html`<aside class="right" aria-label="Details of this conversation">
      <div class="seg" role="tablist" aria-label="Details of this conversation" @keydown=${this.#key}>
        ${PARTS.map((part) => html`<button role="tab" id="seg-${part}" aria-selected=${part === this.chosen} aria-controls="seg-panel" tabindex=${part === this.chosen ? 0 : -1} @click=${() => this.#choose(part)}>${t(part)}</button>`)}
      </div>
      <div class="panel" id="seg-panel" role="tabpanel" tabindex="0" aria-labelledby="seg-${this.chosen}">${this.#panel()}</div>
    </aside>`;
  }

  /** A reader at the end of a feed stays there. */
  override firstUpdated(): void {
    const panel = this.querySelector<HTMLElement>('.panel');
    if (!panel) return;
    let atEnd = true;
    panel.addEventListener('scroll', () => (atEnd = panel.scrollHeight - panel.scrollTop - panel.clientHeight < 40));
    const stick = new ResizeObserver(() => this.chosen === 'Activity' && atEnd && (panel.scrollTop = panel.scrollHeight));
    const watch = new MutationObserver(() => panel.firstElementChild && stick.observe(panel.firstElementChild));
    watch.observe(panel, { childList: true });
    if (panel.firstElementChild) stick.observe(panel.firstElementChild);
  }

  #panel() {
    switch (this.chosen) {
      case 'Tasks':
        return html`<mj-tasks .session=${this.session}></mj-tasks>`;
      case 'Files':
        return html`<mj-files .session=${this.session}></mj-files>`;
      case 'Prompt':
        return html`<mj-prompt-preview .session=${this.session}></mj-prompt-preview>`;
      case 'Log':
        return html`<mj-log .session=${this.session}></mj-log>`;
      default:
        return html`<mj-activity .session=${this.session}></mj-activity>`;
    }
  }

  #choose(part: Part): void {
    this.chosen = part;
    keep('aside', part);
  }

  #key = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const next = PARTS[(PARTS.indexOf(this.chosen) + by + PARTS.length) % PARTS.length]!;
    this.#choose(next);
    void this.updateComplete.then(() => this.querySelector<HTMLElement>(`#seg-${next}`)?.focus());
  };
}
customElements.define('mj-aside', MjAside);
