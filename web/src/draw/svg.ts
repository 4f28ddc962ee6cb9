/** Drawing: SVG nodes, made by name. */
const SVG = 'http://www.w3.org/2000/svg';

type Name = 'svg' | 'g' | 'rect' | 'path' | 'circle' | 'ellipse' | 'polygon' | 'line' | 'text' | 'tspan' | 'title';

export function svg(name: Name, attributes: Record<string, string | number> = {}, ...children: (Node | string)[]): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, typeof value === 'number' ? String(Math.round(value * 10) / 10) : value);
  made.append(...children);
  return made;
}

export interface Point {
  x: number;
  y: number;
}

export const LINE = 18;

/** How wide a text is, near enough: every machine says the same. */
export function widthOf(text: string): number {
  let width = 0;
  for (const letter of text) width += /[\u1100-\u11ff\u2e80-\uffdc]|\p{Extended_Pictographic}/u.test(letter) ? 14.5 : /[\p{Lu}mwMW@%]/u.test(letter) ? 9.8 : /[ilj.,:;'|!()[\]ft ]/.test(letter) ? 4.6 : 7.7;
  return width;
}

/** Lines of a text, broken between words where it is longer than `most`. */
export function wrap(text: string, most = 200): string[] {
  return text.split('\n').flatMap((line) => {
    const lines: string[] = [];
    let now = '';
    for (const word of line.split(' ')) {
      if (now && widthOf(`${now} ${word}`) > most) {
        lines.push(now);
        now = word;
      } else now = now ? `${now} ${word}` : word;
    }
    return [...lines, now];
  });
}

export function sizeOf(lines: string[]): { width: number; height: number } {
  return { width: Math.max(0, ...lines.map(widthOf)), height: lines.length * LINE };
}

/** Lines of text around a middle. */
export function label(lines: string[], { x, y }: Point, kind = 'dg-text', anchor = 'middle'): SVGElement {
  const top = y - ((lines.length - 1) * LINE) / 2;
  const rows = lines.map((line, at) => svg('tspan', { x, y: top + at * LINE }, line || ' '));
  return svg('text', { class: kind, 'text-anchor': anchor, 'dominant-baseline': 'central' }, ...rows);
}

/** The end of a line: an arrow, a cross, a circle, or nothing. */
export function tip(kind: string, from: Point, to: Point): SVGElement[] {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const at = (back: number, side: number): string => `${round(to.x - dx * back - dy * side)},${round(to.y - dy * back + dx * side)}`;
  if (kind === 'arrow') return [svg('polygon', { class: 'dg-tip', points: `${at(0, 0)} ${at(9, 4.5)} ${at(9, -4.5)}` })];
  if (kind === 'open') return [svg('path', { class: 'dg-line', d: `M${at(9, 4.5)}L${at(0, 0)}L${at(9, -4.5)}` })];
  if (kind === 'cross') return [svg('path', { class: 'dg-line', d: `M${at(10, 4.5)}L${at(1, -4.5)}M${at(10, -4.5)}L${at(1, 4.5)}` })];
  if (kind === 'circle') return [svg('circle', { class: 'dg-tip', cx: to.x - dx * 4, cy: to.y - dy * 4, r: 4 })];
  return [];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** A picture with a name for those who do not see it. */
export function picture(width: number, height: number, name: string, ...children: Node[]): SVGElement {
  const [w, h] = [Math.ceil(width), Math.ceil(height)];
  return svg('svg', { class: 'diagram', viewBox: `0 0 ${w} ${h}`, width: w, height: h, role: 'img', 'aria-label': name }, ...children);
}

/** Texts as people write them in diagrams: quoted, with `<br>` for a new line, with marks for bold words. */
export function said(text: string): string {
  const quoted = /^\s*"([^]*)"\s*$/.exec(text)?.[1] ?? text;
  const named: Record<string, string> = { quot: '"', amp: '&', lt: '<', gt: '>', nbsp: ' ' };
  return quoted
    .replace(/^`([^]*)`$/, '$1')
    .replace(/<br\s*\/?>|\\n/gi, '\n')
    .replace(/<\/?(?:b|i|u|strong|em|code|small)>/gi, '')
    .replace(/(\*\*|__)(.+?)\1/g, '$2')
    .replace(/[#&](quot|amp|lt|gt|nbsp);/g, (_, name: string) => named[name]!)
    .replace(/[#&]#?(\d{2,6});/g, (all, code: string) => (Number(code) < 0x110000 ? String.fromCodePoint(Number(code)) : all))
    .trim();
}
