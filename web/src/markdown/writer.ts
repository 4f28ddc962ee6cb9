/**
 * Markdown becomes nodes while it comes. THREAT[page-02]: nothing of a reply is ever read as HTML: nodes are created by
 * name from a fixed list, words become text nodes, and no attribute is taken over but a checked address.
 */
import * as smd from 'streaming-markdown';
import { root } from '../api/client';
import { safeAddress } from './address';
import { codeBlock, finishCode } from './code';
import { t } from '../words/words';

/** Stands in the text for a node that belongs into the middle of a line; a reply cannot write it. */
const SLOT = '\ufffc';
/** Deeper than this nothing is nested: the parser keeps that many levels. */
const DEPTH = 20;

const NAMES: Partial<Record<smd.Token, string>> = {
  [smd.PARAGRAPH]: 'p',
  [smd.HEADING_1]: 'h3',
  [smd.HEADING_2]: 'h3',
  [smd.HEADING_3]: 'h4',
  [smd.HEADING_4]: 'h4',
  [smd.HEADING_5]: 'h5',
  [smd.HEADING_6]: 'h5',
  [smd.BLOCKQUOTE]: 'blockquote',
  [smd.LINE_BREAK]: 'br',
  [smd.RULE]: 'hr',
  [smd.LIST_UNORDERED]: 'ul',
  [smd.LIST_ORDERED]: 'ol',
  [smd.LIST_ITEM]: 'li',
  [smd.ITALIC_AST]: 'em',
  [smd.ITALIC_UND]: 'em',
  [smd.STRONG_AST]: 'strong',
  [smd.STRONG_UND]: 'strong',
  [smd.STRIKE]: 's',
  [smd.CODE_INLINE]: 'code',
  [smd.LINK]: 'a',
  [smd.RAW_URL]: 'a',
  [smd.IMAGE]: 'a',
  [smd.TABLE_ROW]: 'tr',
};

export class Writer {
  readonly #target: HTMLElement;
  #stack: Element[];
  #waiting: Node[] = [];
  #parser: smd.Parser;
  #broken = false;
  /** The last letter, which the parser holds back until it knows the next. */
  #tail: Text | null = null;

  constructor(target: HTMLElement) {
    this.#target = target;
    this.#stack = [target];
    this.#parser = this.#begin();
  }

  text(text: string): void {
    this.#write(text.replaceAll(SLOT, '\ufffd'));
  }

  /** In the middle of the line. */
  inline(node: Node): void {
    this.#waiting.push(node);
    this.#write(SLOT);
  }

  /** Between blocks. */
  block(node: Node): void {
    this.end();
    this.#target.append(node);
    this.#stack = [this.#target];
    this.#parser = this.#begin();
  }

  end(): void {
    this.#tail?.remove();
    this.#tail = null;
    if (this.#broken) return;
    smd.parser_end(this.#parser);
    for (const element of this.#stack) finishCode(element);
  }

  #begin(): smd.Parser {
    return smd.parser({
      data: null,
      add_token: (_: unknown, token: smd.Token) => this.#open(token),
      end_token: () => this.#close(),
      add_text: (_: unknown, text: string) => this.#words(text),
      set_attr: (_: unknown, name: smd.Attr, value: string) => this.#attribute(name, value),
    });
  }

  #write(text: string): void {
    this.#tail?.remove();
    this.#tail = null;
    if (this.#broken || this.#parser.len > DEPTH) return this.#plain(text);
    try {
      smd.parser_write(this.#parser, text);
      this.#showTail(this.#parser.pending);
    } catch {
      // What the parser cannot read is still shown.
      this.#broken = true;
      this.#plain(text);
    }
  }

  /** Letters are nothing but letters inside of a paragraph; signs may still become something else. */
  #showTail(held: string): void {
    if (this.#top === this.#target || !/^[\p{L}\p{N}.,;:?…]$/u.test(held)) return;
    this.#tail = document.createTextNode(held);
    this.#top.append(this.#tail);
  }

  #plain(text: string): void {
    this.#broken = true;
    this.#stack = [this.#target];
    this.#words(text);
  }

  get #top(): Element {
    return this.#stack.at(-1) ?? this.#target;
  }

  #open(token: smd.Token): void {
    const made = this.#make(token);
    this.#top.append(made.outer);
    this.#stack.push(made.inner);
  }

  #make(token: smd.Token): { outer: Element; inner: Element } {
    if (token === smd.CODE_BLOCK || token === smd.CODE_FENCE) return codeBlock();
    if (token === smd.TABLE) {
      const outer = create('div');
      outer.className = 'scrolls';
      outer.tabIndex = 0;
      outer.setAttribute('role', 'region');
      outer.setAttribute('aria-label', t('Table'));
      const inner = create('table');
      outer.append(inner);
      return { outer, inner };
    }
    if (token === smd.TABLE_CELL) {
      const first = this.#top.parentElement?.firstElementChild === this.#top;
      return same(create(first ? 'th' : 'td'));
    }
    if (token === smd.CHECKBOX) {
      const box = create('input');
      Object.assign(box, { type: 'checkbox', disabled: true });
      box.setAttribute('aria-label', t('Task'));
      return same(box);
    }
    if (token === smd.EQUATION_BLOCK || token === smd.EQUATION_INLINE) {
      const math = create('code');
      math.className = 'math';
      math.textContent = math.dataset['sign'] = token === smd.EQUATION_BLOCK ? '$$' : '$';
      return same(math);
    }
    return same(create(NAMES[token] ?? 'span'));
  }

  #close(): void {
    const element = this.#stack.pop();
    if (element) finishCode(element);
    // Formulas are left as the text that they are, with their signs.
    if (element instanceof HTMLElement && element.dataset['sign']) element.append(element.dataset['sign']);
    if (this.#stack.length === 0) this.#stack = [this.#target];
  }

  #words(text: string): void {
    const pieces = text.split(SLOT);
    for (const [index, piece] of pieces.entries()) {
      if (piece) this.#append(piece);
      const node = index < pieces.length - 1 ? this.#waiting.shift() : undefined;
      if (node) this.#top.append(node);
    }
  }

  #append(text: string): void {
    const last = this.#top.lastChild;
    if (last instanceof Text) last.appendData(text);
    else this.#top.append(text);
  }

  #attribute(name: smd.Attr, value: string): void {
    const element = this.#top;
    if (name === smd.HREF || name === smd.SRC) {
      outside(element as HTMLAnchorElement, value);
    } else if (name === smd.LANG) {
      (element as HTMLElement).dataset['language'] = value.slice(0, 40);
    } else if (name === smd.CHECKED) {
      element.setAttribute('checked', '');
    } else if (name === smd.START && /^\d{1,9}$/.test(value)) {
      element.setAttribute('start', value);
    }
  }
}

/** A link that leads away is asked about before it is followed; an address that is none stays words. */
export function outside(anchor: HTMLAnchorElement, text: string): void {
  const address = safeAddress(text, root());
  if (!address) return anchor.removeAttribute('href');
  anchor.href = address;
  anchor.rel = 'noopener noreferrer';
  anchor.target = '_blank';
  anchor.title = address;
  anchor.dataset['outside'] = '';
}

function create<K extends keyof HTMLElementTagNameMap>(name: K): HTMLElementTagNameMap[K];
function create(name: string): HTMLElement;
function create(name: string): HTMLElement {
  return document.createElement(name);
}

function same(element: Element): { outer: Element; inner: Element } {
  return { outer: element, inner: element };
}
