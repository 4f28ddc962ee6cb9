import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** What a scenario leaves out because this machine cannot do it; `make test` prints the list (scripts/left-out.sh). */
export function leftOut(t, what) {
  const list = resolve(process.env.LEFT_OUT ?? resolve(import.meta.dirname, '../../../target/left-out'));
  mkdirSync(dirname(list), { recursive: true });
  appendFileSync(list, `${what.replaceAll('\n', ' ')}\n`);
  t.skip(what);
}
