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

/**
 * What a program said, in the order in which it was heard if all of it was, and why it was ended. Of what was not heard only the order
 * within each of the two streams is known.
 */
export function inOrder({ output, errors, error }: Ran, heard: string): Said[] {
  const ways: Said[] = [{ text: asSeen(output).trimEnd(), isError: false }, { text: asSeen(errors).trimEnd(), isError: true }];
  const said = merged(asSeen(heard), ways[0]!.text, ways[1]!.text) ?? ways;
  return [...said, { text: error, isError: true }].filter(({ text }) => text);
}

/** Null where what was heard is not these two, line by line. */
function merged(heard: string, output: string, errors: string): Said[] | null {
  if (!output || !errors) return null;
  const [lines, wrong] = [output.split('\n'), errors.split('\n')];
  const said: Said[] = [];
  for (const line of heard.trimEnd().split('\n')) {
    const isError = line !== lines[0] && line === wrong[0];
    if (!isError && line !== lines[0]) return null;
    (isError ? wrong : lines).shift();
    const last = said.at(-1);
    if (last?.isError === isError) last.text += `\n${line}`;
    else said.push({ text: line, isError });
  }
  return lines.length === 0 && wrong.length === 0 ? said : null;
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
