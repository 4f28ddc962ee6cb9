/** Sequence diagrams, as people write them for Mermaid: who says what to whom, one below the other. */
import { said } from '../../draw/svg';

export interface Speaker {
  id: string;
  text: string;
  isPerson: boolean;
}
export type Step =
  | { type: 'message'; from: number; to: number; text: string; dotted: boolean; end: string }
  | { type: 'note'; from: number; to: number; side: string; text: string }
  | { type: 'open'; kind: string; text: string }
  | { type: 'part'; text: string }
  | { type: 'close' };
export interface Sequence {
  title: string;
  speakers: Speaker[];
  steps: Step[];
}

const MOST_SPEAKERS = 30;
const MOST_STEPS = 400;

const MESSAGE = /^(.+?)\s*(<<-?->>|--?>>|--?>|--?[x)])\s*[+-]?\s*([^:]+?)\s*(?::\s*(.*))?$/;
const SPEAKER = /^(?:create\s+)?(participant|actor)\s+(.+?)(?:\s+as\s+(.+))?$/;
const NOTE = /^note\s+(left of|right of|over)\s+([^:]+?)\s*:\s*(.*)$/i;
const OPEN = /^(loop|alt|opt|par|critical|break|rect|box)\b\s*(.*)$/;
const PART = /^(?:else|and|option)\b\s*(.*)$/;
const NOTHING = /^(?:%%.*|(?:activate|deactivate|destroy|accTitle|accDescr)\b.*|)$/;

/** Null where something is not understood, or is too much. */
export function readSequence(text: string): Sequence | null {
  const [first, ...rest] = text.replace(/^---\n[^]*?\n---\n/, '').split(/[\n;]/).map((line) => line.trim()).filter((line) => line && !line.startsWith('%%'));
  if (first !== 'sequenceDiagram') return null;
  const reader = new Reader();
  for (const line of rest) if (!reader.read(line)) return null;
  return reader.whole();
}

class Reader {
  readonly #sequence: Sequence = { title: '', speakers: [], steps: [] };
  readonly #open: string[] = [];
  #numbered = false;
  #count = 0;

  whole(): Sequence | null {
    const { speakers, steps } = this.#sequence;
    const isFine = this.#open.length === 0 && speakers.length > 0 && speakers.length <= MOST_SPEAKERS && steps.length <= MOST_STEPS;
    return isFine ? this.#sequence : null;
  }

  read(line: string): boolean {
    const { steps, speakers } = this.#sequence;
    if (NOTHING.test(line)) return true;
    if (/^autonumber\b/.test(line)) return (this.#numbered = true);
    const title = /^title:?\s+(.*)$/.exec(line);
    if (title) return Boolean((this.#sequence.title = said(title[1]!)));
    const speaker = SPEAKER.exec(line);
    if (speaker) {
      const known = speakers[this.#speaker(speaker[2]!)]!;
      Object.assign(known, { text: said(speaker[3] ?? speaker[2]!), isPerson: speaker[1] === 'actor' });
      return true;
    }
    if (line === 'end') {
      const kind = this.#open.pop();
      if (kind && !QUIET.has(kind)) steps.push({ type: 'close' });
      return kind !== undefined;
    }
    const open = OPEN.exec(line);
    if (open) {
      this.#open.push(open[1]!);
      if (!QUIET.has(open[1]!)) steps.push({ type: 'open', kind: open[1]!, text: said(open[2]!) });
      return true;
    }
    const part = PART.exec(line);
    if (part) return this.#open.length > 0 && steps.push({ type: 'part', text: said(part[1]!) }) > 0;
    return this.#note(line) || this.#message(line);
  }

  #note(line: string): boolean {
    const note = NOTE.exec(line);
    if (!note) return false;
    const places = note[2]!.split(',').map((one) => this.#speaker(one.trim()));
    this.#sequence.steps.push({ type: 'note', from: Math.min(...places), to: Math.max(...places), side: note[1]!.toLowerCase(), text: said(note[3]!) });
    return true;
  }

  #message(line: string): boolean {
    const message = MESSAGE.exec(line);
    if (!message) return false;
    const [, from = '', arrow = '', to = '', text = ''] = message;
    this.#count += 1;
    const words = said(text);
    const end = arrow.endsWith('x') ? 'cross' : arrow.endsWith(')') ? 'open' : arrow.endsWith('>>') ? 'arrow' : '';
    this.#sequence.steps.push({ type: 'message', from: this.#speaker(from.trim()), to: this.#speaker(to.trim()), text: this.#numbered ? `${this.#count}. ${words}` : words, dotted: arrow.includes('--'), end });
    return true;
  }

  /** Its place; one that is named for the first time comes last. */
  #speaker(id: string): number {
    const { speakers } = this.#sequence;
    const at = speakers.findIndex((one) => one.id === id);
    return at >= 0 ? at : speakers.push({ id, text: said(id), isPerson: false }) - 1;
  }
}

/** They colour what is in them and say nothing else. */
const QUIET = new Set(['rect', 'box']);
