/**
 * How much of a text was not seen being typed: pasted, dropped, or put there by a keyboard's clipboard bar. Others may have written
 * it, so an agent acts on it only when its person says that it is theirs.
 */

/** Longer texts count as pasted, unless they were typed. */
export const TYPED_CHARS = 2000;
/** More than this at once is not typed: a word that a keyboard completes is shorter. */
const AT_ONCE = 40;
const PUT_THERE = new Set(['insertFromPaste', 'insertFromPasteAsQuotation', 'insertFromDrop', 'insertFromYank']);

export class Untyped {
  #text: string;
  #count: number;

  /** Of what is there at the beginning nothing was seen, unless so much is known. */
  constructor(text = '', count = text.length) {
    this.#text = text;
    this.#count = count;
  }

  /** What one event made of the text; `how` is its `inputType`. */
  note(text: string, how = ''): void {
    const inserted = insertedChars(this.#text, text);
    if (inserted > AT_ONCE || PUT_THERE.has(how)) this.#count += inserted;
    this.#text = text;
    this.#count = Math.min(this.#count, text.length);
  }

  /** The page itself put it there. */
  put(text: string): void {
    this.note(text, 'insertFromPaste');
  }

  /** So little was put there at once that the words count as typed. */
  get typed(): boolean {
    return this.#count <= TYPED_CHARS;
  }
}

/** What stands between the beginning and the end that both have. */
function insertedChars(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return after.length - start - end;
}
