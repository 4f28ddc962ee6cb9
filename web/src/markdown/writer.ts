/**
 * Markdown becomes nodes while it comes. What is read again is only the last block: a block that another one follows is
 * finished and is not touched any more, but for a link in it whose address is named later.
 */
import type { Token } from 'markdown-it';
import { blocksOf, countFinished, type Block } from './blocks';
import { completed, readable } from './early';
import { Fence } from './fence';
import { Names, type Asked } from './names';
import { counted, patch, type Reply } from './nodes';
import { readBlocks, readLines } from './parser';
import { labelOf, lineStarts, partsOf, rankHeadings, SLOT, SLOTS, slotsOf, type Part } from './tree';

/** A last block of this length is read again when it has grown by this share, so that its length is paid a few times and not for each word. */
const SHARES: [number, number][] = [
  [4_096, 0],
  [65_536, 1 / 64],
  [Infinity, 1 / 16],
];
const DEFINES = new Set(['reference_definition', 'note_open']);
const MOST_SLOTS = 60_000;

/** What is shown of a block, and what it asked for. */
interface Shown {
  src: string;
  parts: Part[];
  asked: Asked;
  /** The headings that it stands below. */
  below: number[];
}

export class Writer implements Reply {
  readonly #target: HTMLElement;
  readonly #slots: Node[] = [];
  readonly #names = new Names<Shown>();
  readonly #notes = new Map<string, number>();
  /** What is not finished: its text, how much of it was there when it was read, and what is shown of it. */
  #tail = '';
  #seen = 0;
  #shown: Part[] = [];
  #fence: Fence | null = null;
  #below: number[] = [];
  /** So many letters came, and so many were read again for a name that came after them. */
  #came = 0;
  #again = 0;
  #return = false;

  constructor(target: HTMLElement) {
    this.#target = target;
  }

  text(text: string): void {
    this.#take(text.replace(SLOT, '\ufffd').replaceAll('\ufffc', '\ufffd'));
  }

  /** In the middle of the line. */
  inline(node: Node): void {
    if (this.#slots.length > MOST_SLOTS) return this.block(node);
    this.#leaveFence();
    this.#slots.push(node);
    this.#take(String.fromCodePoint(SLOTS + this.#slots.length - 1));
  }

  /** Between blocks. */
  block(node: Node): void {
    this.#leaveFence();
    this.#read('all');
    this.#target.append(node);
  }

  end(): void {
    if (this.#fence) this.#fence.finish();
    else this.#read('end');
    for (const block of this.#names.stale()) this.#readAgain(block);
  }

  slot(at: number): Node | undefined {
    return this.#slots[at];
  }

  /** Notes are numbered as they stand below each other. */
  noteNumber(label: string): number {
    if (!this.#notes.has(label)) this.#notes.set(label, this.#notes.size + 1);
    return this.#notes.get(label)!;
  }

  #take(text: string): void {
    if (!text) return;
    const whole = (this.#return ? '\r' : '') + text;
    this.#return = whole.endsWith('\r');
    const fresh = (this.#return ? whole.slice(0, -1) : whole).replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd');
    this.#came += fresh.length;
    if (!this.#fence) this.#tail += fresh;
    else if (!this.#goOn(this.#fence, fresh)) return;
    if (this.#isDue()) this.#read('on');
  }

  #isDue(): boolean {
    const share = SHARES.find(([length]) => this.#seen <= length)?.[1] ?? 0;
    return this.#tail.length - this.#seen > this.#seen * share;
  }

  /** `on` while more comes, `end` when nothing more comes, `all` when what comes has nothing to do with it. */
  #read(how: 'on' | 'end' | 'all'): void {
    const src = how === 'on' ? this.#tail.slice(0, readable(this.#tail)) : this.#tail;
    counted.read += src.length;
    this.#seen = this.#tail.length;
    this.#names.begin();
    const blocks = blocksOf(readBlocks(src, this.#names.table(new Map())));
    const starts = lineStarts(src);
    const count = how === 'on' ? countFinished(blocks, starts.length - 1) : how === 'all' ? blocks.length : 0;
    for (const { tokens } of blocks) if (tokens[0]?.type === 'note_open') this.noteNumber(labelOf(tokens[0]));
    let below = this.#below;
    const read = blocks.map((block, at) => {
      const shown = this.#lines(block, src.slice(starts[block.start], starts[block.end]), below, how === 'on' && at === blocks.length - 1);
      below = rankHeadings(block.tokens, below);
      return shown;
    });
    const parts = read.flatMap((one) => one.parts);
    patch(this.#target, this.#shown, parts, this, this.#shown.at(-1)?.dom?.nextSibling);
    this.#shown = parts;
    if (count > 0) this.#finish(blocks.slice(0, count), read, starts[blocks[count]?.start ?? blocks.at(-1)!.end] ?? src.length);
    if (how === 'all') this.#tail = '';
    else if (how === 'on' && count === blocks.length - 1) this.#enterFence(blocks[count]!, src, starts, count > 0 ? starts[blocks[count]!.start]! : 0);
  }

  #lines({ tokens, start }: { tokens: Token[]; start: number }, src: string, below: number[], isOpen: boolean): Shown {
    rankHeadings(tokens, below);
    const last = isOpen ? tokens.findLast((token) => token.type === 'inline') : undefined;
    if (last) last.content = completed(last.content);
    const asked: Asked = new Map();
    readLines(tokens, this.#names.table(asked));
    const parts = partsOf(tokens, src, start);
    if (this.#slots.length > 0) parts.push(...slotsOf(src, parts));
    return { src, parts, asked, below };
  }

  /** These stay as they are, and the text goes on after them. */
  #finish(blocks: Block[], read: Shown[], end: number): void {
    const stale: Shown[] = [];
    let done = 0;
    for (const [at, block] of blocks.entries()) {
      done += read[at]!.parts.length;
      for (const token of block.tokens) if (DEFINES.has(token.type)) stale.push(...this.#names.keep(labelOf(token)));
    }
    for (const block of read.slice(0, blocks.length)) if (block.asked.size > 0) this.#names.remember(block);
    this.#shown = this.#shown.slice(done);
    this.#below = blocks.reduce((below, { tokens }) => rankHeadings(tokens, below), this.#below);
    this.#tail = this.#tail.slice(end);
    this.#seen = Math.max(0, this.#seen - end);
    // What is named late is put right at once as long as that is little; all of it is put right at the end.
    for (const block of new Set(stale)) if (this.#again + block.src.length <= this.#came) this.#readAgain(block);
  }

  #readAgain(block: Shown): void {
    this.#again += block.src.length;
    counted.read += block.src.length;
    this.#names.forget(block);
    const fresh = this.#lines({ tokens: readBlocks(block.src, this.#names.table(new Map())), start: 0 }, block.src, block.below, false);
    patch(this.#target, block.parts, fresh.parts, this, block.parts.at(-1)?.dom?.nextSibling);
    Object.assign(block, fresh);
    if (block.asked.size > 0) this.#names.remember(block);
  }

  /** Code that is open at the end of the text is only added to. */
  #enterFence(block: Block, src: string, starts: number[], cut: number): void {
    const [token] = block.tokens;
    const [part] = this.#shown;
    const opening = src.slice(starts[block.start], starts[block.start + 1]);
    if (token?.type !== 'fence' || part?.kind !== 'code' || part.closed || !/^[`~].*\n$/.test(opening) || src.search(SLOT) >= 0) return;
    this.#fence = new Fence(part, opening, token.markup);
    const rest = this.#tail.slice(starts[block.start + 1]! - cut + this.#fence.text.length);
    this.#tail = '';
    this.#goOn(this.#fence, rest);
  }

  /** Is it over? */
  #goOn(fence: Fence, text: string): boolean {
    const rest = fence.write(text);
    if (rest === null) return false;
    this.#fence = null;
    this.#shown = [];
    this.#tail = rest;
    this.#seen = 0;
    return true;
  }

  /** The text is read as a whole again. */
  #leaveFence(): void {
    if (!this.#fence) return;
    this.#tail = this.#fence.leave();
    this.#seen = 0;
    this.#fence = null;
  }
}
