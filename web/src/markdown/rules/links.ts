/**
 * Addresses that stand in the text by themselves, as GitHub finds them: `https://…`, `www.…`, mail addresses. Each is
 * found once for a whole paragraph, so that a long one costs what its length is.
 */
import type { StateInline } from 'markdown-it';

interface Found {
  end: number;
  href: string;
}

const BEGINS = /(?:https?|ftp):\/\/|www\.|@/gi;
const DOMAIN = /[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*/uy;
/** An address ends here; the last ones are quotation marks, and the signs that Chinese and Japanese sentences end with. */
const ADDRESS = /[^\s<\u2018-\u201f\u3000-\u303f\uff01-\uff0f\uff1a-\uff1f]*/y;
const MAIL = /[A-Za-z0-9._-]+/y;
const LOCAL = /[A-Za-z0-9._+-]/;
const seen = new WeakMap<StateInline, Map<number, Found>>();

/** In the place of the library's rule for text, which would run past the beginning of an address. */
export function text(state: StateInline, silent: boolean): boolean {
  const links = linksOf(state);
  const { pos, posMax, src } = state;
  const here = state.linkLevel === 0 ? links.get(pos) : undefined;
  if (here && here.end <= posMax) return link(state, here, silent);
  PLAIN.lastIndex = pos;
  let end = Math.min(posMax, PLAIN.test(src) ? PLAIN.lastIndex : pos);
  if (end === pos) return false;
  for (let at = pos + 1; links.size > 0 && at < end; at += 1) if (links.has(at)) end = at;
  if (!silent) state.pending += src.slice(pos, end);
  state.pos = end;
  return true;
}
const PLAIN = /[^\n!#$%&*+\-:<=>@[\\\]^_`{}~]+/y;

function link(state: StateInline, { end, href }: Found, silent: boolean): boolean {
  if (!silent) {
    state.push('link_open', 'a', 1).attrs = [['href', state.md.normalizeLink(href)]];
    state.push('text', '', 0).content = state.src.slice(state.pos, end);
    state.push('link_close', 'a', -1);
  }
  state.pos = end;
  return true;
}

function linksOf(state: StateInline): Map<number, Found> {
  let links = seen.get(state);
  if (!links) seen.set(state, (links = findLinks(state.src)));
  return links;
}

export function findLinks(src: string): Map<number, Found> {
  const links = new Map<number, Found>();
  let done = 0;
  BEGINS.lastIndex = 0;
  for (let match = BEGINS.exec(src); match; match = BEGINS.exec(src)) {
    const at = match.index;
    if (at < done) continue;
    const [start, found] = match[0] === '@' ? mail(src, at, done) : [at, address(src, at, match[0])];
    if (found) {
      links.set(start, found);
      done = BEGINS.lastIndex = found.end;
    } else done = at + match[0].length;
  }
  return links;
}

function address(src: string, at: number, begin: string): Found | null {
  const before = src[at - 1] ?? ' ';
  const bare = begin.toLowerCase() === 'www.';
  if (bare ? !/[\s*_~(\u0080-\uffff]/.test(before) : /[A-Za-z0-9]/.test(before)) return null;
  DOMAIN.lastIndex = bare ? at : at + begin.length;
  const domain = DOMAIN.exec(src)?.[0];
  if (!domain || /_/.test(domain.split('.').slice(-2).join('.')) || (bare && !domain.includes('.', 4))) return null;
  ADDRESS.lastIndex = at;
  const end = trim(src, at, at + (ADDRESS.exec(src)?.[0].length ?? 0));
  const text = src.slice(at, end);
  return { end, href: bare ? `http://${text}` : text };
}

/** What belongs to the sentence and not to the address: signs at its end, brackets that it does not open, `&amp;` and the like. */
function trim(src: string, start: number, end: number): number {
  let [round, square] = [0, 0];
  for (let at = start; at < end; at += 1) {
    if (src[at] === '[') square += 1;
    if (src[at] === ']' && --square < 0) end = at;
    if (src[at] === '(') round += 1;
    if (src[at] === ')' && at < end) round -= 1;
  }
  for (;;) {
    const last = src[end - 1];
    if (last === ')' && round < 0) round += 1;
    else if (last === ';') {
      const name = /&[A-Za-z0-9]+;$/.exec(src.slice(Math.max(start, end - 40), end));
      if (name) end -= name[0].length - 1;
    } else if (!last || !'?!.,:*_~"\''.includes(last)) return end;
    end -= 1;
  }
}

function mail(src: string, at: number, done: number): [number, Found | null] {
  let start = at;
  while (start > done && LOCAL.test(src[start - 1]!)) start -= 1;
  MAIL.lastIndex = at + 1;
  const host = MAIL.exec(src)?.[0].replace(/\.+$/, '') ?? '';
  const end = at + 1 + host.length;
  if (start === at || !host.includes('.') || /[-_]$/.test(host) || src[end] === '+') return [start, null];
  const scheme = /mailto:$/i.exec(src.slice(Math.max(done, start - 7), start))?.[0] ?? '';
  return [start - scheme.length, { end, href: `mailto:${src.slice(start, end)}` }];
}
