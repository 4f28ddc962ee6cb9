// Packs every file of dist, so that the server packs nothing while a person waits. Only the page itself is kept as it is, too: the
// server unpacks the others for clients that read nothing packed, and the program is smaller without them.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const dist = new URL('../dist/', import.meta.url).pathname;
for (const name of await readdir(dist, { recursive: true })) {
  if (!/\.(js|css|html|svg|png|webmanifest)$/.test(name)) continue;
  const bytes = await readFile(join(dist, name));
  await writeFile(join(dist, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } };
  await writeFile(join(dist, `${name}.br`), brotliCompressSync(bytes, options));
  if (name !== 'index.html') await rm(join(dist, name));
}
