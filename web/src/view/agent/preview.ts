import { nothing } from 'lit';
import { words } from '../../api/client';
import { api } from '../../api/routes';
import type { AgentFields, Preview } from '../../api/schema';
import { LightElement } from '../../element/light';
import { showPreview } from '../aside/prompt';
import { html } from '../../words/words';

/** The server is not asked about every letter. */
const PATIENCE = 300;

/** What the model of this agent would get, as it is being edited. */
export class MjAgentPreview extends LightElement {
  static override properties = { agent: { type: String }, version: { type: String }, changes: { attribute: false }, form: { state: true }, preview: { state: true }, problem: { state: true } };
  declare agent: string;
  declare version: string;
  /** Not saved yet. */
  declare changes: AgentFields;
  declare form: 'tree' | 'flat' | 'request';
  declare preview: Preview | null;
  declare problem: string;
  #text = 'Hello';
  #soon = 0;
  #asked = 0;

  constructor() {
    super();
    this.form = 'tree';
    this.changes = {};
    this.preview = null;
    this.problem = '';
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#soon);
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('agent') || changed.has('version')) void this.#load();
    else if (changed.has('changes')) {
      clearTimeout(this.#soon);
      this.#soon = window.setTimeout(() => void this.#load(), PATIENCE);
    }
  }

  async #load(): Promise<void> {
    clearTimeout(this.#soon);
    // An answer that is overtaken is not shown.
    const asked = (this.#asked += 1);
    const changes = Object.keys(this.changes).length > 0 ? this.changes : null;
    try {
      const preview = await api.preview(this.agent, { text: this.#text, changes });
      if (asked === this.#asked) Object.assign(this, { preview, problem: '' });
    } catch (error) {
      if (asked === this.#asked) this.problem = words(error);
    }
  }

  override render() {
    return html`<div class="row"><input class="input grow" aria-label="Example message" .value=${this.#text} @change=${this.#said} />
        <select class="input" aria-label="View as" @change=${(event: Event) => (this.form = (event.currentTarget as HTMLSelectElement).value as typeof this.form)}><option value="tree">Tree</option><option value="flat">Text</option><option value="request">Request</option></select></div>
      ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing} ${this.preview ? html`<div class="feed">${showPreview(this.preview, this.form)}</div>` : nothing}`;
  }

  #said = (event: Event): void => {
    this.#text = (event.currentTarget as HTMLInputElement).value;
    void this.#load();
  };
}
customElements.define('mj-agent-preview', MjAgentPreview);
