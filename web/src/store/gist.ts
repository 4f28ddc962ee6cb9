/** A line about a message: its first words, without what is markup or Markdown in it. Never shown as anything but text. */
export function gistOf(content: string): string {
  const text = content
    .replace(/<[^>]{0,200}>?/g, ' ')
    .replace(/[*_`#>|]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
