// A language's tables without the English: what is looked up as a whole has a short key, which the page makes of the sentence.
import type { Plugin } from 'vite';
import { short } from '../src/words/short.ts';

const TABLES = /^(words|sentences|about|commands|tools|wrong)$/;

interface Node {
  type: string;
  start: number;
  end: number;
  name?: string;
  value?: unknown;
}
interface Table extends Node {
  properties: (Node & { key: Node })[];
}

/** The code of a file of a language, parsed. What the server fills in stays, because it is a pattern. */
export function shorten(code: string, tree: { body: unknown[] }, kept: Map<string, string>): string {
  const found = (tree.body as { declaration?: { declarations?: { id: Node; init: Table }[] } }[]).flatMap((one) => one.declaration?.declarations ?? []);
  const keys = found.filter(({ id }) => TABLES.test(id.name ?? '')).flatMap(({ id, init }) => init.properties.filter((one) => one.type === 'Property').map(({ key }) => ({ key, isPage: id.name === 'words' })));
  let made = code;
  for (const { key, isPage } of keys.reverse()) {
    const text = String(key.name ?? key.value);
    if (!isPage && text.includes('{}')) continue;
    const sign = short(text);
    if ((kept.get(sign) ?? text) !== text) throw new Error(`“${text}” and “${kept.get(sign)}” have the same short key`);
    kept.set(sign, text);
    made = made.slice(0, key.start) + sign + made.slice(key.end);
  }
  return made;
}

/** Is this a file with the tables of a language other than English? */
export const isTranslation = (path: string): boolean => /\/words\/german[\w-]*\.ts$/.test(path);

export function shortWords(): Plugin {
  const kept = new Map<string, string>();
  return {
    name: 'short-words',
    apply: 'build',
    enforce: 'post',
    transform(code, id) {
      if (!isTranslation(id)) return null;
      return { code: shorten(code, this.parse(code) as unknown as { body: unknown[] }, kept), map: null };
    },
  };
}
