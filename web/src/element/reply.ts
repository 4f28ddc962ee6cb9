/**
 * What an agent wrote, as nodes that only ever grow at their end. Only where what is stored differs from what was seen
 * is it written anew.
 */
import { makeElement } from '../hml/index';
import type { HmlBase } from '../hml/base';
import { loadReader, readerNow } from '../markdown/load';
import type { Writer } from '../markdown/writer';
import { isRead, type Entry, type HmlElement, type Piece, type Transcript } from '../store/transcript';
import './call';
import type { MjCall } from './call';
import { t } from '../words/words';

void loadReader().catch(() => undefined);

/** More than this of one reply is shown only when the reader asks for it. */
const MOST_SHOWN = 200_000;

export class MjReply extends HTMLElement {
  #writer: Writer | null = null;
  #written: Piece[] = [];
  #elements = new Map<string, HmlBase>();
  #calls = new Map<string, MjCall>();
  #all = false;
  #length = 0;
  #ended = false;
  #latest: [Entry, Transcript] | null = null;

  show(entry: Entry, transcript: Transcript): void {
    this.#latest = [entry, transcript];
    const reader = readerNow();
    if (!reader) return this.#showLater();
    if (!this.#continues(entry.pieces)) this.#clear();
    this.#writer ??= new reader(this);
    for (let at = Math.max(0, this.#written.length - 1); at < entry.pieces.length; at += 1) {
      const piece = entry.pieces[at];
      if (piece && !this.#write(at, piece, entry, transcript)) break;
    }
    if (!entry.open && !this.#ended) this.#writer?.end();
    this.#ended = !entry.open;
    this.classList.toggle('writing', entry.open);
    this.#refresh(entry, transcript);
  }

  /** When the reader is here. Where it does not come, the words are shown as they were written. */
  #showLater(): void {
    loadReader().then(
      () => this.#latest && this.show(...this.#latest),
      () => (this.textContent = this.#latest?.[0].content ?? ''),
    );
  }

  /** Is what is shown the beginning of this? */
  #continues(pieces: Piece[]): boolean {
    return this.#written.every((old, at) => {
      const piece = pieces[at];
      if (!piece || piece.type !== old.type) return false;
      if (piece.type === 'text' && old.type === 'text') {
        return at < this.#written.length - 1 ? piece.text === old.text : piece.text.startsWith(old.text);
      }
      if (piece.type === 'element' && old.type === 'element') return piece.id === old.id;
      return piece.type === 'call' && old.type === 'call' && piece.call_id === old.call_id;
    });
  }

  #clear(): void {
    this.replaceChildren();
    this.#writer = null;
    this.#written = [];
    this.#elements.clear();
    this.#calls.clear();
    this.#length = 0;
    this.#ended = false;
  }

  /** False when no more is to be shown. */
  #write(at: number, piece: Piece, entry: Entry, transcript: Transcript): boolean {
    const old = this.#written[at];
    if (piece.type === 'text') {
      const fresh = old?.type === 'text' ? piece.text.slice(old.text.length) : piece.text;
      if (fresh && this.#length > MOST_SHOWN && !this.#all) return this.#offerRest();
      this.#length += fresh.length;
      if (fresh) this.#writer?.text(fresh);
    } else if (!old) {
      if (piece.type === 'element') this.#element(piece.id, entry, transcript);
      else this.#call(piece.call_id, transcript);
    }
    this.#written[at] = piece;
    return true;
  }

  #offerRest(): boolean {
    if (this.querySelector(':scope > .rest')) return false;
    const button = document.createElement('button');
    button.className = 'btn rest';
    button.type = 'button';
    button.textContent = t('Show the rest of this long reply');
    button.addEventListener('click', () => this.wholly());
    this.append(button);
    return false;
  }

  /** Also what is more than is shown at first. */
  wholly(): void {
    const rest = this.querySelector(':scope > .rest');
    if (!rest) return;
    rest.remove();
    this.#all = true;
    if (this.#latest) this.show(...this.#latest);
  }

  #element(id: string, entry: Entry, transcript: Transcript): void {
    const element = entry.elements[id];
    const made = element && makeElement(element.type);
    if (!element || !made) return this.#writer?.text(element?.content ?? '');
    made.node.context = { session_id: transcript.session_id, message_id: entry.id, isRead: isRead(entry, transcript) };
    made.node.element = element;
    this.#elements.set(id, made.node);
    if (made.inline) this.#writer?.inline(made.node);
    else this.#writer?.block(made.node);
  }

  #call(call_id: string, transcript: Transcript): void {
    const node = document.createElement('mj-call') as MjCall;
    const call = transcript.calls[call_id];
    if (call) node.call = call;
    this.#calls.set(call_id, node);
    this.#writer?.block(node);
  }

  #refresh(entry: Entry, transcript: Transcript): void {
    const inside = partsOf(entry);
    const readNow = isRead(entry, transcript);
    for (const [id, node] of this.#elements) {
      const element = entry.elements[id];
      if (!element) continue;
      node.element = element;
      if (node.context.isRead !== readNow) node.context = { ...node.context, isRead: readNow };
      const parts = inside.get(id) ?? NONE;
      // What did not change is not drawn again: an element is a card of its own, and most of a reply stands still.
      if (!same(parts, node.parts)) node.parts = parts;
      node.call = element.call_id ? transcript.calls[element.call_id] : undefined;
      node.question = transcript.questions.find((question) => question.call_id === element.call_id && element.call_id !== undefined);
    }
    for (const [id, node] of this.#calls) {
      const call = transcript.calls[id];
      if (call) node.call = call;
    }
  }
}
customElements.define('mj-reply', MjReply);

const NONE: HmlElement[] = [];

/** Everything inside of the outermost elements, however deep, in order. */
function partsOf(entry: Entry): Map<string, HmlElement[]> {
  const outermost = new Map<string, string>();
  const parts = new Map<string, HmlElement[]>();
  for (const element of Object.values(entry.elements)) {
    const within = element.parent_id === null ? undefined : (outermost.get(element.parent_id) ?? element.parent_id);
    outermost.set(element.id, within ?? element.id);
    if (within === undefined) continue;
    const others = parts.get(within);
    if (others) others.push(element);
    else parts.set(within, [element]);
  }
  return parts;
}

function same(some: HmlElement[], others: HmlElement[]): boolean {
  return some.length === others.length && some.every((one, at) => one === others[at]);
}
