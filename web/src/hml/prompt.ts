import { nothing, type TemplateResult } from 'lit';
import { words } from '../api/client';
import { house } from '../store/house';
import { HmlBase } from './base';
import { html } from '../words/words';

interface Choice {
  value: string;
  label: string;
  selected?: boolean;
}

type Answer = string | number | boolean | string[];

/** `<hml-prompt>`: a field in the middle of a sentence, answered whenever the person likes. */
export class HmlPrompt extends HmlBase {
  #busy = false;
  #problem = '';

  /** In what another person shares there is no conversation to answer in: it is read only. */
  override willUpdate(): void {
    this.inert = this.context.session_id === '';
  }

  override render() {
    const answer = this.element.attributes['answer'];
    const question = this.words.trim();
    if (this.element.attributes['answered'] && this.element.attributes['answered'] !== 'false') {
      return html`<span class="prompt answered" title=${question}><span class="unseen">${question} </span>${answer ?? ''}</span>`;
    }
    if (!this.element.done) return html`<span class="prompt">${question}</span>`;
    return html`<form class="prompt" @submit=${this.#submit}>
      ${this.#field(question)}
      <button class="btn ghost ok" ?disabled=${this.#busy} aria-label="Answer: ${question}">↵</button>
      ${this.#problem ? html`<span class="told" role="alert">${this.#problem}</span>` : nothing}
    </form>`;
  }

  #field(question: string): TemplateResult {
    const type = this.attribute('type', 'text');
    const value = this.attribute('default');
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
      return Array.isArray(listed) ? (listed as Choice[]) : [];
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
    this.requestUpdate();
    try {
      const { session_id, message_id } = this.context;
      await house.conversation(session_id).answerPrompt(message_id, this.attribute('id', this.element.id), answer);
    } catch (error) {
      this.#problem = words(error);
    }
    this.#busy = false;
    this.requestUpdate();
  };
}
customElements.define('hml-prompt', HmlPrompt);
