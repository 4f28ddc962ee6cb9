import { nothing, type TemplateResult } from 'lit';
import { words } from '../api/client';
import { api } from '../api/routes';
import type { ModelInfo, ProviderStatus } from '../api/schema';
import { confirmed } from './confirm';
import { LightElement } from './light';
import { html, t } from '../words/words';

const VENDORS = [
  { name: 'anthropic', label: 'Anthropic', wire: 'anthropic' as const, base_url: 'https://api.anthropic.com' },
  { name: 'openai', label: 'OpenAI', wire: 'openai' as const, base_url: 'https://api.openai.com/v1' },
  { name: 'openrouter', label: 'OpenRouter', wire: 'openai' as const, base_url: 'https://openrouter.ai/api/v1' },
  { name: 'custom', label: 'Another provider', wire: 'openai' as const, base_url: '' },
];
/** More than these are a list to choose from. */
const FEW = 6;

/** What can think: models that were found, a key that is pasted and tried, or the demo. */
export class MjModelChoice extends LightElement {
  static override properties = { models: { state: true }, problem: { state: true }, busy: { state: true }, tested: { state: true }, vendor: { state: true } };
  declare models: ModelInfo[] | null;
  declare problem: string;
  declare busy: boolean;
  declare tested: ProviderStatus | null;
  declare vendor: string;

  constructor() {
    super();
    this.models = null;
    this.problem = '';
    this.busy = false;
    this.tested = null;
    this.vendor = 'anthropic';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#load();
  }

  async #load(): Promise<void> {
    try {
      this.models = (await api.models()).items;
    } catch (error) {
      this.models = [];
      this.problem = words(error);
    }
  }

  override render() {
    const real = (this.models ?? []).filter((model) => model.provider !== 'demo');
    const other = this.vendor === 'custom';
    return html`
      ${real.length > 0 ? this.#found(real) : html`<p>No model was found on this server. Start Ollama, LM Studio or llama.cpp and reload this page, or enter a key.</p>`}
      <form @submit=${this.#paste}>
        <fieldset class="choices"><legend>Add a provider</legend>
          <label class="field"><span>Provider</span><select class="input" name="vendor" @change=${(event: Event) => (this.vendor = (event.currentTarget as HTMLSelectElement).value)}>${VENDORS.map((vendor) => html`<option value=${vendor.name}>${t(vendor.label)}</option>`)}</select></label>
          ${other ? html`<label class="field"><span>Address</span><input class="input" name="address" type="url" required placeholder="http://localhost:11434/v1" /><small>The address of any service with the OpenAI Chat Completions API.</small></label>` : nothing}
          <label class="field"><span>Key</span><input class="input" name="key" type="password" autocomplete="off" ?required=${!other} /><small>We test the key, then store it encrypted. It cannot be shown again.</small></label>
          <button class="btn" ?disabled=${this.busy}>Test and save provider</button>
        </fieldset>
      </form>
      ${this.tested ? html`<p role="status" class="chip ok">${t('{} works and was saved. Models found: {}.', this.tested.name, this.tested.models.length)}</p>` : nothing}
      ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}
      <p><button class="btn ghost" type="button" @click=${() => void this.#demo()}>Use the demo model for now</button></p>`;
  }

  #found(real: ModelInfo[]): TemplateResult {
    const [few, rest] = [real.slice(0, FEW), real.slice(FEW)];
    const about = (model: ModelInfo) => `${t('reads up to {}k tokens', Math.round(model.window / 1000))}${model.price ? '' : ` · ${t('price unknown')}`}`;
    return html`<fieldset class="choices"><legend>Models found</legend>
      ${few.map((model) => html`<button class="btn choice" type="button" ?disabled=${this.busy} @click=${() => void this.#choose(model.id)}>${model.id}<span class="hint">${about(model)}</span></button>`)}
      ${rest.length > 0 ? html`<select class="input" aria-label="More models" @change=${(event: Event) => void this.#choose((event.currentTarget as HTMLSelectElement).value)}><option value="">${t('{} more…', rest.length)}</option>${rest.map((model) => html`<option value=${model.id}>${model.id}</option>`)}</select>` : nothing}
    </fieldset>`;
  }

  #paste = async (event: Event): Promise<void> => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const vendor = VENDORS.find((one) => one.name === data.get('vendor'));
    if (!vendor) return;
    const api_key = String(data.get('key'));
    const fields = { wire: vendor.wire, base_url: vendor.base_url || String(data.get('address')), ...(api_key && { api_key }) };
    this.busy = true;
    this.problem = '';
    try {
      const tested = await confirmed(() => api.testProvider(vendor.name, fields));
      if (tested.status === 'failed') throw new Error([tested.detail, tested.advice].filter(Boolean).join(' '));
      await confirmed(() => api.putProvider(vendor.name, fields));
      this.tested = tested;
      await this.#load();
    } catch (error) {
      this.problem = words(error);
    }
    this.busy = false;
  };

  /** The first agent of the house thinks with it. */
  async #choose(model: string): Promise<void> {
    this.busy = true;
    try {
      const agents = await api.agents();
      const main = agents.items.find((agent) => agent.name === 'main') ?? agents.items[0];
      if (main) await api.changeAgent(main.id, { model });
      this.#done();
    } catch (error) {
      this.problem = words(error);
    }
    this.busy = false;
  }

  /** Also where another model would be the default. */
  async #demo(): Promise<void> {
    const demo = (this.models ?? []).find((model) => model.provider === 'demo');
    if (demo) await this.#choose(demo.id);
    else this.#done();
  }

  #done = (): void => {
    this.dispatchEvent(new CustomEvent('chosen', { bubbles: true }));
  };
}
customElements.define('mj-model-choice', MjModelChoice);
