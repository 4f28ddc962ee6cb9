import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vite';
import { expect, test } from 'vitest';
import { translate, type Dictionary } from '../../src/words/words';
import { words } from '../../src/words/de';

type Node = { type: string } & Record<string, unknown>;

/** Everything that the page looks up in a dictionary: the texts of templates, and what is given to `t` as it stands. */
function lookedUp(code: string): string[] {
  const asked: string[] = [];
  const listening = new Proxy({} as Dictionary, { get: (_, text) => void asked.push(String(text)) });
  walk(parseAst(code, { lang: 'ts' }), (node) => {
    if (node.type === 'TaggedTemplateExpression' && named(node.tag, 'html')) {
      const { quasis } = node.quasi as { quasis: { value: { cooked: string } }[] };
      translate(quasis.map(({ value }) => value.cooked), listening);
    }
    if (node.type === 'CallExpression' && named(node.callee, 't')) walk((node.arguments as unknown[])[0], (given) => {
      if (given.type === 'Literal' && typeof given.value === 'string') asked.push(given.value);
    }, chosen);
  });
  return asked;
}

function named(node: unknown, name: string): boolean {
  const { type, name: own } = node as Node;
  return type === 'Identifier' && own === name;
}

/** Of `a ? b : c`, only b and c are said. */
function chosen(node: Node): unknown[] {
  return node.type === 'ConditionalExpression' ? [node.consequent, node.alternate] : [];
}

function walk(node: unknown, see: (node: Node) => void, into: (node: Node) => unknown[] = Object.values): void {
  if (Array.isArray(node)) return node.forEach((one) => walk(one, see, into));
  if (!node || typeof node !== 'object') return;
  see(node as Node);
  for (const one of into(node as Node)) walk(one, see, into);
}

/** Names, examples and keys of the keyboard are the same in every language. */
const SAME = new Set(['Majordomo', 'Tab', 'Ctrl K', 'JSON.', 'write_file', 'laptop', 'telegram', 'anthropic', 'Anthropic Messages', 'small-model 0.5 2']);

function same(text: string): boolean {
  return !/\p{L}{2}/u.test(text) || SAME.has(text) || /^https?:|^words\("/.test(text);
}

test('what the page says in English, it says in German', () => {
  const root = join(import.meta.dirname, '../../src');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts') && !name.startsWith('words/'));
  const missing = files.flatMap((name) => lookedUp(readFileSync(join(root, name), 'utf8')).filter((text) => !same(text) && !(text in words)).map((text) => `${name}: ${text}`));
  expect([...new Set(missing)]).toEqual([]);
});
