import { nothing, type TemplateResult } from 'lit';
import { words } from '../api/client';
import { LightElement } from '../element/light';
import { house } from '../store/house';
import { html } from '../words/words';

/** A place besides the conversations: a heading, what went wrong or well, and its content. */
export class PlaceView extends LightElement {
  static override properties = { problem: { state: true }, done: { state: true }, loaded: { state: true } };
  declare problem: string;
  declare done: string;
  /** Only then an empty list is empty. */
  declare loaded: boolean;

  constructor() {
    super();
    this.problem = '';
    this.done = '';
    this.loaded = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow(house);
    void this.attempt(() => this.load()).then((loaded) => (this.loaded = loaded));
  }

  /** What the place shows. */
  protected async load(): Promise<void> {}

  /** Does something, and says what became of it. */
  protected async attempt(deed: () => Promise<unknown>, done = ''): Promise<boolean> {
    this.problem = '';
    this.done = '';
    try {
      await deed();
      this.done = done;
      return true;
    } catch (error) {
      this.problem = words(error);
      return false;
    }
  }

  protected frame(title: string, intro: string, content: unknown): TemplateResult {
    return html`<div class="page"><div class="wide">
      <h1>${title}</h1>
      <p class="quiet">${intro}</p>
      ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}
      ${this.done ? html`<p class="chip ok" role="status">${this.done}</p>` : nothing}
      ${content}
    </div></div>`;
  }
}

/** A table may be wider than a small screen; then it is scrolled by itself. */
export function scrolling(label: string, table: TemplateResult): TemplateResult {
  return html`<div class="scrolls" tabindex="0" role="region" aria-label=${label}>${table}</div>`;
}

/** The fields of a form as text. */
export function fieldsOf(event: Event): Record<string, string> {
  event.preventDefault();
  const data = new FormData(event.currentTarget as HTMLFormElement);
  return Object.fromEntries([...data].map(([name, value]) => [name, typeof value === 'string' ? value : value.name]));
}
