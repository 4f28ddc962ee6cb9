/** A line about a message: its first words, without what is markup or Markdown in it. Never shown as anything but text. */
export function gistOf(content: string): string {
  const text = content
    .slice(0, LONGEST)
    .replace(/<\/?[a-z][^>]{0,200}>?/gi, ' ')
    .replace(/^[ \t]*(?:#{1,6} |>+ ?|[-*+] |```.*$|~~~.*$|\|?[ :|-]*-{2,}[ :|-]*$)/gm, '')
    .replace(/!?\[([^[\]\n]*)\]\([^()\s]*\)/g, '$1')
    // Signs around words are marks; within a word, or alone, they are what they are.
    .replace(/(?<![\p{L}\p{N}\\])[*_~]{1,3}(?=\S)|(?<=\S)[*_~]{1,3}(?![\p{L}\p{N}])/gu, '')
    .replace(/[`|]+/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ (?=[.,;:!?)])/g, '')
    .trim();
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

const LONGEST = 1_000;
