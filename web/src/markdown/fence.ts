/** Code that comes: it grows at its end and is not read again. */
import { counted } from './nodes';
import { codeText, finishCode } from './code';
import type { Part } from './tree';

export class Fence {
  readonly #code: Extract<Part, { kind: 'code' }>;
  readonly #inner: HTMLElement;
  readonly #close: RegExp;
  readonly #mayClose: RegExp;
  /** The line that begins it. */
  readonly #opening: string;
  /** Its whole lines, and what there is of the next. */
  #lines: string;
  #line = '';
  /** So many letters of it are on the page. */
  #shown: number;

  constructor(code: Extract<Part, { kind: 'code' }>, opening: string, markup: string) {
    this.#code = code;
    this.#inner = (code.dom as HTMLElement).querySelector('code')!;
    this.#opening = opening;
    const sign = markup[0]!;
    this.#close = new RegExp(`^ {0,3}${sign}{${markup.length},}[ \\t]*$`);
    this.#mayClose = new RegExp(`^ {0,3}${sign}*[ \\t]*$`);
    const last = code.text.lastIndexOf('\n') + 1;
    this.#lines = code.text.slice(0, last);
    this.#shown = code.text.length;
    this.#take(code.text.slice(last));
  }

  /** What came so far, as it was written. */
  get text(): string {
    return this.#lines + this.#line;
  }

  /** Gives what follows its end, or null as long as it goes on. */
  write(text: string): string | null {
    counted.read += text.length;
    let rest = this.#line + text;
    let end = rest.indexOf('\n', this.#line.length);
    let from = 0;
    for (; end >= 0; end = rest.indexOf('\n', from)) {
      const line = rest.slice(from, end);
      if (this.#close.test(line)) {
        this.#lines += rest.slice(0, from);
        this.#line = '';
        this.finish();
        return rest.slice(end + 1);
      }
      from = end + 1;
    }
    this.#lines += rest.slice(0, from);
    rest = rest.slice(from);
    this.#take(rest);
    return null;
  }

  #take(line: string): void {
    this.#line = line;
    this.#show(this.#mayClose.test(line) ? '' : line);
  }

  #show(line: string): void {
    const length = this.#lines.length + line.length;
    if (this.#shown > length) codeText(this.#inner, this.#lines + line);
    else if (this.#shown < this.#lines.length) codeText(this.#inner, this.#lines.slice(this.#shown) + line, true);
    else codeText(this.#inner, line.slice(this.#shown - this.#lines.length), true);
    this.#shown = length;
  }

  /** It is read as a whole again. Gives what was written of it. */
  leave(): string {
    codeText(this.#inner, this.text);
    Object.assign(this.#code, { text: this.text, closed: false });
    return this.#opening + this.text;
  }

  /** Nothing more comes of it. */
  finish(): void {
    this.#show(this.#close.test(this.#line) ? '' : this.#line);
    const text = this.#close.test(this.#line) ? this.#lines : this.text;
    Object.assign(this.#code, { text, closed: true });
    finishCode(this.#inner, { ...this.#code });
  }
}
