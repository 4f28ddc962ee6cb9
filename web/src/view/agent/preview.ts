import { html, nothing } from 'lit';
import { words } from '../../api/client';
import { api } from '../../api/routes';
import type { Preview } from '../../api/schema';
import { LightElement } from '../../element/light';
import { showPreview } from '../aside/prompt';

/** What the model of this agent would get, as it is saved; anew whenever it is saved. */
export class MjAgentPreview extends LightElement {
  static override properties = { agent: { type: String }, version: { type: String }, form: { state: true }, preview: { state: true }, problem: { state: true } };
  declare agent: string;
  declare version: string;
  declare form: 'tree' | 'flat' | 'request';
  declare preview: Preview | null;
  declare problem: string;
  #text = 'Hello';

  constructor() {
    super();
    this.form = 'tree';
    this.preview = null;
    this.problem = '';
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('agent') || changed.has('version')) void this.#load();
  }

  async #load(): Promise<void> {
    try {
      this.preview = await api.preview(this.agent, { text: this.#text });
      this.problem = '';
    } catch (error) {
      this.problem = words(error);
    }
  }

  override render() {
    return html`<div class="row"><input class="input grow" aria-label="If a person said" .value=${this.#text} @change=${this.#said} />
        <select class="input" aria-label="Form" @change=${(event: Event) => (this.form = (event.currentTarget as HTMLSelectElement).value as typeof this.form)}><option value="tree">Tree</option><option value="flat">Flat</option><option value="request">Request</option></select></div>
      ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing} ${this.preview ? html`<div class="feed">${showPreview(this.preview, this.form)}</div>` : nothing}`;
  }

  #said = (event: Event): void => {
    this.#text = (event.currentTarget as HTMLInputElement).value;
    void this.#load();
  };
}
customElements.define('mj-agent-preview', MjAgentPreview);
