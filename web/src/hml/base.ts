/** What every element of a reply has: what the server read of it, its parts, and the call it made. */
import { html, type TemplateResult } from 'lit';
import { LightElement } from '../element/light';
import type { Question } from '../api/schema';
import type { Call, HmlElement } from '../store/transcript';

export interface HmlContext {
  session_id: string;
  message_id: string;
  /** The agent has written since: it has read what was answered here. */
  isRead: boolean;
}

export class HmlBase extends LightElement {
  static override properties = {
    element: { attribute: false },
    parts: { attribute: false },
    call: { attribute: false },
    question: { attribute: false },
    context: { attribute: false },
  };

  declare element: HmlElement;
  /** Elements inside of it, in order. */
  declare parts: HmlElement[];
  declare call: Call | undefined;
  /** What it asks a person, while and after it waits. */
  declare question: Question | undefined;
  declare context: HmlContext;

  constructor() {
    super();
    this.element = { id: '', parent_id: null, type: '', attributes: {}, content: '', done: false };
    this.parts = [];
    this.call = undefined;
    this.question = undefined;
    this.context = { session_id: '', message_id: '', isRead: false };
  }

  /** Its words, and those of whatever was written into it: nothing an agent wrote is lost on the way to the screen. */
  protected get words(): string {
    return this.wordsOf(this.element);
  }

  protected wordsOf(element: HmlElement, parts = this.parts): string {
    const asked = new Set(this.promptsOf(element, parts).flatMap((prompt) => [prompt, ...within(prompt, parts)]));
    const inside = within(element, parts).filter((part) => part.type !== 'response' && !asked.has(part));
    return [element.content, ...inside.map((part) => part.content)].filter(Boolean).join('\n');
  }

  /** The fields for answers in it, however deep. A prompt in a prompt is one question. */
  protected promptsOf(element: HmlElement, parts = this.parts): HmlElement[] {
    if (element.type === 'hml-prompt') return [];
    const prompts = within(element, parts).filter((part) => part.type === 'hml-prompt');
    const inner = new Set(prompts.flatMap((prompt) => within(prompt, parts)));
    return prompts.filter((prompt) => !inner.has(prompt));
  }

  /** Each can be answered, as if it stood in the text. */
  protected fields(element = this.element, parts = this.parts): TemplateResult[] {
    const field = (prompt: HmlElement) => html`<span class="asked"><hml-prompt .context=${this.context} .element=${prompt} .parts=${within(prompt, parts)}></hml-prompt></span>`;
    return this.promptsOf(element, parts).map(field);
  }

  protected attribute(name: string, otherwise = ''): string {
    return this.element.attributes[name] || otherwise;
  }
}

/** What stands inside of it, however deep, in order. */
export function within(element: HmlElement, parts: HmlElement[]): HmlElement[] {
  const inside = new Set([element.id]);
  return parts.filter((part) => {
    const is = part.parent_id !== null && inside.has(part.parent_id);
    if (is) inside.add(part.id);
    return is;
  });
}
