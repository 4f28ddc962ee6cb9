import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** What a scenario leaves out because this machine cannot do it; `make test` prints the list (scripts/left-out.sh). */
export function leftOut(t, what) {
  note(LIST, what);
  t.skip(what);
}

/** What a scenario does in a shorter way than it can, unless `variable` asks for all of it. */
export function shorterWithout(variable, what, whole) {
  if (process.env[variable] === undefined) note(`${LIST}-shorter`, `${what}; whole by \`${whole}\``);
}

const LIST = resolve(process.env.LEFT_OUT ?? resolve(import.meta.dirname, '../../../target/left-out'));

function note(list, what) {
  mkdirSync(dirname(list), { recursive: true });
  appendFileSync(list, `${what.replaceAll('\n', ' ')}\n`);
}
