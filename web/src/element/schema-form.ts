import { nothing, type TemplateResult } from 'lit';
import { html, served, t } from '../words/words';
import { LightElement } from './light';

interface Schema {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  items?: Schema;
}

type Values = Record<string, unknown>;

/** A form made of a JSON schema. What a field cannot show is edited as JSON. */
export class MjSchemaForm extends LightElement {
  static override properties = { schema: { attribute: false }, values: { attribute: false }, name: { type: String }, wrong: { state: true } };
  declare schema: Schema;
  declare values: Values;
  declare name: string;
  declare wrong: string;

  constructor() {
    super();
    this.schema = {};
    this.values = {};
    this.name = 'settings';
    this.wrong = '';
  }

  override render() {
    const fields = Object.entries(this.schema.properties ?? {});
    if (fields.length === 0) return html`<p class="hint">There are no settings.</p>`;
    return html`${fields.map(([key, schema]) => this.#field(key, schema))}${this.wrong ? html`<p class="told" role="alert">${this.wrong}</p>` : nothing}`;
  }

  #field(key: string, schema: Schema): TemplateResult {
    const label = served(schema.title ?? key.replaceAll('_', ' '));
    const about = schema.description ? html`<small>${served(schema.description)}</small>` : nothing;
    const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== 'null') : schema.type;
    const value = this.values[key];
    const set = (to: unknown) => this.#set(key, to);
    if (schema.enum) {
      return html`<label class="field"><span>${label}</span><select class="input" @change=${(event: Event) => set((event.currentTarget as HTMLSelectElement).value || undefined)}><option value="">default</option>${schema.enum.map((one) => html`<option ?selected=${one === value}>${String(one)}</option>`)}</select>${about}</label>`;
    }
    if (type === 'boolean') {
      return html`<label class="field"><input type="checkbox" .checked=${value === true} @change=${(event: Event) => set((event.currentTarget as HTMLInputElement).checked)} /> ${label}${about}</label>`;
    }
    if (type === 'integer' || type === 'number') {
      return html`<label class="field"><span>${label}</span><input class="input" type="number" step=${type === 'integer' ? 1 : 'any'} min=${schema.minimum ?? nothing} max=${schema.maximum ?? nothing} .value=${value === undefined ? '' : String(value)} placeholder="default" @change=${(event: Event) => set(numberOf((event.currentTarget as HTMLInputElement).value))} />${about}</label>`;
    }
    if (type === 'string') {
      return html`<label class="field"><span>${label}</span><input class="input" .value=${typeof value === 'string' ? value : ''} placeholder="default" @change=${(event: Event) => set((event.currentTarget as HTMLInputElement).value || undefined)} />${about}</label>`;
    }
    if (type === 'array' && schema.items?.type === 'string') {
      return html`<label class="field"><span>${label}</span><textarea class="input" .value=${Array.isArray(value) ? value.join('\n') : ''} @change=${(event: Event) => set(linesOf((event.currentTarget as HTMLTextAreaElement).value))}></textarea><small>One entry per line. ${served(schema.description ?? '')}</small></label>`;
    }
    return html`<label class="field"><span>${label}</span><textarea class="input" .value=${value === undefined ? '' : JSON.stringify(value, null, 2)} @change=${(event: Event) => this.#json(key, (event.currentTarget as HTMLTextAreaElement).value)}></textarea><small>Written as JSON. ${served(schema.description ?? '')}</small></label>`;
  }

  #json(key: string, text: string): void {
    try {
      this.#set(key, text.trim() ? JSON.parse(text) : undefined);
      this.wrong = '';
    } catch {
      this.wrong = t('“{}” is not valid JSON and was not taken. Please correct it.', key);
    }
  }

  #set(key: string, value: unknown): void {
    const { [key]: _, ...rest } = this.values;
    this.values = value === undefined ? rest : { ...rest, [key]: value };
    this.dispatchEvent(new CustomEvent('values', { detail: this.values }));
  }
}

function numberOf(text: string): number | undefined {
  return text === '' ? undefined : Number(text);
}

function linesOf(text: string): string[] | undefined {
  const lines = text.split('\n').map((line) => line.trim()).filter(Boolean);
  return lines.length > 0 ? lines : undefined;
}
customElements.define('mj-schema-form', MjSchemaForm);
