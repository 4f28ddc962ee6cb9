import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vite';
import { describe, expect, test } from 'vitest';
import { translate, type Dictionary } from '../../src/words/words';
import { words } from '../../src/words/de';

type Node = { type: string } & Record<string, unknown>;

/** What a file says to people, and every string in it. */
interface Said {
  /** Looked up in a dictionary: the texts of templates, and what is given to `t` as it stands or from a table. */
  asked: string[];
  /** Written as a plain string, or between the values of a template that is not looked up. */
  plain: string[];
}

function saidIn(code: string): Said {
  const asked: string[] = [];
  const plain: string[] = [];
  const listening = new Proxy({} as Dictionary, { get: (_, text) => void asked.push(String(text)) });
  const program = parseAst(code, { lang: 'ts' });
  const tables = tablesOf(program);
  const hear = (given: Node) => {
    if (isText(given)) asked.push(given.value);
    if (given.type === 'MemberExpression') strings(tables.get(nameOf(given.object)) ?? given.object, asked);
  };
  walk(program, (node) => {
    if (node.type === 'TaggedTemplateExpression' && nameOf(node.tag) === 'html') translate(quasis(node.quasi), listening);
    if (node.type === 'CallExpression' && nameOf(node.callee) === 't') walk((node.arguments as unknown[])[0], hear, chosen);
    if (isText(node)) plain.push(node.value);
  });
  walk(program, (node) => node.type === 'TemplateLiteral' && plain.push(...quasis(node)), (node) => (node.type === 'TaggedTemplateExpression' ? (node.quasi as Node).expressions as unknown[] : Object.values(node)));
  return { asked, plain };
}

function tablesOf(program: unknown): Map<string, unknown> {
  const tables = new Map<string, unknown>();
  walk(program, (node) => {
    if (node.type === 'VariableDeclarator' && (node.init as Node | null)?.type === 'ObjectExpression') tables.set(nameOf(node.id), node.init);
  });
  return tables;
}

/** The values of an object, not its keys. */
function strings(table: unknown, into: string[]): void {
  walk(table, (node) => isText(node) && into.push(node.value), (node) => (node.type === 'Property' ? [node.value] : Object.values(node)));
}

function quasis(template: unknown): string[] {
  return (template as { quasis: { value: { cooked: string } }[] }).quasis.map(({ value }) => value.cooked);
}

function isText(node: Node): node is Node & { value: string } {
  return node.type === 'Literal' && typeof node.value === 'string';
}

function nameOf(node: unknown): string {
  const { type, name } = node as Node;
  return type === 'Identifier' ? String(name) : '';
}

/** Of `a ? b : c` only b and c are said, of `a ?? b` both. */
function chosen(node: Node): unknown[] {
  if (node.type === 'ConditionalExpression') return [node.consequent, node.alternate];
  return node.type === 'LogicalExpression' ? [node.left, node.right] : [];
}

function walk(node: unknown, see: (node: Node) => void, into: (node: Node) => unknown[] = Object.values): void {
  if (Array.isArray(node)) return node.forEach((one) => walk(one, see, into));
  if (!node || typeof node !== 'object') return;
  see(node as Node);
  for (const one of into(node as Node)) walk(one, see, into);
}

/** Names, examples and keys of the keyboard are the same in every language. */
const SAME = new Set(['Majordomo', 'Tab', 'Enter', 'Shift Enter', 'Ctrl K', 'write_file', 'laptop', 'telegram', 'anthropic', 'Anthropic Messages', 'small-model 0.5 2', 'and, or, not', 'hour, minute, day, month, step, unanswered, length']);

function same(text: string): boolean {
  return !/\p{L}{2}/u.test(text) || SAME.has(text) || /^https?:|^words\("/.test(text);
}

/** Two words, of which neither is a name in code. */
const PROSE = /(^|[\s“(])\p{L}[\p{Ll}’]+[,.:;]? \p{L}[\p{Ll}’]*([\s,.:;?”)]|$)/u;

/** For browsers and programs, not for people. */
const CODE = new Set(['btn rest', 'btn ghost copy', 'noopener noreferrer', 'input, textarea, select, [contenteditable]', 'not a tree', 'math display', 'btn ghost source', 'left of', 'right of', 'too large']);

const root = join(import.meta.dirname, '../../src');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts') && name !== 'words/de.ts' && !name.startsWith('api/schema'));
const said = new Map(files.map((name) => [name, saidIn(readFileSync(join(root, name), 'utf8'))]));

describe('English and German', () => {
  test('what the page says in English, it says in German', () => {
    const missing = [...said].flatMap(([name, { asked }]) => asked.filter((text) => !same(text) && !(text in words)).map((text) => `${name}: ${text}`));
    expect([...new Set(missing)]).toEqual([]);
  });

  test('what German has, the page says', () => {
    const all = new Set([...said.values()].flatMap(({ asked, plain }) => [...asked, ...plain]));
    expect(Object.keys(words).filter((text) => !all.has(text))).toEqual([]);
  });

  test('no sentence stands where no dictionary is asked', () => {
    const prose = [...said].flatMap(([name, { plain }]) => plain.filter((text) => PROSE.test(text) && !CODE.has(text) && !same(text) && !(text in words)).map((text) => `${name}: ${text}`));
    expect([...new Set(prose)]).toEqual([]);
  });
});
