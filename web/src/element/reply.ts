/**
 * What an agent wrote, as nodes that only ever grow at their end. Only where what is stored differs from what was seen
 * is it written anew.
 */
import { makeElement } from '../hml';
import type { HmlBase } from '../hml/base';
import { Writer } from '../markdown/writer';
import type { Entry, Piece, Transcript } from '../store/transcript';
import './call';
import type { MjCall } from './call';

/** More than this of one reply is shown only when somebody asks for it. */
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
    if (!this.#continues(entry.pieces)) this.#clear();
    this.#writer ??= new Writer(this);
    for (let at = Math.max(0, this.#written.length - 1); at < entry.pieces.length; at += 1) {
      const piece = entry.pieces[at];
      if (piece && !this.#write(at, piece, entry, transcript)) break;
    }
    if (!entry.open && !this.#ended) this.#writer?.end();
    this.#ended = !entry.open;
    this.classList.toggle('writing', entry.open);
    this.#refresh(entry, transcript);
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
    button.textContent = 'This is long. Show the rest';
    button.addEventListener('click', () => {
      button.remove();
      this.#all = true;
      if (this.#latest) this.show(...this.#latest);
    });
    this.append(button);
    return false;
  }

  #element(id: string, entry: Entry, transcript: Transcript): void {
    const element = entry.elements[id];
    const made = element && makeElement(element.type);
    if (!element || !made) return this.#writer?.text(element?.content ?? '');
    made.node.context = { session_id: transcript.session_id, message_id: entry.id };
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
    for (const [id, node] of this.#elements) {
      const element = entry.elements[id];
      if (!element) continue;
      node.element = element;
      if (element.type === 'todo') node.parts = Object.values(entry.elements).filter((one) => one.parent_id === id);
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
