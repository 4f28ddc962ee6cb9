/** A sequence diagram as a picture: a column for each that speaks, and what is said from top to bottom. */
import { t } from '../../words/words';
import type { Sequence, Step } from './sequence';
import { label, LINE, picture, sizeOf, svg, tip, widthOf, wrap } from '../../draw/svg';

const GAP = 24;
const HEAD = 44;

interface Frame {
  top: number;
  left: number;
  right: number;
}

export function drawSequence(sequence: Sequence): SVGElement {
  return new Drawing(sequence).picture();
}

class Drawing {
  readonly #sequence: Sequence;
  readonly #columns: number[];
  readonly #width: number;
  readonly #made: SVGElement[] = [];
  readonly #frames: Frame[] = [];
  #y = 8;

  constructor(sequence: Sequence) {
    this.#sequence = sequence;
    const gaps = gapsOf(sequence);
    let x = gaps[0]! + 8;
    this.#columns = sequence.speakers.map((_, at) => (at === 0 ? x : (x += gaps[at]!)));
    this.#width = x + gaps.at(-1)! + 8;
  }

  picture(): SVGElement {
    const { title, speakers, steps } = this.#sequence;
    if (title) this.#made.push(label([title], { x: this.#width / 2, y: (this.#y += 12) }, 'dg-title'));
    if (title) this.#y += 16;
    const top = this.#y;
    this.#heads(top);
    this.#y += HEAD + 14;
    for (const step of steps) this.#step(step);
    this.#y += 12;
    const lines = this.#columns.map((x) => svg('line', { class: 'dg-life', x1: x, x2: x, y1: top + HEAD, y2: this.#y }));
    const name = t('Sequence diagram: {}', nameOf(this.#sequence) || speakers.map((one) => one.text).join(', '));
    return picture(this.#width, this.#y + 4, name, ...lines, ...this.#made);
  }

  #heads(top: number): void {
    for (const [at, { text, isPerson }] of this.#sequence.speakers.entries()) {
      const lines = wrap(text, 150);
      const x = this.#columns[at]!;
      const width = Math.max(70, sizeOf(lines).width + 24);
      this.#made.push(svg('rect', { class: 'dg-box', x: x - width / 2, y: top, width, height: HEAD, rx: isPerson ? HEAD / 2 : 4 }), label(lines, { x, y: top + HEAD / 2 }));
    }
  }

  #step(step: Step): void {
    if (step.type === 'message') this.#message(step);
    else if (step.type === 'note') this.#note(step);
    else if (step.type === 'open') this.#open(step.kind, step.text);
    else if (step.type === 'part') this.#part(step.text);
    else this.#close();
  }

  #message({ from, to, text, dotted, end }: Extract<Step, { type: 'message' }>): void {
    const [x1, x2] = [this.#columns[from]!, this.#columns[to]!];
    const kind = dotted ? 'dg-line dotted' : 'dg-line';
    this.#reach(Math.min(x1, x2), Math.max(x1, x2));
    if (from === to) {
      const lines = wrap(text, 200);
      const height = Math.max(24, lines.length * LINE + 6);
      const y = this.#y + 8;
      this.#made.push(svg('path', { class: kind, d: `M${x1},${y}h34v${height}h-34` }), ...tip(end, { x: x1 + 34, y: y + height }, { x: x1, y: y + height }), label(lines, { x: x1 + 42, y: y + height / 2 }, 'dg-small', 'start'));
      this.#reach(x1, x1 + 42 + sizeOf(lines).width);
      this.#y = y + height + 16;
      return;
    }
    const lines = wrap(text, Math.max(120, Math.abs(x2 - x1) - 20));
    const y = this.#y + lines.length * LINE + 4;
    if (text) this.#made.push(label(lines, { x: (x1 + x2) / 2, y: y - 6 - (lines.length * LINE) / 2 }, 'dg-small'));
    this.#made.push(svg('line', { class: kind, x1, y1: y, x2, y2: y }), ...tip(end, { x: x1, y }, { x: x2, y }));
    this.#y = y + 16;
  }

  #note({ from, to, side, text }: Extract<Step, { type: 'note' }>): void {
    const lines = wrap(text, Math.max(160, this.#columns[to]! - this.#columns[from]!));
    const size = sizeOf(lines);
    const width = Math.max(size.width + 20, side === 'over' ? this.#columns[to]! - this.#columns[from]! + 40 : 0);
    const middle = (this.#columns[from]! + this.#columns[to]!) / 2;
    const x = side === 'over' ? middle - width / 2 : side === 'left of' ? this.#columns[from]! - width - 10 : this.#columns[to]! + 10;
    this.#made.push(svg('rect', { class: 'dg-note', x, y: this.#y, width, height: size.height + 12, rx: 3 }), label(lines, { x: x + width / 2, y: this.#y + size.height / 2 + 6 }, 'dg-small'));
    this.#reach(x, x + width);
    this.#y += size.height + 24;
  }

  #open(kind: string, text: string): void {
    this.#frames.push({ top: this.#y, left: Infinity, right: -Infinity });
    this.#made.push(label([text ? `${kind}: ${text}` : kind], { x: this.#columns[0]! - 30, y: this.#y + 14 }, 'dg-title', 'start'));
    this.#y += 34;
  }

  #part(text: string): void {
    this.#made.push(svg('line', { class: 'dg-line dotted', x1: this.#columns[0]! - 36, x2: this.#columns.at(-1)! + 36, y1: this.#y, y2: this.#y }), label([text], { x: this.#columns[0]! - 30, y: this.#y + 13 }, 'dg-title', 'start'));
    this.#y += 30;
  }

  #close(): void {
    const frame = this.#frames.pop();
    if (!frame) return;
    const inset = this.#frames.length * 5;
    const [left, right] = [Math.min(frame.left, this.#columns[0]!) - 40 + inset, Math.max(frame.right, this.#columns.at(-1)!) + 40 - inset];
    this.#made.unshift(svg('rect', { class: 'dg-frame', x: left, y: frame.top, width: right - left, height: this.#y - frame.top, rx: 4 }));
    this.#y += 12;
  }

  /** What stands in a frame makes it as wide. */
  #reach(left: number, right: number): void {
    for (const frame of this.#frames) {
      frame.left = Math.min(frame.left, left);
      frame.right = Math.max(frame.right, right - 30);
    }
  }
}

/** The room before each column, and after the last one: what is said between neighbours fits. */
function gapsOf({ speakers, steps }: Sequence): number[] {
  const half = speakers.map(({ text }) => Math.max(35, sizeOf(wrap(text, 150)).width / 2 + 12));
  const gaps = half.map((one, at) => one + (half[at - 1] ?? 0) + GAP);
  gaps.push(half.at(-1)! + GAP);
  gaps[0] = Math.max(half[0]!, 48);
  for (const step of steps) {
    if (step.type === 'message') {
      const [low, high] = [Math.min(step.from, step.to), Math.max(step.from, step.to)];
      const width = Math.min(220, widthOf(step.text)) + GAP;
      if (low === high) gaps[low + 1] = Math.max(gaps[low + 1]!, width + 48);
      else if (high === low + 1) gaps[high] = Math.max(gaps[high]!, width);
    } else if (step.type === 'note') {
      const width = Math.min(170, widthOf(step.text)) + 44;
      if (step.side === 'left of') gaps[step.from] = Math.max(gaps[step.from]!, width);
      else if (step.side === 'right of') gaps[step.to + 1] = Math.max(gaps[step.to + 1]!, width);
      else if (step.from === step.to) for (const at of [step.from, step.to + 1]) gaps[at] = Math.max(gaps[at]!, width / 2 + 8);
    }
  }
  return gaps;
}

const MOST_NAMED = 12;

function nameOf({ speakers, steps }: Sequence): string {
  const messages = steps.filter((step) => step.type === 'message');
  const lines = messages.slice(0, MOST_NAMED).map(({ from, to, text }) => t('{} to {} ({})', speakers[from]!.text, speakers[to]!.text, text));
  return lines.join('; ') + (messages.length > MOST_NAMED ? '…' : '');
}
