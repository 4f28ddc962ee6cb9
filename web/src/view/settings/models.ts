import { nothing, type TemplateResult } from 'lit';
import { api } from '../../api/routes';
import type { DefaultModel, ModelInfo, ProviderStatus } from '../../api/schema';
import { confirmed } from '../../element/confirm';
import { foundModels } from '../../element/model/found-models';
import { about, sourceWords } from '../../element/model/model-words';
import { wordsOf } from '../../element/model/price';
import type { SavedProvider } from '../../element/model/provider-form';
import '../../element/model/provider-form';
import { house } from '../../store/house';
import { html, sentence, served, t } from '../../words/words';
import { PlaceView } from '../place-view';

const STATES: Record<ProviderStatus['status'], string> = { reachable: 'works', failed: 'does not work', unknown: 'not tested yet' };

/** The default model, and where models are asked; keys can be written and never read. */
export class MjModels extends PlaceView {
  static override properties = { ...PlaceView.properties, providers: { state: true }, usual: { state: true }, editing: { state: true }, saved: { state: true }, leaving: { state: true }, opened: { state: true } };
  declare providers: ProviderStatus[];
  declare usual: DefaultModel | null;
  declare editing: ProviderStatus | null;
  /** The one that was just saved: its models are offered as the default. */
  declare saved: string | null;
  /** The one that is about to be removed although it has the default model. */
  declare leaving: string | null;
  /** Those whose models are shown. */
  declare opened: Set<string>;

  constructor() {
    super();
    Object.assign(this, { providers: [], usual: null, editing: null, saved: null, leaving: null, opened: new Set() });
  }

  protected override async load(): Promise<void> {
    const [providers, usual] = await Promise.all([api.providers(), api.defaultModel(), house.loadAgents()]);
    [this.providers, this.usual] = [providers.items, usual];
  }

  override render() {
    return this.frame(t('Models'), t('Keys are stored encrypted. They cannot be shown again.'), html`
      ${this.usual ? this.#usual(this.usual) : nothing}
      ${this.providers.map((one) => this.#provider(one))}
      ${this.loaded && this.providers.length === 0 ? html`<p class="empty">Only the built-in demo model is available. Add a provider below, or start Ollama, LM Studio or llama.cpp on this server; they are found automatically.</p>` : nothing}
      <section class="card" id="provider-form"><header>${this.editing ? t('Edit {}', this.editing.name) : t('Add a provider')}</header><div class="in">
        ${this.saved ? foundModels(t('Models of {}. Choose one to make it the default model.', this.saved), house.models.filter((model) => model.provider === this.saved), false, (id) => void this.#choose(id)) : nothing}
        <mj-provider-form .providers=${this.providers} .editing=${this.editing} @saved=${this.#saved} @left=${() => (this.editing = null)}></mj-provider-form>
      </div></section>`);
  }

  #usual(usual: DefaultModel): TemplateResult {
    const chosen = usual.source === 'chosen' ? usual.model : '';
    const unlisted = chosen && !house.models.some((model) => model.id === chosen);
    const back = usual.configured ? t('As in the settings file ({})', usual.configured) : t('The first model that is found');
    return html`<section class="card"><header>Default model</header><div class="in">
      <label class="field"><span>Default model</span><select class="input" name="default_model" data-value=${chosen} @change=${(event: Event) => void this.#choose((event.currentTarget as HTMLSelectElement).value || null)}>
        <option value="">${back}</option>
        ${unlisted ? html`<option value=${chosen}>${chosen}</option>` : nothing}
        ${house.models.map((model) => html`<option value=${model.id}>${model.id} · ${about(model)}</option>`)}
      </select><small>Agents without a model of their own use it, for all people on this server. ${sourceWords(usual)}</small></label>
      ${usual.problem ? html`<p class="told" role="alert">${t('The default model {} cannot be used. Agents without a model of their own do not answer until you choose another one.', usual.model)}</p>` : nothing}
    </div></section>`;
  }

  override updated(): void {
    for (const select of this.querySelectorAll<HTMLSelectElement>('select[data-value]')) select.value = select.dataset['value'] ?? '';
  }

  #provider(one: ProviderStatus): TemplateResult {
    const good = one.status === 'reachable';
    return html`<section class="card"><header>${one.name}<span class="push row"><span class="chip">${one.has_api_key ? t('has a key') : t('no key')}</span><span class="chip ${good ? 'ok' : one.status === 'failed' ? 'bad' : ''}">${t(STATES[one.status])}</span></span></header>
      <div class="in"><p class="quiet">${one.base_url} · ${served(one.source)}</p>
        ${one.detail ? html`<p class="told">${sentence(served(one.detail))} ${served(one.advice ?? '')}</p>` : nothing}
        ${priced(one)}
        ${one.models.length > 0 ? html`<details class="more" @toggle=${(event: Event) => this.#open(one.name, (event.currentTarget as HTMLDetailsElement).open)}><summary>${t('Models: {}', one.models.length)}</summary>${this.opened.has(one.name) ? this.#models(one) : nothing}</details>` : nothing}
        ${this.leaving === one.name ? this.#leaving(one) : html`<div class="row"><button class="btn" @click=${() => void this.#test(one)}>Test connection</button>
        ${one.origin === 'stored' ? html`<button class="btn" @click=${() => this.#edit(one)}>Edit</button>` : nothing}
        ${one.origin === 'stored' ? html`<button class="btn ghost danger" @click=${() => this.#remove(one)}>Remove</button>` : nothing}</div>`}
      </div></section>`;
  }

  #open(name: string, open: boolean): void {
    const opened = new Set(this.opened);
    if (open) opened.add(name);
    else opened.delete(name);
    this.opened = opened;
  }

  /** Each with what it costs and can do, and whether it is sent pictures. */
  #models(one: ProviderStatus): TemplateResult {
    const fixed = one.origin === 'file' || (one.origin === 'environment' && one.has_api_key);
    return html`<p class="hint">${fixed ? t('This provider is set in the settings file or the environment of the server. Set there which models see pictures.') : t('Check the models that can see pictures. Other models are not sent pictures.')}</p>
      <ul class="plainlist">${house.models.filter((model) => model.provider === one.name).map((model) => this.#model(one, model, fixed))}</ul>`;
  }

  #model(one: ProviderStatus, model: ModelInfo, fixed: boolean): TemplateResult {
    const name = model.id.slice(one.name.length + 1);
    const sees = model.abilities.includes('images');
    return html`<li>${name} <span class="hint">${about(model)}</span><label class="row"><input type="checkbox" .checked=${sees} ?disabled=${fixed} aria-label=${t('{} sees pictures', name)} @change=${(event: Event) => void this.#sees(one, name, (event.currentTarget as HTMLInputElement).checked)} /> Sees pictures</label></li>`;
  }

  #sees(one: ProviderStatus, name: string, sees: boolean): Promise<boolean> {
    return this.attempt(async () => {
      try {
        await confirmed(() => api.changeProvider(one.name, { images: { [name]: sees } }));
      } finally {
        await this.load();
      }
    }, sees ? t('{} is sent pictures from now on.', name) : t('{} is sent no pictures from now on.', name));
  }

  #choose(model: string | null): Promise<boolean> {
    return this.attempt(async () => {
      this.usual = await confirmed(() => api.setDefaultModel(model));
      this.saved = null;
      await house.loadAgents();
    }, t('The default model was changed. It applies at once.')).finally(() => this.requestUpdate());
  }

  #saved = (event: CustomEvent<SavedProvider>): void => {
    const { name, models, status } = event.detail.provider;
    this.editing = null;
    void this.attempt(async () => {
      await this.load();
      this.saved = name;
    }, status === 'failed' ? '' : t('{} works and was saved. Models found: {}.', name, models.length));
  };

  #edit(one: ProviderStatus): void {
    this.editing = one;
    this.querySelector('#provider-form')?.scrollIntoView();
  }

  #test(one: ProviderStatus): Promise<boolean> {
    return this.attempt(async () => {
      const tested = await confirmed(() => api.testProvider(one.name, {}));
      this.providers = this.providers.map((other) => (other.name === one.name ? tested : other));
      await house.loadAgents();
    });
  }

  /** Without the provider of the default model, agents that have no model of their own do not answer. */
  #leaving(one: ProviderStatus): TemplateResult {
    return html`<div class="told" role="alert"><p>${t('The default model {} belongs to this provider. Without it, agents that have no model of their own do not answer until you choose another default model.', this.usual?.model ?? '')}</p>
      <div class="row"><button class="btn danger" @click=${() => void this.#gone(one)}>Remove provider</button><button class="btn" @click=${() => (this.leaving = null)}>Keep provider</button></div></div>`;
  }

  #remove(one: ProviderStatus): void {
    if (this.usual?.source === 'chosen' && this.usual.model.startsWith(`${one.name}/`)) this.leaving = one.name;
    else void this.#gone(one);
  }

  #gone(one: ProviderStatus): Promise<boolean> {
    return this.attempt(async () => {
      await confirmed(() => api.deleteProvider(one.name));
      this.leaving = null;
      if (this.editing?.name === one.name) this.editing = null;
      if (this.saved === one.name) this.saved = null;
      await this.load();
    }, t('{} was removed.', one.name));
  }
}
/** What people have said that it costs. */
function priced(one: ProviderStatus) {
  const single = Object.entries(one.prices);
  if (!one.price && single.length === 0) return nothing;
  const shown = [...(one.price ? [t('all models: {}', wordsOf(one.price))] : []), ...single.map(([model, price]) => `${model}: ${wordsOf(price)}`)];
  return html`<p class="quiet">${t('Price in dollars per million tokens')}: ${shown.join(' · ')}</p>`;
}

customElements.define('mj-models', MjModels);
