/** While a reply comes, its last line may still become something else: what is shown of it until then. */

/** A line of signs that may yet be a list, a heading's underline, a rule, a fence or a row of dashes of a table. */
const UNDECIDED = /^[ \t>]*(?:[-=*+_#~`|:$\\[>]+|\d{1,9}[.)]?)[ \t|:-]*$/;
const ROW = /^[ \t>]*\|/;

/** So much of the text is decided enough to be read. */
export function readable(src: string): number {
  const last = src.lastIndexOf('\n') + 1;
  const end = last < src.length && UNDECIDED.test(src.slice(last)) ? last : src.length;
  // The first row of a table is one when the row of dashes below it has come.
  const [row, before] = [lineBefore(src, end), lineBefore(src, lineBefore(src, end))];
  return ROW.test(src.slice(row, end)) && !ROW.test(src.slice(before, row)) ? row : end;
}

/** Where the last line before this place begins. */
function lineBefore(src: string, end: number): number {
  return end < 2 ? 0 : src.lastIndexOf('\n', end - 2) + 1;
}

/** Longer lines are shown as they come. */
const LONGEST = 4_096;
const PARTIAL_LINK = /!?\[([^[\]\n]*)\](?:\([^()\s]*)?$/;
const PARTIAL_SIGN = /(^|[\s(])(?:\*{1,3}|_{1,3}|~{1,2}|!?\[|!)$/;
const BOLD = /(?:^|[\s(“"'>])\*\*(?=[^\s*])/;

/** The last line with what is begun in it brought to an end: bold words are bold from their first letter. */
export function completed(text: string): string {
  if (text.length > LONGEST) return text;
  const tick = openTick(text);
  if (tick >= 0) return text.slice(tick).replace(/^`+/, '') ? text + /^`+/.exec(text.slice(tick))![0] : text.slice(0, tick);
  let made = text.replace(PARTIAL_LINK, (all: string, words: string) => (all.includes('](') ? words : all));
  made = made.replace(PARTIAL_SIGN, '$1');
  const last = made.lastIndexOf('**');
  const pieces = made.split('**').length;
  if (pieces % 2 === 0 && BOLD.test(made.slice(Math.max(0, last - 1))) && !made.slice(last).includes('\n')) made += made.endsWith('*') ? '*' : '**';
  return made;
}

/** Where a run of backticks begins that no run closes. */
function openTick(text: string): number {
  const runs = [...text.matchAll(/(?<!\\)`+/g)];
  for (let at = 0; at < runs.length; at += 1) {
    const close = runs.findIndex((run, index) => index > at && run[0].length === runs[at]![0].length);
    if (close < 0) return runs[at]!.index;
    at = close;
  }
  return -1;
}
