// Runs the scenarios one after the other: a browser and a server each are enough for a small machine.
// `npm run browser -- safe talk` runs those two.
import { readdirSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';

const here = new URL('./', import.meta.url).pathname;
mkdirSync(new URL('../../shots/', import.meta.url).pathname, { recursive: true });
const wanted = process.argv.slice(2);
const files = readdirSync(here).filter((name) => name.endsWith('.test.mjs') && (wanted.length === 0 || wanted.some((one) => name.startsWith(one))));
const run = spawnSync(process.execPath, ['--test', '--test-concurrency=1', '--test-reporter=spec', ...files.map((name) => here + name)], { stdio: 'inherit' });
process.exit(run.status ?? 1);
