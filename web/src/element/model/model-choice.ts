import { nothing } from 'lit';
import { words } from '../../api/client';
import { api } from '../../api/routes';
import type { ModelInfo, ProviderStatus } from '../../api/schema';
import { html, t } from '../../words/words';
import { confirmed } from '../confirm';
import { foundModels } from './found-models';
import { LightElement } from '../light';
import { hasMouse } from '../../store/theme';
import type { MjProviderForm, SavedProvider } from './provider-form';
import './provider-form';

/** The first start: the default model is one that was found, one of a provider that is added, or the demo. */
export class MjModelChoice extends LightElement {
  static override properties = { models: { state: true }, providers: { state: true }, problem: { state: true }, busy: { state: true }, saved: { state: true } };
  declare models: ModelInfo[] | null;
  declare providers: ProviderStatus[];
  declare problem: string;
  declare busy: boolean;
  declare saved: ProviderStatus | null;

  constructor() {
    super();
    Object.assign(this, { models: null, providers: [], problem: '', busy: false, saved: null });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#load().then(() => this.#begin());
  }

  /** Where no model was found, the next thing is a key. */
  async #begin(): Promise<void> {
    if (!hasMouse() || this.models?.some((model) => model.provider !== 'demo')) return;
    await this.updateComplete;
    await this.querySelector<MjProviderForm>('mj-provider-form')?.begin();
  }

  async #load(): Promise<void> {
    try {
      const [models, providers] = await Promise.all([api.models(), api.providers()]);
      [this.models, this.providers] = [models.items, providers.items];
    } catch (error) {
      this.models = [];
      this.problem = words(error);
    }
  }

  override render() {
    const { saved } = this;
    const real = (this.models ?? []).filter((model) => model.provider !== 'demo');
    const fresh = saved ? real.filter((model) => model.provider === saved.name) : [];
    return html`
      ${saved ? html`<p role="status" class="chip ok">${t('{} works and was saved. Models found: {}.', saved.name, saved.models.length)}</p>` : nothing}
      ${real.length > 0 ? foundModels(t('Choose the default model'), [...fresh, ...real.filter((model) => !fresh.includes(model))], this.busy, (id) => void this.#choose(id)) : html`<p>No model was found on this server. Start Ollama, LM Studio or llama.cpp and reload this page, or add a provider.</p>`}
      ${real.some((model) => !model.price) ? html`<p class="hint">A model whose price is unknown works, too. If you set a budget, you are asked before an agent uses it.</p>` : nothing}
      <fieldset class="choices"><legend>Add a provider</legend><mj-provider-form .providers=${this.providers} @saved=${this.#saved}></mj-provider-form></fieldset>
      ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}
      <p><button class="btn ghost" type="button" ?disabled=${this.busy} @click=${() => void this.#choose('demo')}>Use the demo model for now</button></p>`;
  }

  /** With a model that suits most work it goes on at once; where there is a choice to make, it is made here. */
  #saved = async (event: CustomEvent<SavedProvider>): Promise<void> => {
    const { provider, model } = event.detail;
    this.saved = provider;
    if (model) await this.#choose(model);
    else await this.#load();
  };

  /** Every agent without a model of its own uses it. */
  async #choose(model: string): Promise<void> {
    this.busy = true;
    try {
      await confirmed(() => api.setDefaultModel(model));
      this.dispatchEvent(new CustomEvent('chosen', { bubbles: true }));
    } catch (error) {
      this.problem = words(error);
    }
    this.busy = false;
  }
}
customElements.define('mj-model-choice', MjModelChoice);
