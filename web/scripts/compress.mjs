// Puts a packed form beside every file of dist, so that the server packs nothing while a person waits.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const dist = new URL('../dist/', import.meta.url).pathname;
for (const name of await readdir(dist, { recursive: true })) {
  if (!/\.(js|css|html|svg)$/.test(name)) continue;
  const bytes = await readFile(join(dist, name));
  await writeFile(join(dist, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } };
  await writeFile(join(dist, `${name}.br`), brotliCompressSync(bytes, options));
}
