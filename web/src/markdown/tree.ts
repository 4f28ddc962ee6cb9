/** What is to be shown, as plain objects: compared with what is shown already, so that only what is new touches the page. */
import type { Token } from 'markdown-it';
import { unescapeAll } from './parser';
import { DEEPEST } from './rules/bounds';

export type Part = { dom?: Node } & (
  | { kind: 'text'; text: string }
  | { kind: 'slot'; at: number }
  | { kind: 'code'; text: string; language: string; closed: boolean }
  | { kind: 'math'; tex: string; source: string; display: boolean }
  | { kind: 'box'; checked: boolean }
  | { kind: 'sign'; label: string }
  | { kind: 'link'; href: string; title: string; parts: Part[] }
  | { kind: 'note'; label: string; parts: Part[] }
  | { kind: 'table'; parts: Part[] }
  | { kind: 'element'; name: string; style: string; parts: Part[] }
);
type Branch = Extract<Part, { parts: Part[] }>;

/** Stands in the text for a node that belongs into the middle of a line. */
export const SLOTS = 0xf0000;
export const SLOT = /[\u{f0000}-\u{ffffd}]/gu;

/** Inside of each other no deeper than this. */
const DEEPEST_PART = DEEPEST * 2;

/** The parts of blocks that were read from this text, whose first line has this number. */
export function partsOf(tokens: Token[], src: string, line: number): Part[] {
  const builder = new Builder(src, line);
  builder.add(tokens);
  return builder.whole();
}

class Builder {
  readonly #src: string;
  readonly #line: number;
  readonly #root: Part[] = [];
  /** A token that opens nothing of its own has null here. */
  readonly #open: (Branch | null)[] = [];
  #depth = 0;
  #links = 0;
  #lines: number[] | null = null;

  constructor(src: string, line: number) {
    this.#src = src;
    this.#line = line;
  }

  whole(): Part[] {
    return this.#root;
  }

  add(tokens: Token[]): void {
    for (const token of tokens) {
      if (token.nesting > 0) this.#begin(token);
      else if (token.nesting < 0) this.#end();
      else this.#leaf(token);
    }
  }

  get #into(): Part[] {
    return this.#open.findLast((one) => one !== null)?.parts ?? this.#root;
  }

  #begin(token: Token): void {
    const made = this.#depth < DEEPEST_PART ? this.#branch(token) : null;
    if (made) this.#into.push(made);
    if (made) this.#depth += 1;
    if (made?.kind === 'link') this.#links += 1;
    this.#open.push(made);
  }

  #end(): void {
    const made = this.#open.pop();
    if (made) this.#depth -= 1;
    if (made?.kind === 'link') this.#links -= 1;
  }

  #branch(token: Token): Branch | null {
    if (token.hidden) return null;
    if (token.type === 'link_open') return { kind: 'link', href: String(token.attrGet('href') ?? ''), title: String(token.attrGet('title') ?? ''), parts: [] };
    if (token.type === 'note_open') return { kind: 'note', label: labelOf(token), parts: [] };
    if (token.type === 'table_open') return { kind: 'table', parts: [] };
    const name = token.type === 'heading_open' ? `h${String(token.meta?.['rank'] ?? 2)}` : token.tag;
    return { kind: 'element', name, style: this.#style(token), parts: [] };
  }

  /** The one thing that a block says of itself besides its name: a level, a side, the number it begins with. */
  #style(token: Token): string {
    if (token.type === 'heading_open') return token.tag;
    if (token.tag === 'ol') return String(token.attrGet('start') ?? '');
    return /text-align:(\w+)/.exec(String(token.attrGet('style') ?? ''))?.[1] ?? '';
  }

  #leaf(token: Token): void {
    const into = this.#into;
    switch (token.type) {
      case 'inline':
        if (token.meta) into.push({ kind: 'box', checked: Boolean(token.meta['checked']) });
        return this.add(token.children ?? []);
      case 'text':
      case 'text_special':
        return words(into, token.content);
      case 'plain':
        return lines(into, token.content);
      case 'softbreak':
      case 'hardbreak':
        return void into.push(element('br'));
      case 'hr':
        return void into.push(element('hr'));
      case 'code_inline': {
        const code = element('code');
        words(code.parts, token.content);
        return void into.push(code);
      }
      case 'math':
        return void into.push({ kind: 'math', tex: token.content, source: token.markup, display: token.block });
      case 'image':
        return this.#picture(token);
      case 'note_sign':
        return void into.push({ kind: 'sign', label: labelOf(token) });
      case 'fence':
      case 'code_block':
        return void into.push({ kind: 'code', text: token.content.replace(SLOT, ''), language: languageOf(token), closed: this.#closed(token) });
    }
  }

  /** A picture is a link to it: nothing is fetched that a reply names. */
  #picture(token: Token): void {
    const alt = token.children?.map(wordsOf).join('') ?? '';
    if (this.#links > 0) return words(this.#into, alt);
    const link: Branch = { kind: 'link', href: String(token.attrGet('src') ?? ''), title: String(token.attrGet('title') ?? ''), parts: [] };
    words(link.parts, alt);
    this.#into.push(link);
  }

  #closed(token: Token): boolean {
    const [start, end] = token.map ?? [0, 0];
    if (token.type !== 'fence' || end - start < 2) return token.type !== 'fence';
    this.#lines ??= lineStarts(this.#src);
    const last = this.#src.slice(this.#lines[end - 1 - this.#line], this.#lines[end - this.#line]).trim();
    return last.endsWith(token.markup) && /(?:^|[\s>])[`~]+$/.test(last);
  }
}

/** Where each line begins. */
export function lineStarts(src: string): number[] {
  const starts = [0];
  for (let at = src.indexOf('\n'); at >= 0; at = src.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function element(name: string, style = ''): Branch {
  return { kind: 'element', name, style, parts: [] };
}

/**
 * The page has a heading of its own above a reply: the first one of a reply is of the second rank, and none is more than
 * one rank below the one before it. Takes the headings that these stand below, and gives those that the next ones do.
 */
export function rankHeadings(tokens: Token[], above: number[]): number[] {
  let open = above;
  for (const token of tokens) {
    if (token.type !== 'heading_open') continue;
    const level = Number(token.tag.slice(1));
    open = [...open.filter((one) => one < level), level];
    token.meta = { rank: Math.min(6, open.length + 1) };
  }
  return open;
}

export function labelOf(token: Token): string {
  return String(token.meta?.['label']);
}

function languageOf(token: Token): string {
  return (/^\s*(\S*)/.exec(unescapeAll(token.info))?.[1] ?? '').slice(0, 40);
}

function wordsOf(token: Token): string {
  if (token.type === 'softbreak' || token.type === 'hardbreak') return '\n';
  return token.content && token.type !== 'image' ? token.content : (token.children?.map(wordsOf).join('') ?? '');
}

function lines(into: Part[], text: string): void {
  for (const [at, line] of text.split('\n').entries()) {
    if (at > 0) into.push(element('br'));
    words(into, line);
  }
}

/** Text, cut where nodes stand in it. */
function words(into: Part[], text: string): void {
  let from = 0;
  for (const match of text.matchAll(SLOT)) {
    more(into, text.slice(from, match.index));
    into.push({ kind: 'slot', at: match[0].codePointAt(0)! - SLOTS });
    from = match.index + match[0].length;
  }
  more(into, text.slice(from));
}

function more(into: Part[], text: string): void {
  const last = into.at(-1);
  if (last?.kind === 'text') last.text += text;
  else if (text) into.push({ kind: 'text', text });
}

/** Nodes that stand where no node can, like within code, follow the block: nothing is lost. */
export function slotsOf(src: string, parts: Part[]): Part[] {
  const wanted = new Set([...src.matchAll(SLOT)].map((match) => match[0].codePointAt(0)! - SLOTS));
  if (wanted.size > 0) for (const at of slotsIn(parts)) wanted.delete(at);
  return wanted.size > 0 ? [{ ...element('p'), parts: [...wanted].map((at) => ({ kind: 'slot' as const, at })) }] : [];
}

function slotsIn(parts: Part[]): number[] {
  return parts.flatMap((part) => (part.kind === 'slot' ? part.at : 'parts' in part ? slotsIn(part.parts) : []));
}
