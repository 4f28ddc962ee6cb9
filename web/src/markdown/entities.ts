/** Names for signs, like `&amp;`. The common ones are here; of all others the browser has the table. */
import { html, render } from 'lit';

const COMMON: Record<string, string> = {
  amp: '&', semi: ';', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', copy: '©', reg: '®', trade: '™', hellip: '…', mdash: '—', ndash: '–',
  lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', laquo: '«', raquo: '»', bull: '•', middot: '·', deg: '°', times: '×', divide: '÷', plusmn: '±',
  larr: '←', rarr: '→', uarr: '↑', darr: '↓', euro: '€', pound: '£', yen: '¥', cent: '¢', sect: '§', para: '¶', auml: 'ä', ouml: 'ö', uuml: 'ü',
  Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', szlig: 'ß', eacute: 'é', egrave: 'è', agrave: 'à', le: '≤', ge: '≥', ne: '≠', infin: '∞', sum: '∑', radic: '√',
  micro: 'µ', frac12: '½', frac14: '¼', frac34: '¾', alpha: 'α', beta: 'β', gamma: 'γ', delta: 'δ', pi: 'π', lambda: 'λ', sigma: 'σ', omega: 'ω',
};

/** Nothing but a name: what is read below can become one sign or two, and nothing else. */
const NAME = /^[A-Za-z][A-Za-z0-9]{1,31}$/;
/** Those that were seen and are names of signs. */
const known = new Map<string, string>();
/** Those that were seen and are none. */
const unknown = new Set<string>();
/** Who writes more names of nothing than this means no signs, and none is looked up any more. */
const MOST_UNKNOWN = 5_000;

/** What the Markdown parser asks for each name. What is no name of a sign stays as it was written. */
export function decodeHTMLStrict(text: string): string {
  const name = text.slice(1, -1);
  if (Object.hasOwn(COMMON, name)) return COMMON[name]!;
  if (known.has(name)) return known.get(name)!;
  if (!NAME.test(name) || unknown.has(name) || unknown.size >= MOST_UNKNOWN) return text;
  const sign = read(`&${name};`);
  // The browser reads `&notit;` as a sign and a rest, which ends as it was written.
  if (sign.endsWith(';')) {
    unknown.add(name);
    return text;
  }
  known.set(name, sign);
  return sign;
}

/** A template without values: the page's policy reads no other text as HTML. */
function read(entity: string): string {
  const node = document.createElement('p');
  const pieces = [entity];
  render(html(Object.assign(pieces, { raw: pieces }) as unknown as TemplateStringsArray), node);
  return node.textContent ?? entity;
}
