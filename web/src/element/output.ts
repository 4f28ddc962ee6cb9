/** What a program said, and how it ended. */
import { served } from '../words/words';

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
  const python = 'stdout' in value ? null : pythonOf(text('output'), number('exit_code'));
  return { output: python?.output ?? text('stdout'), errors: text('stderr'), exit: number('exit_code'), error: text('error') || (python?.error ?? ''), took_ms: number('duration_ms'), ...files };
}

const SILENT = /^Script produced no output\.$/;
const END = /\n(Exit code: -?\d+\.|Process (?:timed out|ended)[^\n]*)$/;

/** Python's result is one text; how it ended, which its last line says, is the server's own. */
function pythonOf(text: string, exit: number | null): Pick<Ran, 'output' | 'error'> {
  const end = exit === 0 ? null : END.exec(`\n${text}`);
  if (end) return { output: text.slice(0, Math.max(0, end.index - 1)), error: end[1]! };
  return { output: SILENT.test(text) ? served(text) : text, error: '' };
}

function fileName(file: unknown): string[] {
  if (typeof file === 'string') return [file];
  return isObject(file) && typeof file['path'] === 'string' ? [typeof file['why'] === 'string' ? `${file['path']} (${served(file['why'])})` : file['path']] : [];
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
  // What the other one said in between ends no line and no sign for a colour.
  const [outputs, complaints] = ways.map((way, at) => seenIn([...order.filter((_, turn) => turn % 2 === at).map((length) => way.splice(0, length).join('')), way.join('')])) as [string[], string[]];
  order.forEach((_, turn) => say((turn % 2 === 0 ? outputs : complaints)[turn >> 1] ?? '', turn % 2 === 1, false));
  say(outputs.at(-1) ?? '', false, true);
  say(complaints.at(-1) ?? '', true, true);
  const last = said.at(-1);
  if (last) last.text = last.text.trimEnd();
  say(served(error), true, true);
  return said.filter(({ text }) => text);
}

const MARK = '\nstderr:\n';

/** Python's result is one text: what it printed, what it complained of; without the line breaks at their ends. */
function parted(ran: Ran, order: number[]): Pick<Ran, 'output' | 'errors' | 'error'> {
  const [printed, complained] = [0, 1].map((way) => order.reduce((sum, length, at) => (at % 2 === way ? sum + length : sum), 0)) as [number, number];
  const text = [...`\n${ran.output}`];
  const mark = text.slice(0, printed + 1 + MARK.length).join('').lastIndexOf(MARK);
  if (ran.errors || complained === 0 || mark < 0) return ran;
  const rest = text.join('').slice(mark + MARK.length);
  const whole = (part: string, length: number) => part + '\n'.repeat(Math.max(0, length - [...part].length));
  return { output: whole(text.join('').slice(1, mark), printed), errors: whole(rest, complained), error: ran.error };
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
  return seenIn([text]).join('');
}

/** A sign that is shown, and which piece it came with. */
type Sign = [sign: string, piece: number];

/** The same for what came in pieces: each has what is seen of it. A line that was written over is in the last piece that wrote on it. */
function seenIn(pieces: string[]): string[] {
  const whole = pieces.join('');
  if (!/[\u001b\r\b]/.test(whole)) return pieces;
  const hidden = new Map([...whole.matchAll(ESCAPES)].map((found) => [found.index, found[0].length]));
  const shown = pieces.map(() => '');
  let [piece, end, latest] = [0, pieces[0]?.length ?? 0, 0];
  let signs: Sign[] = [];
  const endLine = () => {
    for (const [sign, from] of line(signs)) shown[(latest = Math.max(latest, from))] += sign;
    signs = [];
  };
  for (let at = 0; at < whole.length; ) {
    const escape = hidden.get(at);
    if (escape) {
      at += escape;
      continue;
    }
    while (at >= end) end += pieces[(piece += 1)]!.length;
    const sign = String.fromCodePoint(whole.codePointAt(at)!);
    at += sign.length;
    if (sign !== '\n') signs.push([sign, piece]);
    else {
      endLine();
      shown[(latest = Math.max(latest, piece))] += sign;
    }
  }
  endLine();
  return shown;
}

function line(signs: Sign[]): Sign[] {
  const written: Sign[] = [];
  let column = 0;
  for (const sign of signs) {
    if (sign[0] === '\r') column = 0;
    else written[column++] = sign;
  }
  const kept: Sign[] = [];
  for (const sign of written) {
    if (sign[0] === '\b') kept.pop();
    else kept.push(sign);
  }
  return kept;
}
