/** Names for signs, like `&amp;`. The common ones are here; all others come when the first of them is seen. */
const COMMON: Record<string, string> = {
  amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', copy: '©', reg: '®', trade: '™', hellip: '…', mdash: '—', ndash: '–',
  lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', laquo: '«', raquo: '»', bull: '•', middot: '·', deg: '°', times: '×', divide: '÷', plusmn: '±',
  larr: '←', rarr: '→', uarr: '↑', darr: '↓', euro: '€', pound: '£', yen: '¥', cent: '¢', sect: '§', para: '¶', auml: 'ä', ouml: 'ö', uuml: 'ü',
  Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', szlig: 'ß', eacute: 'é', egrave: 'è', agrave: 'à', le: '≤', ge: '≥', ne: '≠', infin: '∞', sum: '∑', radic: '√',
  micro: 'µ', frac12: '½', frac14: '¼', frac34: '¾', alpha: 'α', beta: 'β', gamma: 'γ', delta: 'δ', pi: 'π', lambda: 'λ', sigma: 'σ', omega: 'ω',
};

let all: ((text: string) => string) | null = null;
let loading: Promise<void> | null = null;
let missed = false;

/** What the Markdown parser asks for each name. */
export function decodeHTMLStrict(text: string): string {
  const name = text.slice(1, -1);
  if (Object.hasOwn(COMMON, name)) return COMMON[name]!;
  if (all) return all(text);
  missed = true;
  return text;
}

/** Was a name asked for that was not known then? Asking ends it. */
export function missedEntity(): boolean {
  const was = missed;
  missed = false;
  return was;
}

export function loadEntities(): Promise<void> {
  loading ??= import('./entity-table').then((table) => void (all = table.decode), () => void (loading = null));
  return loading;
}
