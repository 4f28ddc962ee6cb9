/** What every element of a reply has: what the server read of it, its parts, and the call it made. */
import { LightElement } from '../element/light';
import type { Question } from '../api/schema';
import type { Call, HmlElement } from '../store/transcript';

export interface HmlContext {
  session_id: string;
  message_id: string;
}

export class HmlBase extends LightElement {
  static override properties = {
    element: { attribute: false },
    parts: { attribute: false },
    call: { attribute: false },
    question: { attribute: false },
  };

  declare element: HmlElement;
  /** Elements inside of it, in order. */
  declare parts: HmlElement[];
  declare call: Call | undefined;
  /** What it asks a person, while and after it waits. */
  declare question: Question | undefined;
  context: HmlContext = { session_id: '', message_id: '' };

  constructor() {
    super();
    this.element = { id: '', parent_id: null, type: '', attributes: {}, content: '', done: false };
    this.parts = [];
    this.call = undefined;
    this.question = undefined;
  }

  /** Its words, and those of whatever was written into it: nothing an agent wrote is lost on the way to the screen. */
  protected get words(): string {
    const inside = this.parts.filter((part) => part.type !== 'response').map((part) => part.content);
    return [this.element.content, ...inside].filter(Boolean).join('\n');
  }

  protected attribute(name: string, otherwise = ''): string {
    return this.element.attributes[name] || otherwise;
  }
}
