import { nothing, type TemplateResult } from 'lit';
import { words } from '../api/client';
import { house } from '../store/house';
import { HmlBase } from './base';
import { html, t } from '../words/words';

interface Choice {
  value: string;
  label: string;
  selected?: boolean;
}

type Answer = string | number | boolean | string[];

/** `<hml-prompt>`: a field in the middle of a sentence, answered whenever the person likes. */
export class HmlPrompt extends HmlBase {
  static override properties = { ...HmlBase.properties, changing: { state: true } };
  /** The person gives another answer, in the place of the one that stands. */
  declare changing: boolean;
  #busy = false;
  #problem = '';

  constructor() {
    super();
    this.changing = false;
  }

  /** In what another person shares there is no conversation to answer in: it is read only. */
  override willUpdate(): void {
    this.inert = this.context.session_id === '';
  }

  override render() {
    const question = this.words.trim();
    if (this.#isAnswered && !(this.changing && this.#mayChange)) {
      return html`<span class="prompt answered" title=${question}><span class="unseen">${question} </span>${this.#answerWords()}${!this.#mayChange ? nothing : html` <button class="btn ghost change" type="button" aria-label=${t('Change the answer: {}', question)} @click=${this.#change}>Change</button>`}</span>`;
    }
    if (!this.element.done) return html`<span class="prompt">${question}</span>`;
    return html`<form class="prompt" @submit=${this.#submit}>
      ${this.#field(question)}
      <button class="btn ghost ok" ?disabled=${this.#busy} aria-label="Answer: ${question}">↵</button>
      ${this.changing ? html`<button class="btn ghost" type="button" @click=${() => (this.changing = false)}>Cancel</button>` : nothing}
      ${this.#problem ? html`<span class="told" role="alert">${this.#problem}</span>` : nothing}
    </form>`;
  }

  get #isAnswered(): boolean {
    const { answered } = this.element.attributes;
    return answered !== undefined && answered !== '' && answered !== 'false';
  }

  /** Not once the agent has read it, nor where a conversation is shown to others. */
  get #mayChange(): boolean {
    return !this.context.isRead && this.context.session_id !== '';
  }

  #change = (): void => {
    this.changing = true;
    void this.updateComplete.then(() => this.querySelector<HTMLElement>('[name=a]')?.focus());
  };

  /** The answer in the words that were chosen from. */
  #answerWords(): string {
    const answer = this.attribute('answer');
    const labels = new Map(this.#choices().map((choice) => [choice.value, choice.label]));
    switch (this.attribute('type', 'text')) {
      case 'checkbox':
        return answer === 'true' ? t('Yes') : t('No');
      case 'select':
      case 'radio':
        return labels.get(answer) ?? answer;
      case 'checkboxes':
        return severalOf(answer, [...labels.keys()]).map((value) => labels.get(value) ?? value).join(', ');
      default:
        return answer;
    }
  }

  #field(question: string): TemplateResult {
    const type = this.attribute('type', 'text');
    const value = this.changing ? this.attribute('answer') : this.attribute('default');
    const limits = { min: this.attribute('min'), max: this.attribute('max'), step: this.attribute('step') };
    switch (type) {
      case 'number':
      case 'range': {
        const usual = type === 'range' ? value || limits.min || '0' : value;
        return html`<label><span>${question}</span> <input name="a" type=${type} min=${limits.min || nothing} max=${limits.max || nothing} step=${limits.step || nothing} .value=${usual} required /></label>`;
      }
      case 'color':
        return html`<label><span>${question}</span> <input name="a" type="color" .value=${value || '#8a6212'} /></label>`;
      case 'checkbox':
        return html`<label><input name="a" type="checkbox" .checked=${value === 'true'} /> ${question}</label>`;
      case 'select':
        return html`<label><span>${question}</span> <select name="a">${this.#choices().map((choice) => html`<option value=${choice.value} ?selected=${choice.selected}>${choice.label}</option>`)}</select></label>`;
      case 'radio':
      case 'checkboxes': {
        const kind = type === 'radio' ? 'radio' : 'checkbox';
        return html`<fieldset><legend>${question}</legend>${this.#choices().map((choice) => html`<label><input name="a" type=${kind} value=${choice.value} ?checked=${choice.selected} /> ${choice.label}</label>`)}</fieldset>`;
      }
      default:
        return html`<input name="a" .value=${value} placeholder=${question} aria-label=${question} required autocomplete="off" />`;
    }
  }

  #choices(): Choice[] {
    try {
      const listed: unknown = JSON.parse(this.attribute('options', '[]'));
      const choices = Array.isArray(listed) ? (listed as Choice[]) : [];
      if (!this.changing) return choices;
      const chosen = this.attribute('type') === 'checkboxes' ? severalOf(this.attribute('answer'), choices.map((one) => one.value)) : [this.attribute('answer')];
      return choices.map((one) => ({ ...one, selected: chosen.includes(one.value) }));
    } catch {
      return [];
    }
  }

  #answer(form: HTMLFormElement): Answer | null {
    const type = this.attribute('type', 'text');
    const data = new FormData(form);
    if (type === 'checkbox') return data.has('a');
    if (type === 'checkboxes') return data.getAll('a').map(String);
    const value = data.get('a');
    if (value === null || value === '') return null;
    return type === 'number' || type === 'range' ? Number(value) : String(value);
  }

  #submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const answer = this.#answer(event.currentTarget as HTMLFormElement);
    if (answer === null || this.#busy) return;
    this.#busy = true;
    this.#problem = '';
    this.requestUpdate();
    try {
      const { session_id, message_id } = this.context;
      await house.conversation(session_id).answerPrompt(message_id, this.attribute('id', this.element.id), answer);
      this.changing = false;
    } catch (error) {
      this.#problem = words(error);
    }
    this.#busy = false;
    this.requestUpdate();
  };
}

/** What was chosen, as it is stored: with commas between, which may also be in what is chosen. */
function severalOf(answer: string, values: string[]): string[] {
  const chosen: string[] = [];
  for (let rest = answer; rest; ) {
    const fits = values.filter((value) => rest === value || rest.startsWith(`${value}, `));
    const next = fits.sort((a, b) => b.length - a.length)[0] ?? rest.split(', ')[0]!;
    chosen.push(next);
    rest = rest.slice(next.length + 2);
  }
  return chosen;
}
customElements.define('hml-prompt', HmlPrompt);
