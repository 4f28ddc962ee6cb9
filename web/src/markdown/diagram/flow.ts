/** Flowcharts, as people write them for Mermaid: what is understood becomes boxes and lines; what is not understood is refused as a whole. */
import { said } from '../../draw/svg';

export interface Box {
  id: string;
  text: string;
  shape: string;
  group: string | null;
}
export interface Line {
  from: string;
  to: string;
  text: string;
  /** solid, dotted, thick or none. */
  kind: string;
  start: string;
  end: string;
  /** Over so many rows at least. */
  length: number;
}
export interface Flow {
  direction: string;
  boxes: Map<string, Box>;
  lines: Line[];
  groups: Map<string, { title: string; within: string | null }>;
}

const MOST_BOXES = 200;
const MOST_LINES = 400;

/** Where a text in a box begins and ends, the longer ones first. */
const SHAPES: [string, string, string][] = [
  ['(((', ')))', 'double'],
  ['((', '))', 'circle'],
  ['([', '])', 'pill'],
  ['[[', ']]', 'sub'],
  ['[(', ')]', 'drum'],
  ['{{', '}}', 'hexagon'],
  ['[/', '/]', 'lean'],
  ['[/', '\\]', 'trapezoid'],
  ['[\\', '\\]', 'lean-back'],
  ['[\\', '/]', 'funnel'],
  ['[', ']', 'box'],
  ['(', ')', 'round'],
  ['{', '}', 'diamond'],
  ['>', ']', 'flag'],
];
const HEADER = /^\s*(?:flowchart|graph)(?:-elk)?(?:\s+(TB|TD|BT|LR|RL))?\s*;?\s*$/;
const NOTHING = /^(?:%%.*|(?:classDef|class|style|linkStyle|click|accTitle|accDescr|direction)\b.*|)$/;
const ID = /[\p{L}\p{N}_](?:[\p{L}\p{N}_.]|-(?![-.>=]))*/uy;
const LINK = /\s*([<ox](?=[-=.]))?(--+|==+|-\.+-?|~~~+)(>|[ox](?![\p{L}\p{N}]))?/uy;

/** Null where something is not understood, or is too much. */
export function readFlow(text: string): Flow | null {
  const [first, ...rest] = linesOf(text);
  const header = HEADER.exec(first ?? '');
  if (!header) return null;
  const flow: Flow = { direction: (header[1] ?? 'TB').replace('TD', 'TB'), boxes: new Map(), lines: [], groups: new Map() };
  const open: string[] = [];
  for (const line of rest) {
    if (!statement(flow, line, open)) return null;
    if (flow.boxes.size > MOST_BOXES || flow.lines.length > MOST_LINES) return null;
  }
  return flow.boxes.size > 0 ? flow : null;
}

function linesOf(text: string): string[] {
  const lines = text.replace(/^---\n[^]*?\n---\n/, '').split('\n').map((line) => line.trim());
  const whole = lines.filter((line) => line && !line.startsWith('%%'));
  return whole.flatMap((line) => (/["|]/.test(line) ? line.replace(/;$/, '') : line.split(';').map((one) => one.trim()).filter(Boolean)));
}

function statement(flow: Flow, line: string, open: string[]): boolean {
  if (NOTHING.test(line)) return true;
  const group = /^subgraph\s+(?:([^\s[]+)\s*\[(.*)\]|(.+))$/.exec(line) ?? (line === 'subgraph' ? ['', '', '', `group ${flow.groups.size}`] : null);
  if (group) {
    const id = group[1] ?? said(group[3]!);
    flow.groups.set(id, { title: said(group[2] ?? group[3] ?? ''), within: open.at(-1) ?? null });
    open.push(id);
    return true;
  }
  if (line === 'end') return open.pop() !== undefined;
  return new Chain(flow, line, open.at(-1) ?? null).read();
}

/** `A --> B & C -->|text| D` */
class Chain {
  readonly #flow: Flow;
  readonly #line: string;
  readonly #group: string | null;
  #at = 0;

  constructor(flow: Flow, line: string, group: string | null) {
    this.#flow = flow;
    this.#line = line;
    this.#group = group;
  }

  read(): boolean {
    let from = this.#boxes();
    if (!from) return false;
    while (this.#at < this.#line.length) {
      const link = this.#link();
      const to = link && this.#boxes();
      if (!link || !to) return false;
      for (const one of from) for (const other of to) this.#flow.lines.push({ ...link, from: one, to: other });
      from = to;
    }
    return true;
  }

  #boxes(): string[] | null {
    const found: string[] = [];
    for (;;) {
      this.#skip();
      const id = this.#take(ID)?.[0];
      if (!id || !this.#box(id)) return null;
      found.push(id);
      this.#skip();
      if (this.#line[this.#at] !== '&') return found;
      this.#at += 1;
    }
  }

  #box(id: string): boolean {
    const rest = this.#line.slice(this.#at);
    const known = this.#flow.boxes.get(id);
    const open = SHAPES.filter(([begin]) => rest.startsWith(begin));
    let found: { text: string; shape: string; length: number } | null = null;
    for (const [begin, end, shape] of open) {
      const close = closeOf(rest, begin.length, end);
      if (close > 0 && (!found || begin.length > 1)) found ??= { text: said(rest.slice(begin.length, close)), shape, length: close + end.length };
    }
    if (open.length > 0 && !found) return false;
    if (found) this.#at += found.length;
    this.#take(/:::[\w-]+/y);
    if (!known && !this.#flow.groups.has(id)) this.#flow.boxes.set(id, { id, text: found?.text || id, shape: found?.shape ?? 'box', group: this.#group });
    else if (known && found) Object.assign(known, { text: found.text || id, shape: found.shape });
    if (known && this.#group && !known.group) known.group = this.#group;
    return true;
  }

  #link(): Omit<Line, 'from' | 'to'> | null {
    const first = this.#take(LINK);
    if (!first) return null;
    let [, start = '', body = '', end = ''] = first;
    let text = '';
    // `-- words -->`: what began is without an end, and goes on after the words.
    if (!end && /^(?:--|==|-\.)$/.test(body)) {
      const rest = this.#line.slice(this.#at);
      const words = /^\s*(.+?)\s*(--+|==+|\.+-)([>ox])?(?=\s|$|[\p{L}\p{N}([{&])/u.exec(rest);
      if (!words) return null;
      text = words[1]!;
      body = words[2]!;
      end = words[3] ?? '';
      this.#at += words[0].length;
    }
    const named = this.#take(/\s*\|([^|]*)\|/y);
    if (named) text = named[1] ?? '';
    const kind = body.startsWith('~') ? 'none' : body.includes('=') ? 'thick' : body.includes('.') ? 'dotted' : 'solid';
    return { text: said(text), kind, start: tipOf(start), end: tipOf(end), length: rowsOf(body, Boolean(end)) };
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#line);
    if (match) this.#at = pattern.lastIndex;
    return match;
  }

  #skip(): void {
    this.#take(/\s*/y);
  }
}

/** A longer line spans more rows. */
function rowsOf(body: string, hasTip: boolean): number {
  const dots = body.split('.').length - 1;
  const signs = body.replace(/[^-=]/g, '').length;
  return Math.max(1, Math.min(5, dots || signs - (hasTip ? 1 : 2)));
}

/** Where the text of a box ends; what is quoted does not end it. */
function closeOf(text: string, from: number, end: string): number {
  const quoted = /^\s*"[^"]*"\s*/.exec(text.slice(from));
  const at = text.indexOf(end, from + (quoted?.[0].length ?? 0));
  return quoted && at !== from + quoted[0].length ? -1 : at;
}

function tipOf(sign: string): string {
  return sign === '>' || sign === '<' ? 'arrow' : sign === 'x' ? 'cross' : sign === 'o' ? 'circle' : '';
}
