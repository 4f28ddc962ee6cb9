import { nothing, type PropertyValues, type TemplateResult } from 'lit';
import { words } from '../../api/client';
import { api } from '../../api/routes';
import type { ProviderFields, ProviderStatus, VendorChoice, Wire } from '../../api/schema';
import { html, served, t } from '../../words/words';
import { confirmed } from '../confirm';
import { LightElement } from '../light';
import { priceOf, pricesOf, wordsOf } from './price';

/** A service that is not in the list. */
const OTHER: VendorChoice = { name: 'custom', label: 'Another provider', wire: 'openai', base_url: '', needs_key: false, key_prefixes: [], preferred: [] };

/** Which provider was saved, and the model to begin with where there is no doubt: the only one, or the best one for most work. */
export interface SavedProvider {
  provider: ProviderStatus;
  model: string | null;
}

/** Adds a provider, or changes one: the same form at the first start and in the settings. It tests before it saves, and tells
 * with `saved` which provider that was. Whose key it is, it sees by how the key begins. */
export class MjProviderForm extends LightElement {
  static override properties = { providers: { attribute: false }, editing: { attribute: false }, vendors: { state: true }, vendor: { state: true }, doubt: { state: true }, busy: { state: true }, problem: { state: true } };
  /** Those that there are: none of them is replaced by a new one. */
  declare providers: ProviderStatus[];
  /** The one that is changed; null: a new one is added. */
  declare editing: ProviderStatus | null;
  declare vendors: VendorChoice[];
  declare vendor: string;
  /** There is a key, and neither its beginning nor the person says whose it is. */
  declare doubt: boolean;
  declare busy: boolean;
  declare problem: string;
  #loading: Promise<unknown> = Promise.resolve();
  /** One of the providers was pressed, not chosen by a key. */
  #pressed = false;
  /** The person chose the provider. */
  #isChosen = false;

  constructor() {
    super();
    Object.assign(this, { providers: [], editing: null, vendors: [], vendor: '', doubt: false, busy: false, problem: '' });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#loading = api.vendors().then(
      ({ items }) => {
        this.vendors = items;
        this.vendor ||= items[0]?.name ?? OTHER.name;
      },
      (error: unknown) => {
        this.problem = words(error);
        this.vendor ||= OTHER.name;
      },
    );
  }

  get #chosen(): VendorChoice {
    return this.vendors.find((one) => one.name === this.vendor) ?? OTHER;
  }

  override render(): TemplateResult {
    const { editing } = this;
    const chosen = this.#chosen;
    const other = chosen === OTHER;
    const plain = !editing && !other;
    const name = html`<label class="field"><span>Name</span><input class="input" name="name" pattern="[a-z0-9_.\\-]+" maxlength="64" required autocomplete="off" ?readonly=${editing !== null} /><small>Models are listed under this name. Lower-case letters, digits, - _ and .</small></label>`;
    const address = html`<label class="field"><span>Address</span><input class="input" name="base_url" type="url" enterkeyhint="go" required placeholder="http://localhost:11434/v1" /></label>`;
    const key = html`<label class="field"><span>Key</span><input class="input" name="api_key" type="password" enterkeyhint="go" autocomplete="off" @input=${this.#recognise} ?required=${plain && chosen.needs_key} /><small>${editing ? t('Leave empty to keep the current key.') : t('We test the key, then store it encrypted. It cannot be shown again.')}</small></label>`;
    return html`<form @submit=${this.#save}>
      ${editing || !this.vendor ? nothing : html`<fieldset class="vendors"><legend>${this.doubt ? t('Test and save this key for') : t('Provider')}</legend>${[...this.vendors, OTHER].map((one) => this.#offer(one))}</fieldset>`}
      ${plain ? nothing : name}
      ${plain && chosen.needs_key ? nothing : address}
      ${editing || other ? html`<label class="field"><span>API type</span><select class="input" name="wire"><option value="openai">OpenAI Chat Completions (most providers)</option><option value="anthropic">Anthropic Messages</option></select></label>` : nothing}
      ${plain && !chosen.needs_key ? nothing : key}
      <details class="more"><summary>More</summary>
        ${plain ? name : nothing}
        ${plain && chosen.needs_key ? address : nothing}
        ${plain && !chosen.needs_key ? key : nothing}
        <label class="field"><span>Price</span><input class="input" name="price" placeholder="3 15" autocomplete="off" /><small>Dollars per million tokens: read, written and, for a cache, read from it and stored in it. Write “free” if it costs nothing. Leave empty to use the known price.</small></label>
        <label class="field"><span>Prices of single models</span><textarea class="input" name="prices" rows="2" placeholder="small-model 0.5 2"></textarea><small>One model per line: its name, then its price.</small></label>
      </details>
      ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}
      <div class="row"><button class="btn primary" ?disabled=${this.busy}>Test and save provider</button>${editing ? html`<button class="btn ghost" type="button" @click=${this.#leave}>Cancel</button>` : nothing}</div>
    </form>`;
  }

  #offer(one: VendorChoice): TemplateResult {
    if (this.doubt && one.needs_key) return html`<button class="btn" type="button" ?disabled=${this.busy} @click=${() => void this.#saveFor(one)}>${one.label}</button>`;
    // A press goes on to what is to be filled in; arrow keys stay among the providers.
    const choose = () => {
      this.vendor = one.name;
      this.#isChosen = true;
      this.doubt = false;
      if (this.#pressed) void this.begin();
      this.#pressed = false;
    };
    return html`<label class="btn" @pointerdown=${() => (this.#pressed = true)} @keydown=${() => (this.#pressed = false)}><input class="unseen" type="radio" name="vendor" value=${one.name} .checked=${one.name === this.vendor} @change=${choose} />${one === OTHER ? t('Another provider') : one.label}</label>`;
  }

  /** The cursor goes to the first field that has to be filled in. */
  async begin(): Promise<void> {
    await this.#loading;
    await this.updateComplete;
    const empty = [...this.querySelectorAll('input')].find((field) => /^(base_url|api_key)$/.test(field.name) && !field.value && !field.closest('details'));
    empty?.focus();
  }

  /** A key that only one vendor gives out is for that vendor, unless the person wrote an address themselves. Of any other the person
   * says whose it is, before it is sent anywhere. */
  #recognise = (): void => {
    if (this.editing || this.#chosen === OTHER) return;
    const key = this.#field('api_key')?.value.trim() ?? '';
    const vendor = this.#ownerOf(key);
    this.doubt = key !== '' && !vendor && !this.#isChosen;
    if (vendor) this.vendor = vendor.name;
  };

  async #saveFor(vendor: VendorChoice): Promise<void> {
    this.vendor = vendor.name;
    this.#isChosen = true;
    this.doubt = false;
    await this.updateComplete;
    await this.#store();
  }

  #ownerOf(key: string): VendorChoice | undefined {
    return this.vendors.find((one) => one.key_prefixes.some((prefix) => key.startsWith(prefix)));
  }

  /** What is known of it is filled in; a name that is taken gets a number. */
  override updated(changed: PropertyValues): void {
    if (changed.has('editing') && this.editing) this.#fill(known(this.editing));
    else if (changed.has('vendor') || changed.has('editing')) this.#fill({ ...this.#suggested(), wire: this.#chosen.wire, ...this.#otherKey(), price: '', prices: '' });
    else if (changed.has('providers') && !this.editing && this.#taken(this.#field('name')?.value ?? '')) this.#fill(this.#suggested());
  }

  /** The key of another vendor does not go along to this one. */
  #otherKey(): Record<string, string> {
    const owner = this.#ownerOf(this.#field('api_key')?.value.trim() ?? '');
    return owner && owner !== this.#chosen ? { api_key: '' } : {};
  }

  #suggested(): Record<string, string> {
    const { name, base_url } = this.#chosen;
    let [free, number] = [name, 1];
    while (this.#taken(free)) free = `${name}-${(number += 1)}`;
    return { name: free, base_url };
  }

  /** One that is set elsewhere may be replaced by a saved one only by its person, not by chance. */
  #taken(name: string): boolean {
    return this.providers.some((one) => one.name === name);
  }

  #field(name: string): HTMLInputElement | null {
    return this.querySelector(`[name=${name}]`);
  }

  #fill(values: Record<string, string>): void {
    for (const [name, value] of Object.entries(values)) {
      const field = this.#field(name);
      if (field) field.value = value;
    }
  }

  #save = (event: Event): void => {
    event.preventDefault();
    if (this.doubt) this.problem = t('Choose above whose key this is.');
    else void this.#store();
  };

  async #store(): Promise<void> {
    const value = (name: string) => this.#field(name)?.value.trim() ?? '';
    const name = value('name');
    this.busy = true;
    this.problem = '';
    try {
      if (!this.editing && this.#taken(name)) throw new Error(t('A provider named {} exists already. Choose another name, or edit that provider.', name));
      const [api_key, price] = [value('api_key'), value('price')];
      const wire = (value('wire') || this.#chosen.wire) as Wire;
      const fields: ProviderFields = { wire, base_url: value('base_url'), ...(price && { price: priceOf(price) }), prices: pricesOf(value('prices')), ...(api_key && { api_key }) };
      // A saved key is not sent to be tested: the provider is asked when it is saved.
      if (api_key || !this.editing?.has_api_key) {
        const tested = await confirmed(() => api.testProvider(name, fields));
        if (tested.status === 'failed') throw new Error([tested.detail, tested.advice].map(said).filter(Boolean).join(' '));
      }
      const saved = await confirmed(() => api.putProvider(name, fields));
      this.editing = null;
      this.#isChosen = false;
      this.#fill({ ...this.#suggested(), api_key: '', price: '', prices: '' });
      this.dispatchEvent(new CustomEvent<SavedProvider>('saved', { detail: { provider: saved, model: this.#bestOf(saved) } }));
      if (saved.status === 'failed') throw new Error([t('{} was saved, but it does not answer.', name), said(saved.detail), said(saved.advice)].filter(Boolean).join(' '));
    } catch (error) {
      this.problem = words(error);
    }
    this.busy = false;
  }

  #bestOf({ status, name, models }: ProviderStatus): string | null {
    const best = models.length === 1 ? models[0] : this.#chosen.preferred.find((one) => models.includes(one));
    return status === 'failed' || !best ? null : `${name}/${best}`;
  }

  #leave = (): void => {
    this.editing = null;
    this.problem = '';
    this.dispatchEvent(new CustomEvent('left'));
  };
}

/** What the server says of it. */
function said(text: string | null | undefined): string {
  return served(text ?? '');
}

/** What is kept of a provider, as it is written in the form. */
function known(one: ProviderStatus): Record<string, string> {
  const prices = Object.entries(one.prices).map(([model, price]) => `${model} ${wordsOf(price)}`);
  return { name: one.name, wire: one.wire, base_url: one.base_url, api_key: '', price: one.price ? wordsOf(one.price) : '', prices: prices.join('\n') };
}
customElements.define('mj-provider-form', MjProviderForm);
