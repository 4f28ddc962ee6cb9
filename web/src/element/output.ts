/** What a program said, and how it ended. */

export interface Ran {
  output: string;
  errors: string;
  /** Null where it did not end by itself. */
  exit: number | null;
  /** Why it was ended, in the server's words. */
  error: string;
  took_ms: number | null;
}

/** The result of a tool that runs programs, read; null where it is something else. */
export function ranOf(content: string | null): Ran | null {
  const value = content?.startsWith('{') ? jsonOf(content) : undefined;
  if (!isObject(value) || !('exit_code' in value) || !('stdout' in value || 'output' in value)) return null;
  const text = (name: string) => (typeof value[name] === 'string' ? value[name] : '');
  const number = (name: string) => (typeof value[name] === 'number' ? value[name] : null);
  return { output: text('stdout') || text('output'), errors: text('stderr'), exit: number('exit_code'), error: text('error'), took_ms: number('duration_ms') };
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
