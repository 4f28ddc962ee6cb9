// What a piece of the server's own source says.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const CRATES = join(import.meta.dirname, '../../../crates');

export const rust = (path: string) => readFileSync(join(CRATES, path), 'utf8');

/** The files of a folder and of those below it, without its tests. */
export function filesIn(folder: string): string[] {
  const names = readdirSync(join(CRATES, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.rs') && !name.includes('_tests')).map((name) => `${folder}/${name}`);
}

/** The strings of a piece of Rust as they are when it runs; what is filled in is `{}`. */
export function strings(code: string): string[] {
  const plain = code.replace(/^\s*\/\/.*$/gm, '').replaceAll(`'"'`, `''`);
  return [...plain.matchAll(/"((?:[^"\\]|\\[\s\S])*)"/g)].map(([, text = '']) => asItRuns(text));
}

function asItRuns(text: string): string {
  const plain = text.replace(/\\\n\s*/g, '').replaceAll('\\"', '"').replaceAll('\\n', '\n').replaceAll('\\\\', '\\');
  return plain.replaceAll('{{', '\u0001').replaceAll('}}', '\u0002').replace(/\{[\w:.?]*\}/g, '{}').replaceAll('\u0001', '{').replaceAll('\u0002', '}');
}

/** From one piece of the source to another. */
export function between(path: string, from: string, to: string): string {
  const whole = rust(path);
  const begin = whole.indexOf(from);
  const end = whole.indexOf(to, begin);
  if (begin < 0 || end < 0) throw new Error(`${path} has no ${begin < 0 ? from : to}`);
  return whole.slice(begin, end);
}

/** A file without the tests at its end. */
export function program(path: string): string {
  return rust(path).split(/#\[cfg\(test\)\]\n(?:#\[path[^\n]*\n)?mod /)[0]!;
}

export const isSentence = (text: string) => /^[A-Z].* .*[.:{}]$/s.test(text);
export const isWords = (text: string) => /[a-z]\)? .*[a-z]/.test(text);
export const within = (path: string, from: string, to: string) => strings(between(path, from, to)).filter(isWords);
export const whole = (path: string) => strings(program(path)).filter(isWords);
