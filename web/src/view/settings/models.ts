import { nothing } from 'lit';
import { api } from '../../api/routes';
import type { ProviderStatus, Wire } from '../../api/schema';
import { confirmed } from '../../element/confirm';
import { fieldsOf, PlaceView } from '../place-view';
import { house } from '../../store/house';
import { priceOf, pricesOf, wordsOf } from './price';
import { html, sentence, t } from '../../words/words';

const STATES: Record<ProviderStatus['status'], string> = { reachable: 'works', failed: 'does not work', unknown: 'not tested yet' };

/** Where models are asked; keys can be written and never read. */
export class MjModels extends PlaceView {
  static override properties = { ...PlaceView.properties, providers: { state: true } };
  declare providers: ProviderStatus[];

  constructor() {
    super();
    this.providers = [];
  }

  protected override async load(): Promise<void> {
    this.providers = (await api.providers()).items;
    await house.loadAgents();
  }

  override render() {
    return this.frame(t('Models'), t('Keys are stored encrypted. They cannot be shown again.'), html`
      ${this.providers.map((one) => this.#provider(one))}
      ${this.loaded && this.providers.length === 0 ? html`<p class="empty">Only the built-in demo model is available. Add a provider below, or start Ollama, LM Studio or llama.cpp on this server; they are found automatically.</p>` : nothing}
      <section class="card"><header>Add or edit a provider</header><form class="in" @submit=${this.#put}>
        <label class="field"><span>Name</span><input class="input" name="name" pattern="[a-z0-9_\\-]+" placeholder="anthropic" required autocomplete="off" /></label>
        <label class="field"><span>API type</span><select class="input" name="wire"><option value="anthropic">Anthropic Messages</option><option value="openai">OpenAI Chat Completions (also Ollama, OpenRouter, llama.cpp)</option></select></label>
        <label class="field"><span>Address</span><input class="input" name="base_url" type="url" placeholder="https://api.anthropic.com" required /></label>
        <label class="field"><span>Key</span><input class="input" name="api_key" type="password" autocomplete="off" /><small>Leave empty to keep the current key.</small></label>
        <label class="field"><span>Price</span><input class="input" name="price" placeholder="3 15" autocomplete="off" /><small>Dollars per million tokens: read, written and, for a cache, read from it and stored in it. Write “free” if it costs nothing. Leave empty to use the known price.</small></label>
        <label class="field"><span>Prices of single models</span><textarea class="input" name="prices" rows="2" placeholder="small-model 0.5 2"></textarea><small>One model per line: its name, then its price.</small></label>
        <button class="btn primary">Test and save provider</button>
      </form></section>`);
  }

  #provider(one: ProviderStatus) {
    const good = one.status === 'reachable';
    return html`<section class="card"><header>${one.name}<span class="push row"><span class="chip">${one.has_api_key ? t('has a key') : t('no key')}</span><span class="chip ${good ? 'ok' : one.status === 'failed' ? 'bad' : ''}">${t(STATES[one.status])}</span></span></header>
      <div class="in"><p class="quiet">${one.base_url} · ${one.source}</p>
        ${one.detail ? html`<p class="told">${sentence(one.detail)} ${one.advice}</p>` : nothing}
        ${priced(one)}
        ${one.models.length > 0 ? html`<details class="more"><summary>${t('Models: {}', one.models.length)}</summary><p>${one.models.join(', ')}</p></details>` : nothing}
        <div class="row"><button class="btn" @click=${() => void this.#test(one)}>Test connection</button>
        ${one.origin === 'stored' ? html`<button class="btn" @click=${() => this.#fill(one)}>Edit</button>` : nothing}
        ${one.origin === 'stored' ? html`<button class="btn ghost danger" @click=${() => void this.#remove(one)}>Remove</button>` : nothing}</div>
      </div></section>`;
  }

  #put = (event: Event): void => {
    const form = event.currentTarget as HTMLFormElement;
    const { name = '', wire, base_url = '', api_key = '', price = '', prices = '' } = fieldsOf(event);
    void this.attempt(async () => {
      const cost = { ...(price.trim() && { price: priceOf(price) }), prices: pricesOf(prices) };
      const fields = { wire: wire as Wire, base_url, ...cost, ...(api_key && { api_key }) };
      const tested = await confirmed(() => api.testProvider(name, fields));
      if (tested.status === 'failed') throw new Error([tested.detail, tested.advice].filter(Boolean).join(' '));
      await api.putProvider(name, fields);
      form.reset();
      await this.load();
    }, t('{} works and was saved.', name));
  };

  /** What is kept of it, to be changed; its key stays unless another one is written. */
  #fill(one: ProviderStatus): void {
    const form = this.querySelector('form')!;
    const prices = Object.entries(one.prices).map(([model, price]) => `${model} ${wordsOf(price)}`);
    const values = { name: one.name, wire: one.wire, base_url: one.base_url, api_key: '', price: one.price ? wordsOf(one.price) : '', prices: prices.join('\n') };
    for (const [name, value] of Object.entries(values)) (form.elements.namedItem(name) as HTMLInputElement).value = value;
    form.scrollIntoView();
  }

  #test(one: ProviderStatus): Promise<boolean> {
    return this.attempt(async () => {
      const tested = await confirmed(() => api.testProvider(one.name, {}));
      this.providers = this.providers.map((other) => (other.name === one.name ? tested : other));
    });
  }

  #remove(one: ProviderStatus): Promise<boolean> {
    return this.attempt(async () => {
      await confirmed(() => api.deleteProvider(one.name));
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
