/**
 * Parts become nodes. THREAT[page-02]: nothing of a reply is ever read as HTML: nodes are created by name from a fixed
 * list, words become text nodes, and no attribute is taken over but a checked address.
 */
import { t } from '../words/words';
import { codeBlock, showCode } from './code';
import { markdownLink } from './link';
import { mathHull, showMath } from './math';
import { noteBlock, noteSign } from './note';
import type { Part } from './tree';

type Of<K extends Part['kind']> = Extract<Part, { kind: K }>;

/** How much was done; what a test counts to say that a long reply costs its length. */
export const counted = { made: 0, compared: 0, read: 0 };

const NAMES = new Set(['p', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'br', 'hr', 'ul', 'ol', 'li', 'em', 'strong', 'del', 'code', 'thead', 'tbody', 'tr', 'th', 'td']);

/** What a part needs to know of the reply that it stands in. */
export interface Reply {
  /** The node that a sign in the text stands for. */
  slot(at: number): Node | undefined;
  /** The place of a note among the notes. */
  noteNumber(label: string): number;
}

/** Makes `parent` show `fresh` where it showed `shown`, before the node `end`. What is the same is not touched. */
export function patch(parent: Node, shown: Part[], fresh: Part[], reply: Reply, end: Node | null = null): void {
  for (const [at, part] of fresh.entries()) {
    const old = shown[at];
    counted.compared += 1;
    if (old?.dom && isLike(old, part)) {
      part.dom = old.dom;
      renew(old, part, reply);
      continue;
    }
    part.dom = make(part, reply);
    counted.made += 1;
    if (old?.dom?.parentNode === parent) parent.replaceChild(part.dom, old.dom);
    else parent.insertBefore(part.dom, end);
  }
  for (const old of shown.slice(fresh.length)) if (old.dom?.parentNode === parent) parent.removeChild(old.dom);
}

function isLike(old: Part, part: Part): boolean {
  if (old.kind !== part.kind) return false;
  if (old.kind === 'element') return old.name === (part as Of<'element'>).name;
  if (old.kind === 'math') return old.display === (part as Of<'math'>).display;
  if (old.kind === 'slot') return old.at === (part as Of<'slot'>).at;
  if (old.kind === 'sign' || old.kind === 'note') return old.label === (part as Of<'sign'>).label;
  return true;
}

function make(part: Part, reply: Reply): Node {
  if (part.kind === 'text') return document.createTextNode(part.text);
  if (part.kind === 'slot') return reply.slot(part.at) ?? document.createTextNode('\ufffd');
  const dom = hull(part, reply);
  part.dom = dom;
  renew(null, part, reply);
  return dom;
}

function hull(part: Exclude<Part, { kind: 'text' | 'slot' }>, reply: Reply): HTMLElement {
  switch (part.kind) {
    case 'code':
      return codeBlock();
    case 'math':
      return mathHull(part.display);
    case 'table':
      return table();
    case 'box':
      return box();
    case 'sign':
      return noteSign(part.label, reply.noteNumber(part.label));
    case 'note':
      return noteBlock(part.label, reply.noteNumber(part.label));
    case 'link':
      return document.createElement('a');
    case 'element':
      return document.createElement(NAMES.has(part.name) ? part.name : 'span');
  }
}

/** What may differ in parts that are alike. */
function renew(old: Part | null, part: Part, reply: Reply): void {
  const dom = part.dom as HTMLElement;
  switch (part.kind) {
    case 'text':
      return setText(dom as unknown as Text, (old as Of<'text'> | null)?.text ?? '', part.text);
    case 'code':
      return showCode(dom, part, old as Of<'code'> | null);
    case 'math':
      if ((old as Of<'math'> | null)?.source !== part.source) showMath(dom, part);
      return;
    case 'box':
      if ((old as Of<'box'> | null)?.checked !== part.checked) dom.toggleAttribute('checked', part.checked);
      return;
    case 'element':
      if ((old as Of<'element'> | null)?.style !== part.style) style(dom, part);
      break;
    case 'link':
      if ((old as Of<'link'> | null)?.href !== part.href || (old as Of<'link'>).title !== part.title) markdownLink(dom as HTMLAnchorElement, part.href, part.title);
      break;
  }
  if (!('parts' in part) || (part.parts.length === 0 && !old)) return;
  const inner = part.kind === 'table' || part.kind === 'note' ? dom.lastChild! : dom;
  patch(inner, (old as { parts: Part[] } | null)?.parts ?? [], part.parts, reply);
}

function setText(node: Text, old: string, text: string): void {
  if (old === text) return;
  if (text.startsWith(old)) node.appendData(text.slice(old.length));
  else node.data = text;
}

function style(dom: HTMLElement, { name, style }: Of<'element'>): void {
  if (name === 'ol') {
    if (/^\d{1,9}$/.test(style)) dom.setAttribute('start', style);
    else dom.removeAttribute('start');
  } else if (style) dom.className = /^h\d$/.test(style) ? style : `to-${style}`;
  else dom.removeAttribute('class');
}

function table(): HTMLElement {
  const outer = document.createElement('div');
  outer.className = 'scrolls';
  outer.tabIndex = 0;
  outer.setAttribute('role', 'group');
  outer.setAttribute('aria-label', t('Table'));
  outer.append(document.createElement('table'));
  return outer;
}

function box(): HTMLElement {
  const made = document.createElement('input');
  Object.assign(made, { type: 'checkbox', disabled: true });
  made.setAttribute('aria-label', t('Task'));
  return made;
}
