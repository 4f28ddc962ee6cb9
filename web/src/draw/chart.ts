/** Charts: numbers that come as CSV, drawn as SVG. */
import { label, svg, widthOf } from './svg';

export const KINDS = ['line', 'area', 'bar', 'stacked', 'scatter'] as const;
export type Kind = (typeof KINDS)[number];

export interface Numbers {
  /** Of the columns; the first one is the axis along the bottom. */
  names: string[];
  /** What stands along the bottom, and the numbers above it; null where there is none. */
  rows: { x: string; values: (number | null)[] }[];
  /** There was more than is shown. */
  isCut: boolean;
}

const MOST_ROWS = 2_000;
const MOST_SERIES = 12;
/** Beyond this no number means anything. */
const LARGEST = 1e100;
/** Half a word of the axis stands beyond its end. */
const RIGHT = 26;

/** While it comes, a line that is not whole is not a row yet. */
export function readNumbers(csv: string, isWhole: boolean): Numbers {
  const text = isWhole ? csv : csv.slice(0, csv.lastIndexOf('\n') + 1);
  const lines = text.split('\n').filter((line) => line.trim());
  const sign = [';', '\t', ','].find((one) => lines[0]?.includes(one)) ?? ',';
  const [head = [], ...cells] = lines.slice(0, MOST_ROWS + 1).map((line) => fields(line, sign));
  const names = head.slice(0, MOST_SERIES + 1);
  const rows = cells.map(([x = '', ...values]) => ({ x, values: names.slice(1).map((_, at) => numberOf(values[at] ?? '', sign)) }));
  return { names, rows, isCut: lines.length > MOST_ROWS + 1 || head.length > names.length };
}

function fields(line: string, sign: string): string[] {
  const found: string[] = [];
  let [now, quoted] = ['', false];
  for (let at = 0; at < line.length; at += 1) {
    const letter = line[at]!;
    if (letter === '"' && quoted && line[at + 1] === '"') now += line[(at += 1)]!;
    else if (letter === '"') quoted = !quoted;
    else if (letter === sign && !quoted) {
      found.push(now.trim());
      now = '';
    } else now += letter;
  }
  return [...found, now.trim()];
}

function numberOf(text: string, sign: string): number | null {
  const plain = text.replace(/[\s%€$£'_]/g, '');
  const number = Number(sign === ';' && /,\d+$/.test(plain) ? plain.replaceAll('.', '').replace(',', '.') : plain.replace(/,(?=\d{3}(?:\D|$))/g, ''));
  return plain && Math.abs(number) < LARGEST ? number : null;
}

/** Round numbers from below the smallest to above the largest. */
export function ticks(low: number, high: number, count: number): number[] {
  const span = high - low || Math.abs(high) || 1;
  const power = 10 ** Math.floor(Math.log10(span / count));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => span / one <= count) ?? span;
  const found: number[] = [];
  for (let at = Math.floor(low / step); at <= Math.ceil((low === high ? low + step : high) / step) && found.length < 50; at += 1) found.push(Number((at * step).toPrecision(12)));
  return found;
}

export function shortNumber(value: number): string {
  return new Intl.NumberFormat(document.documentElement.lang || 'en', { maximumSignificantDigits: 4, notation: Math.abs(value) >= 100_000 ? 'compact' : 'standard' }).format(value);
}

export interface Look {
  kind: Kind;
  unit: string;
  x: string;
  y: string;
  width: number;
  height: number;
  name: string;
}

export function drawChart(numbers: Numbers, look: Look): SVGElement {
  return new Chart(numbers, look).picture();
}

class Chart {
  readonly #numbers: Numbers;
  readonly #look: Look;
  readonly #ticks: number[];
  readonly #left: number;
  readonly #bottom: number;
  /** Numbers along the bottom, where all are numbers and lie as far apart as they are. */
  readonly #xs: number[] | null;
  readonly #xTicks: number[];

  constructor(numbers: Numbers, look: Look) {
    this.#numbers = numbers;
    this.#look = look;
    const [low, high] = bounds(numbers, look.kind);
    this.#ticks = ticks(low, high, 5);
    this.#left = Math.max(...this.#ticks.map((tick) => widthOf(this.#tell(tick)))) * 0.86 + 14;
    this.#bottom = look.height - (look.x ? 40 : 24);
    const xs = numbers.rows.map(({ x }) => numberOf(x, ','));
    this.#xs = !/bar|stacked/.test(look.kind) && xs.length > 1 && xs.every((x) => x !== null) ? (xs as number[]) : null;
    this.#xTicks = this.#xs ? ticks(Math.min(...this.#xs), Math.max(...this.#xs), Math.max(3, Math.floor(look.width / 110))) : [];
  }

  picture(): SVGElement {
    const { width, height, name, x, y } = this.#look;
    const picture = svg('svg', { class: 'ch', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': name });
    picture.append(...this.#grid(), ...this.#below());
    if (this.#numbers.rows.length > 0) for (let series = 0; series < this.#numbers.names.length - 1; series += 1) picture.append(...this.#series(series));
    if (x) picture.append(label([x], { x: (this.#left + width) / 2, y: height - 9 }, 'ch-tick'));
    if (y) picture.append(label([y], { x: 4, y: 8 }, 'ch-tick', 'start'));
    return picture;
  }

  #tell(value: number): string {
    const { unit } = this.#look;
    return unit ? `${shortNumber(value)} ${unit}` : shortNumber(value);
  }

  #y(value: number): number {
    const [low, high] = [this.#ticks[0]!, this.#ticks.at(-1)!];
    return this.#bottom - ((value - low) / (high - low || 1)) * (this.#bottom - 20);
  }

  #x(at: number): number {
    const [left, room] = [this.#left + 4, this.#look.width - this.#left - RIGHT];
    if (!this.#xs) return left + ((at + 0.5) / Math.max(1, this.#numbers.rows.length)) * room;
    return this.#atX(this.#xs[at]!);
  }

  #atX(value: number): number {
    const [low, high] = [this.#xTicks[0]!, this.#xTicks.at(-1)!];
    return this.#left + 4 + ((value - low) / (high - low || 1)) * (this.#look.width - this.#left - RIGHT);
  }

  #grid(): SVGElement[] {
    return this.#ticks.flatMap((tick) => [
      svg('line', { class: tick === 0 ? 'ch-axis' : 'ch-grid', x1: this.#left, x2: this.#look.width - 6, y1: this.#y(tick), y2: this.#y(tick) }),
      label([this.#tell(tick)], { x: this.#left - 6, y: this.#y(tick) }, 'ch-tick', 'end'),
    ]);
  }

  /** As many words as there is room for. */
  #below(): SVGElement[] {
    const y = this.#bottom + 13;
    if (this.#xs) return this.#xTicks.map((tick) => label([shortYear(tick)], { x: this.#atX(tick), y }, 'ch-tick'));
    const { rows } = this.#numbers;
    const widest = Math.max(1, ...rows.map((row) => widthOf(row.x) * 0.86)) + 10;
    const each = Math.ceil((widest * rows.length) / (this.#look.width - this.#left));
    return rows.flatMap((row, at) => (at % Math.max(1, each) === 0 ? label([row.x], { x: this.#x(at), y }, 'ch-tick') : []));
  }

  #series(series: number): SVGElement[] {
    const { kind } = this.#look;
    if (kind === 'bar' || kind === 'stacked') return this.#bars(series, kind === 'stacked');
    const points = this.#numbers.rows.map((row, at) => ({ x: this.#x(at), y: row.values[series] ?? null, told: row.x }));
    const dots = () => points.flatMap(({ x, y, told }) => (y === null ? [] : svg('circle', { class: `s${series % 8} ch-dot`, cx: x, cy: this.#y(y), r: kind === 'scatter' ? 4 : 2.5 }, this.#title(told, series, y))));
    if (kind === 'scatter') return dots();
    const path = pathOf(points.map(({ x, y }) => (y === null ? null : { x, y: this.#y(y) })));
    const line = svg('path', { class: `s${series % 8} ch-line${series >= 8 ? ' ch-dashed' : ''}`, d: path.line });
    const floor = this.#y(Math.max(this.#ticks[0]!, Math.min(0, this.#ticks.at(-1)!)));
    const area = kind === 'area' ? path.parts.map((part) => svg('path', { class: `s${series % 8} ch-area`, d: `${part.d}L${part.to},${floor}L${part.from},${floor}Z` })) : [];
    return [...area, line, ...(points.length <= 60 ? dots() : [])];
  }

  #bars(series: number, isStacked: boolean): SVGElement[] {
    const { rows, names } = this.#numbers;
    const room = ((this.#look.width - this.#left - RIGHT) / rows.length) * 0.8;
    const width = Math.max(1, Math.min(60, isStacked ? room : room / (names.length - 1)));
    return rows.flatMap(({ x, values }, at) => {
      const value = values[series] ?? null;
      if (value === null) return [];
      const base = isStacked ? values.slice(0, series).reduce((sum: number, one) => sum + (one !== null && one < 0 === value < 0 ? one : 0), 0) : 0;
      const [one, other] = [this.#y(base), this.#y(base + value)];
      const left = this.#x(at) + (isStacked ? -width / 2 : (series - (names.length - 1) / 2) * width);
      return svg('rect', { class: `s${series % 8} ch-bar`, x: left, y: Math.min(one, other), width: Math.max(1, width - 1), height: Math.max(0.5, Math.abs(one - other)) }, this.#title(x, series, value));
    });
  }

  #title(x: string, series: number, value: number): SVGElement {
    return svg('title', {}, `${x}, ${this.#numbers.names[series + 1] ?? ''}: ${this.#tell(value)}`);
  }
}

/** A year is no quantity. */
function shortYear(value: number): string {
  return Number.isInteger(value) && value > 1_000 && value < 3_000 ? String(value) : shortNumber(value);
}

function pathOf(points: ({ x: number; y: number } | null)[]): { line: string; parts: { d: string; from: number; to: number }[] } {
  const parts: { d: string; from: number; to: number }[] = [];
  let last: { d: string; from: number; to: number } | null = null;
  for (const point of points) {
    if (!point) {
      last = null;
      continue;
    }
    const [x, y] = [Math.round(point.x * 10) / 10, Math.round(point.y * 10) / 10];
    if (!last) parts.push((last = { d: `M${x},${y}`, from: x, to: x }));
    else Object.assign(last, { d: `${last.d}L${x},${y}`, to: x });
  }
  return { line: parts.map(({ d }) => d).join(''), parts };
}

function bounds({ rows }: Numbers, kind: Kind): [number, number] {
  const sums = rows.flatMap(({ values }) => {
    const given = values.filter((one) => one !== null);
    if (kind !== 'stacked') return given;
    return [given.filter((one) => one > 0).reduce((sum, one) => sum + one, 0), given.filter((one) => one < 0).reduce((sum, one) => sum + one, 0)];
  });
  if (kind === 'bar' || kind === 'area' || kind === 'stacked' || sums.length === 0) sums.push(0);
  const [low, high] = [sums.reduce((one, other) => Math.min(one, other)), sums.reduce((one, other) => Math.max(one, other))];
  return low === high ? [Math.min(0, low), Math.max(low, 1)] : [low, high];
}
