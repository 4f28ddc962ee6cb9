/**
 * Where a link of a reply may lead. THREAT[page-01]: an address is text that a model chose; only addresses that open a
 * page or a mail are links, everything else stays words.
 */
const PROTOCOLS = new Set(['http:', 'https:', 'mailto:']);

export function safeAddress(text: string, base: string): string | null {
  // Browsers drop these inside of an address; a reader does not see them.
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u0020\u007f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u.test(text.trim())) return null;
  try {
    const url = new URL(text.trim(), base);
    if (!PROTOCOLS.has(url.protocol) || url.username || url.password) return null;
    return url.href;
  } catch {
    return null;
  }
}
