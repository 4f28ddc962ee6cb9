/** What a program said, and how it ended. */

export interface Ran {
  output: string;
  errors: string;
  /** Null where it did not end by itself. */
  exit: number | null;
  /** Why it was ended, in the server's words. */
  error: string;
  took_ms: number | null;
  /** The files of the conversation that it changed, by their names. */
  written: string[];
  deleted: string[];
  /** With why. */
  not_kept: string[];
}

/** The result of a tool that runs programs, read; null where it is something else. */
export function ranOf(content: string | null): Ran | null {
  const value = content?.startsWith('{') ? jsonOf(content) : undefined;
  if (!isObject(value) || !('exit_code' in value) || !('stdout' in value || 'output' in value)) return null;
  const text = (name: string) => (typeof value[name] === 'string' ? value[name] : '');
  const number = (name: string) => (typeof value[name] === 'number' ? value[name] : null);
  const names = (name: string) => (Array.isArray(value[name]) ? value[name].flatMap(fileName) : []);
  const files = { written: names('files_written'), deleted: names('files_deleted'), not_kept: names('files_not_kept') };
  return { output: text('stdout') || text('output'), errors: text('stderr'), exit: number('exit_code'), error: text('error'), took_ms: number('duration_ms'), ...files };
}

function fileName(file: unknown): string[] {
  if (typeof file === 'string') return [file];
  return isObject(file) && typeof file['path'] === 'string' ? [typeof file['why'] === 'string' ? `${file['path']} (${file['why']})` : file['path']] : [];
}

/** Some of what a program said; `isError` where it said it as an error. */
export interface Said {
  text: string;
  isError: boolean;
}

/** What a program said in the order in which it came, as far as that is known, and why it was ended; each with its line breaks. */
export function inOrder(ran: Ran, order: number[] = []): Said[] {
  const { output, errors, error } = parted(ran, order);
  const ways = [[...output], [...errors]];
  const said: Said[] = [];
  const say = (text: string, isError: boolean, line: boolean) => {
    const before = said.at(-1)?.text;
    if (text) said.push({ text: line && before && !before.endsWith('\n') ? `\n${text}` : text, isError });
  };
  order.forEach((length, at) => say(asSeen(ways[at % 2]!.splice(0, length).join('')), at % 2 === 1, false));
  ways.forEach((rest, at) => say(asSeen(rest.join('')), at === 1, true));
  const last = said.at(-1);
  if (last) last.text = last.text.trimEnd();
  say(error, true, true);
  return said.filter(({ text }) => text);
}

const MARK = '\nstderr:\n';
const END = /\n(Exit code: -?\d+\.|Process (?:timed out|ended)[^\n]*)$/;

/** Python's result is one text: what it printed, what it complained of, how it ended; without the line breaks at their ends. */
function parted(ran: Ran, order: number[]): Pick<Ran, 'output' | 'errors' | 'error'> {
  const [printed, complained] = [0, 1].map((way) => order.reduce((sum, length, at) => (at % 2 === way ? sum + length : sum), 0)) as [number, number];
  const text = [...`\n${ran.output}`];
  const mark = text.slice(0, printed + 1 + MARK.length).join('').lastIndexOf(MARK);
  if (ran.errors || complained === 0 || mark < 0) return ran;
  const rest = text.join('').slice(mark + MARK.length);
  const end = ran.exit === 0 ? null : END.exec(rest);
  const whole = (part: string, length: number) => part + '\n'.repeat(Math.max(0, length - [...part].length));
  return { output: whole(text.join('').slice(1, mark), printed), errors: whole(end ? rest.slice(0, end.index) : rest, complained), error: end?.[1] ?? '' };
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

// eslint-disable-next-line no-control-regex
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** As a terminal would show it: without signs for colours, and of a line that was written over what stood there last. */
export function asSeen(text: string): string {
  const plain = text.replace(ESCAPES, '').replaceAll('\r\n', '\n');
  if (!/[\r\b]/.test(plain)) return plain;
  return plain.split('\n').map(line).join('\n');
}

function line(text: string): string {
  let shown = '';
  for (const piece of text.split('\r')) shown = piece + shown.slice(piece.length);
  let kept = '';
  for (const letter of shown) kept = letter === '\b' ? kept.slice(0, -1) : kept + letter;
  return kept;
}
