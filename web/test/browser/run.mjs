// Runs the scenarios one after the other: a browser and a server each are enough for a small machine.
// `npm run browser -- safe talk` runs those two. Those of PHONE run once more on a telephone; SIZE=phone runs them there only.
import { readdirSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';

/** What a person could do in a hand as well, where the scenario itself does not take both sizes. */
const PHONE = ['talk', 'decide', 'arrive', 'around', 'resume', 'reflex', 'shape', 'safe', 'install', 'newcomer', 'light', 'xss', 'remember', 'schedules'];
const here = new URL('./', import.meta.url).pathname;
mkdirSync(new URL('../../shots/', import.meta.url).pathname, { recursive: true });
const wanted = process.argv.slice(2);
const files = readdirSync(here).filter((name) => name.endsWith('.test.mjs') && (wanted.length === 0 || wanted.some((one) => name.startsWith(one))));
const run = (files, environment = {}) =>
  files.length === 0 ? 0 : (spawnSync(process.execPath, ['--test', '--test-concurrency=1', '--test-reporter=spec', ...files.map((name) => here + name)], { stdio: 'inherit', env: { ...process.env, ...environment } }).status ?? 1);
const both = files.filter((name) => PHONE.includes(name.replace('.test.mjs', '')));
const desk = process.env.SIZE === 'phone' ? 0 : run(files);
process.exit(desk || run(both, { SIZE: 'phone' }));
