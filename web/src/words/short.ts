/** What stands for an English sentence where only its German is kept: the page that is built has each sentence once. */

const FIRST = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SIGNS = `${FIRST}0123456789$_`;

/** Five signs; a test and the build see to it that no two sentences of ours have the same. */
export function short(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash ^= hash >>> 13;
  let made = FIRST[(hash >>> 24) % FIRST.length]!;
  for (let bits = 0; bits < 24; bits += 6) made += SIGNS[(hash >>> bits) & 63];
  return made;
}
