// The page fits the server: it compiles against what the server says of itself today.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { types, usedRoutes } from '../../scripts/api-types.mjs';
import { World } from './world.mjs';

const web = new URL('../../', import.meta.url).pathname;
let world;
before(async () => {
  world = await World.begin();
});
after(() => world?.end());

function compile(schema) {
  const copy = mkdtempSync(join(web, 'node_modules/.fits-'));
  try {
    cpSync(join(web, 'src'), join(copy, 'src'), { recursive: true });
    cpSync(join(web, 'tsconfig.json'), join(copy, 'tsconfig.json'));
    symlinkSync(join(web, 'node_modules'), join(copy, 'node_modules'));
    writeFileSync(join(copy, 'src/api/schema.ts'), schema);
    const ran = spawnSync(process.execPath, [join(web, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', copy], { encoding: 'utf8' });
    return { ok: ran.status === 0, said: ran.stdout };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

test('every route that the page calls is there, with what the page sends and reads', async () => {
  const document = await (await fetch(`${world.base}/openapi.json`)).json();
  const schema = types(document, await usedRoutes());
  const fits = compile(schema);
  assert.ok(fits.ok, `the server's description has changed; run \`npm run api\` and see what breaks:\n${fits.said}`);
  // A field that the page reads and the server no longer has is found.
  const without = compile(schema.replaceAll('"last_message"', '"last_words"'));
  assert.equal(without.ok, false);
});
