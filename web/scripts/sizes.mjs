// The first view under 100 KB, everything under 323 KB, and each large part under its own limit, packed with gzip. Fails where that is not so.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

const KB = 1024;
/** What comes when it is needed is small, too. */
const PARTS = { writer: 25, typeset: 62, diagram: 24, chart: 6 };
/** Only who speaks another language than English loads its words: the page's own, and those for what the server says. */
const LANGUAGES = { german: 24, 'german-server': 32 };
const MOST = { ...PARTS, ...LANGUAGES };
const dist = new URL('../dist/', import.meta.url).pathname;
const html = await readFile(join(dist, 'index.html'), 'utf8');
let [first, all] = [0, 0];
for (const name of await readdir(dist, { recursive: true })) {
  if (!/\.(js|css)\.gz$/.test(name)) continue;
  const { size } = await stat(join(dist, name));
  all += size;
  const [, part] = /assets\/(german-server|\w+)-[\w-]+\.js\.gz$/.exec(name) ?? [];
  if (size > (MOST[part] ?? Infinity) * KB) {
    console.error(`${part} is ${(size / KB).toFixed(1)} KB of ${MOST[part]}.`);
    process.exitCode = 1;
  }
  if (html.includes(name.split('/').pop().replace(/\.gz$/, ''))) first += size;
}
console.log(`first view ${(first / KB).toFixed(1)} KB of 100, everything ${(all / KB).toFixed(1)} KB of 323`);
if (first > 100 * KB || all > 323 * KB) {
  console.error('The page is too large.');
  process.exit(1);
}
