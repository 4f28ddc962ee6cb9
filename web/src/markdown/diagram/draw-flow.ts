/** A flowchart as a picture: where boxes and lines lie is computed by dagre. */
import { Graph, layout } from '@dagrejs/dagre';
import { t } from '../../words/words';
import type { Box, Flow, Line } from './flow';
import { label, picture, sizeOf, svg, tip, wrap, type Point } from '../../draw/svg';

interface Placed extends Point {
  width: number;
  height: number;
}

export function drawFlow(flow: Flow): SVGElement {
  const graph = placed(flow);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const groups = [...flow.groups].filter(([id]) => graph.hasNode(id)).map(([id, { title }]) => frame(graph.node(id) as Placed, title));
  const lines = flow.lines.flatMap((line, at) => {
    const edge = graph.edge({ v: inside(flow, line.from), w: inside(flow, line.to), name: String(at) }) as { points: Point[]; x?: number; y?: number } | undefined;
    if (!edge || line.kind === 'none') return [];
    const [from, to] = [inside(flow, line.from), inside(flow, line.to)];
    const points = [...edge.points];
    points[0] = atEdge(flow.boxes.get(from), graph.node(from) as Placed, points[1]!, points[0]!);
    points[points.length - 1] = atEdge(flow.boxes.get(to), graph.node(to) as Placed, points.at(-2)!, points.at(-1)!);
    return connect(line, { ...edge, points });
  });
  const boxes = [...flow.boxes.values()].map((box) => draw(box, graph.node(box.id) as Placed));
  return picture(width, height, nameOf(flow), ...groups, ...lines, ...boxes);
}

function placed(flow: Flow): Graph {
  const graph = new Graph({ multigraph: true, compound: true });
  graph.setGraph({ rankdir: flow.direction, nodesep: 36, ranksep: 44, edgesep: 16, marginx: 8, marginy: 8 });
  for (const box of flow.boxes.values()) graph.setNode(box.id, hull(box));
  for (const [id, { within }] of flow.groups) {
    if (![...flow.boxes.values()].some((box) => isWithin(flow, box.group, id))) continue;
    graph.setNode(id, {});
    if (within) graph.setParent(id, within);
  }
  for (const box of flow.boxes.values()) if (box.group) graph.setParent(box.id, box.group);
  for (const [at, line] of flow.lines.entries()) {
    // A line without words has a point where they would be: with none dagre divides by nothing.
    const { width, height } = line.text ? sizeOf(wrap(line.text)) : { width: 1, height: 1 };
    graph.setEdge(inside(flow, line.from), inside(flow, line.to), { minlen: line.length, width: line.text ? width + 8 : width, height, labelpos: 'c' }, String(at));
  }
  layout(graph);
  inReadingOrder(flow, graph);
  return graph;
}

/** The first branch is left of the second, or above it: where dagre has most of them the other way round, the picture is turned over. */
function inReadingOrder(flow: Flow, graph: Graph): void {
  const across = /TB|BT/.test(flow.direction) ? 'x' : 'y';
  const at = (id: string) => (graph.node(inside(flow, id)) as Placed)[across];
  const later = flow.lines.flatMap((line, index) => {
    const before = flow.lines.slice(0, index).findLast((other) => other.from === line.from);
    return before ? [Math.sign(at(line.to) - at(before.to))] : [];
  });
  if (later.reduce((sum, one) => sum + one, 0) >= 0) return;
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const turn = (point: Partial<Point>) => point[across] !== undefined && (point[across] = (across === 'x' ? width : height) - point[across]);
  for (const id of graph.nodes()) turn(graph.node(id) as Placed);
  for (const edge of graph.edges()) {
    const line = graph.edge(edge) as Partial<Point> & { points: Point[] };
    turn(line);
    line.points.forEach(turn);
  }
}

function isWithin(flow: Flow, group: string | null, id: string): boolean {
  for (let at = group; at; at = flow.groups.get(at)?.within ?? null) if (at === id) return true;
  return false;
}

/** A line to a group ends at the first box of it. */
function inside(flow: Flow, id: string): string {
  if (flow.boxes.has(id)) return id;
  return [...flow.boxes.values()].find((box) => isWithin(flow, box.group, id))?.id ?? id;
}

/** Lines end where a shape ends, not at the rectangle around it. */
function atEdge(box: Box | undefined, { x, y, width, height }: Placed, towards: Point, otherwise: Point): Point {
  const [dx, dy] = [towards.x - x, towards.y - y];
  const [across, down] = [Math.abs(dx) / (width / 2), Math.abs(dy) / (height / 2)];
  const far = box?.shape === 'diamond' ? across + down : box?.shape === 'circle' || box?.shape === 'double' ? Math.hypot(across, down) : 0;
  return far > 0 ? { x: x + dx / far, y: y + dy / far } : otherwise;
}

function hull({ text, shape }: Box): { width: number; height: number } {
  const { width, height } = sizeOf(wrap(text));
  const [w, h] = [Math.max(44, width + 28), height + 20];
  if (shape === 'diamond') return { width: w * 1.35 + 16, height: h * 1.5 + 16 };
  if (shape === 'circle' || shape === 'double') return { width: Math.max(w, h) + 8, height: Math.max(w, h) + 8 };
  if (/drum/.test(shape)) return { width: w, height: h + 14 };
  return { width: /hexagon|lean|trapezoid|funnel|flag|pill/.test(shape) ? w + 24 : w, height: h };
}

function draw(box: Box, at: Placed): SVGElement {
  return svg('g', {}, ...outline(box.shape, at), label(wrap(box.text), at));
}

function outline(shape: string, { x, y, width, height }: Placed): SVGElement[] {
  const [l, r, top, low] = [x - width / 2, x + width / 2, y - height / 2, y + height / 2];
  const box = { class: 'dg-box' };
  const polygon = (...points: [number, number][]) => [svg('polygon', { ...box, points: points.map(([px, py]) => `${Math.round(px)},${Math.round(py)}`).join(' ') })];
  const rect = (rx: number) => svg('rect', { ...box, x: l, y: top, width, height, rx });
  switch (shape) {
    case 'diamond':
      return polygon([x, top], [r, y], [x, low], [l, y]);
    case 'hexagon':
      return polygon([l + 14, top], [r - 14, top], [r, y], [r - 14, low], [l + 14, low], [l, y]);
    case 'lean':
      return polygon([l + 14, top], [r, top], [r - 14, low], [l, low]);
    case 'lean-back':
      return polygon([l, top], [r - 14, top], [r, low], [l + 14, low]);
    case 'trapezoid':
      return polygon([l + 14, top], [r - 14, top], [r, low], [l, low]);
    case 'funnel':
      return polygon([l, top], [r, top], [r - 14, low], [l + 14, low]);
    case 'flag':
      return polygon([l, top], [r, top], [r, low], [l, low], [l + 14, y]);
    case 'circle':
      return [svg('circle', { ...box, cx: x, cy: y, r: width / 2 })];
    case 'double':
      return [svg('circle', { ...box, cx: x, cy: y, r: width / 2 }), svg('circle', { ...box, cx: x, cy: y, r: width / 2 - 4 })];
    case 'drum':
      return [svg('path', { ...box, d: `M${l},${top + 7}a${width / 2},7 0 0 1 ${width},0v${height - 14}a${width / 2},7 0 0 1 ${-width},0zM${l},${top + 7}a${width / 2},7 0 0 0 ${width},0` })];
    case 'sub':
      return [rect(3), svg('path', { class: 'dg-line', d: `M${l + 7},${top}v${height}M${r - 7},${top}v${height}` })];
    case 'pill':
      return [rect(height / 2)];
    default:
      return [rect(shape === 'round' ? 12 : 4)];
  }
}

function frame({ x, y, width, height }: Placed, title: string): SVGElement {
  const [l, top] = [x - width / 2, y - height / 2];
  return svg('g', {}, svg('rect', { class: 'dg-frame', x: l, y: top, width, height, rx: 6 }), label([title], { x, y: top + 12 }, 'dg-title'));
}

function connect(line: Line, { points, x, y }: { points: Point[]; x?: number; y?: number }): SVGElement[] {
  const [first, last] = [points[0]!, points.at(-1)!];
  const made = [svg('path', { class: `dg-line ${line.kind}`, d: curve(points) }), ...tip(line.end, points.at(-2)!, last), ...tip(line.start, points[1]!, first)];
  if (!line.text || x === undefined || y === undefined) return made;
  const lines = wrap(line.text);
  const { width, height } = sizeOf(lines);
  return [...made, svg('rect', { class: 'dg-back', x: x - width / 2 - 3, y: y - height / 2, width: width + 6, height, rx: 3 }), label(lines, { x, y }, 'dg-small')];
}

/** Round where it bends. */
function curve(points: Point[]): string {
  const at = ({ x, y }: Point) => `${Math.round(x * 10) / 10},${Math.round(y * 10) / 10}`;
  let path = `M${at(points[0]!)}`;
  for (let index = 1; index < points.length - 1; index += 1) {
    const [now, next] = [points[index]!, points[index + 1]!];
    const end = index === points.length - 2 ? next : { x: (now.x + next.x) / 2, y: (now.y + next.y) / 2 };
    path += `Q${at(now)} ${at(end)}`;
  }
  return points.length < 3 ? `${path}L${at(points.at(-1)!)}` : path;
}

const MOST_NAMED = 12;

function nameOf(flow: Flow): string {
  const text = (id: string) => (flow.boxes.get(id)?.text ?? flow.groups.get(id)?.title ?? id).replaceAll('\n', ' ');
  const lines = flow.lines.slice(0, MOST_NAMED).map((line) => (line.text ? t('{} to {} ({})', text(line.from), text(line.to), line.text) : t('{} to {}', text(line.from), text(line.to))));
  const rest = flow.lines.length > MOST_NAMED ? '…' : '';
  return t('Flowchart: {}', lines.join('; ') + rest || [...flow.boxes.values()].map((box) => box.text).join(', '));
}
