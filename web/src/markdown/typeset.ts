/**
 * Sets formulas as MathML, loaded when the first one is seen. THREAT[page-02]: Temml makes a tree of a formula; of that
 * only elements and attributes of a fixed list become nodes. What it cannot read, or what grows too large, stays as it was written.
 */
import temml from 'temml';
import type { Formula } from './math';

const MATHML = 'http://www.w3.org/1998/Math/MathML';
const MOST_NODES = 4_000;
/** So many times macros are replaced. Those that a formula defines itself grow fast. */
const EXPANSIONS = 1_000;
const OWN_EXPANSIONS = 50;
/** What is nested deeper takes Temml longer than in proportion, and can be read by no person. */
const DEEPEST = 60;
const DEFINES = /\\(?:[gex]?def|(?:re)?newcommand|providecommand|let|futurelet)\b/;
/** So long other things wait, in milliseconds. */
const SLICE = 8;

const NAMES = new Set(['math', 'mrow', 'mi', 'mn', 'mo', 'ms', 'mtext', 'mspace', 'mfrac', 'msqrt', 'mroot', 'mstyle', 'mpadded', 'mphantom', 'menclose', 'msub', 'msup', 'msubsup', 'munder', 'mover', 'munderover', 'mmultiscripts', 'mprescripts', 'none', 'mtable', 'mtr', 'mtd']);
const ATTRIBUTES =
  /^(?:accent|accentunder|columnalign|columnlines|columnspacing|columnspan|depth|dir|display|displaystyle|fence|form|height|largeop|linethickness|lspace|mathbackground|mathcolor|mathsize|mathvariant|maxsize|minsize|movablelimits|notation|rowalign|rowlines|rowspacing|rowspan|rspace|scriptlevel|separator|stretchy|symmetric|voffset|width)$/;
const STYLES = /^(?:color|backgroundColor|fontWeight|fontStyle|textAlign|padding\w*|border\w*|margin\w*|display|mathDepth|mathStyle)$/;
/** Nothing leaves its place. */
const FAR = /-\s*(?:[3-9]|\d\d)|url|\d{4}/i;

/** What Temml makes. */
interface Branch {
  type?: string;
  text?: string;
  attributes?: Record<string, unknown>;
  classes?: string[];
  style?: Record<string, unknown>;
  children?: Branch[];
}

const waiting: [HTMLElement, Formula][] = [];
let isWorking = false;

export function typeset(hull: HTMLElement, formula: Formula): void {
  waiting.push([hull, formula]);
  if (!isWorking) work();
}

/** Some of them; the rest after the page had its turn. */
function work(): void {
  isWorking = waiting.length > 0;
  const end = performance.now() + SLICE;
  while (waiting.length > 0 && performance.now() < end) {
    const [hull, formula] = waiting.shift()!;
    if (hull.textContent !== formula.source) continue;
    const made = mathOf(formula);
    if (made) hull.replaceChildren(made);
  }
  if (waiting.length > 0) setTimeout(work);
  else isWorking = false;
}

/** Null where it cannot be set. */
export function mathOf({ tex, display }: Formula): Element | null {
  if (depthOf(tex) > DEEPEST) return null;
  try {
    const maxExpand = DEFINES.test(tex) ? OWN_EXPANSIONS : EXPANSIONS;
    const tree = temml.__renderToMathMLTree(tex, { displayMode: display, throwOnError: true, trust: false, maxExpand, maxSize: [10, 100], strict: false }) as Branch;
    const made = grow(tree, { left: MOST_NODES });
    if (!(made instanceof Element) || made.localName !== 'math') return null;
    made.setAttribute('alttext', tex.trim());
    return made;
  } catch {
    return null;
  }
}

/** How deep its braces are nested at most. */
function depthOf(tex: string): number {
  let depth = 0;
  let most = 0;
  for (const letter of tex) {
    if (letter === '{') most = Math.max(most, (depth += 1));
    else if (letter === '}') depth -= 1;
  }
  return most;
}

function grow(branch: Branch, count: { left: number }): Node {
  count.left -= 1;
  if (count.left < 0) throw new RangeError('too large');
  if (branch.text !== undefined && !branch.type) return document.createTextNode(branch.text);
  const name = branch.type ?? 'mrow';
  const made = document.createElementNS(MATHML, NAMES.has(name) ? name : 'mrow') as MathMLElement;
  for (const [key, value] of Object.entries(branch.attributes ?? {})) {
    if (ATTRIBUTES.test(key) && !FAR.test(String(value))) made.setAttribute(key, String(value));
  }
  for (const [key, value] of Object.entries(branch.style ?? {})) {
    const style = made.style as unknown as Record<string, string> | undefined;
    if (style && STYLES.test(key) && !FAR.test(String(value))) style[key] = String(value);
  }
  const classes = (branch.classes ?? []).filter((one) => /^tml-[a-z-]+$/.test(one));
  if (classes.length > 0) made.setAttribute('class', classes.join(' '));
  made.append(...(branch.children ?? []).map((child) => grow(child, count)));
  return made;
}
