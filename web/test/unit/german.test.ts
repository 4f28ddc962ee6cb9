import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAst } from 'vite';
import { describe, expect, test } from 'vitest';
import { translate } from '../../src/words/words';
import { words } from '../../src/words/german';

type Node = { type: string } & Record<string, unknown>;

/** What a file says to people, and every string in it. */
interface Said {
  /** Looked up in a dictionary: the texts of templates, and what is given to `t` as it stands or from a table. */
  asked: string[];
  /** Given to `t` from somewhere that this test cannot read. */
  unread: string[];
  /** Written as a plain string, or between the values of a template that is not looked up. */
  plain: string[];
}

function saidIn(code: string, name: string): Said {
  const asked: string[] = [];
  const plain: string[] = [];
  const unread: string[] = [];
  const listening = (text: string) => void asked.push(text);
  const program = parseAst(code, { lang: 'ts' });
  const tables = new Map([...imported(program, name), ...tablesOf(program)]);
  const hear = (given: Node, above: Node[]) => {
    if (isText(given)) return void asked.push(given.value);
    if (/^(Conditional|Logical|TSNonNull)Expression$/.test(given.type)) return;
    const within = given.type === 'MemberExpression' ? (given.object as Node) : null;
    const table = within?.type === 'ObjectExpression' ? within : tables.get(nameOf(within));
    const found = table ?? sourceOf(given, above, tables);
    if (found) strings(found, asked);
    else unread.push(code.slice(Number(given.start), Number(given.end)));
  };
  walkDown(program, [], (node, above) => {
    if (node.type === 'TaggedTemplateExpression' && nameOf(node.tag) === 'html') translate(quasis(node.quasi), listening);
    if (node.type === 'CallExpression' && nameOf(node.callee) === 't') walk((node.arguments as unknown[])[0], (given) => hear(given, above), chosen);
    if (isText(node)) plain.push(node.value);
  });
  walk(program, (node) => node.type === 'TemplateLiteral' && plain.push(...quasis(node)), (node) => (node.type === 'TaggedTemplateExpression' ? (node.quasi as Node).expressions as unknown[] : Object.values(node)));
  return { asked, plain, unread };
}

/** Where a name comes from: a constant beside it, or each row of a table that a function goes through. */
function sourceOf(given: Node, above: Node[], tables: Map<string, unknown>): unknown {
  const [name, field] = given.type === 'MemberExpression' ? [nameOf(given.object), nameOf(given.property)] : [nameOf(given), ''];
  if (!name) return null;
  for (const [at, node] of [...above.entries()].reverse()) {
    const declared = declaredIn(node, name);
    if (declared) return fromTable(declared.init as Node, declared.id as Node, name, field, tables);
    const rows = node.type === 'ArrowFunctionExpression' ? rowsOf(above[at - 1], above.slice(0, at), tables) : null;
    const pattern = rows && (node.params as Node[])[0];
    if (rows && pattern && binds(pattern, name)) return rows.map((row) => part(row, pattern, name, field));
  }
  return tables.get(name);
}

/** `const name = TABLE[…]`, or `const [one, many] = TABLE[…]`. */
function declaredIn(node: Node, name: string): Node | null {
  const body = node.type === 'BlockStatement' ? (node.body as Node[]) : [];
  const all = body.flatMap((one) => (one.type === 'VariableDeclaration' ? (one.declarations as Node[]) : []));
  return all.find((one) => binds(one.id as Node, name)) ?? null;
}

function fromTable(init: Node | null, pattern: Node, name: string, field: string, tables: Map<string, unknown>): unknown {
  if (init?.type === 'LogicalExpression') return [fromTable(init.left as Node, pattern, name, field, tables), fromTable(init.right as Node, pattern, name, field, tables)].filter(Boolean);
  if (init && isText(init)) return init;
  if (init?.type === 'ArrayExpression') return part(init, pattern, name, field);
  const table = init?.type === 'MemberExpression' ? (tables.get(nameOf(init.object)) as Node | undefined) : undefined;
  if (table?.type === 'ArrayExpression') return (table.elements as Node[]).map((one) => part(one, pattern, name, field));
  return table ? (table.properties as Node[]).map((one) => part(one.value as Node, pattern, name, field)) : null;
}

/** `TABLE.map(…)`, `Object.entries(TABLE).map(…)`, `[…].map(…)`, also of a part of it that has a name of its own. */
function rowsOf(node: Node | undefined, above: Node[], tables: Map<string, unknown>): Node[] | null {
  const callee = node?.type === 'CallExpression' ? (node.callee as Node) : null;
  return callee?.type === 'MemberExpression' ? rowsIn(callee.object as Node, above, tables) : null;
}

function rowsIn(list: Node, above: Node[], tables: Map<string, unknown>): Node[] | null {
  list = unwrapped(list);
  const callee = list.type === 'CallExpression' ? (list.callee as Node) : null;
  if (callee && nameOf(callee.object) === 'Object') return rowsIn((list.arguments as Node[])[0]!, above, tables);
  if (callee && /^(filter|slice)$/.test(nameOf(callee.property))) return rowsIn(callee.object as Node, above, tables);
  const table = (tables.get(nameOf(list)) ?? list) as Node;
  if (table.type === 'ArrayExpression') return (table.elements as Node[]).map(unwrapped);
  if (table.type === 'ObjectExpression') return (table.properties as Node[]).map((one) => ({ type: 'ArrayExpression', elements: [one.key, one.value] }));
  const declared = above.map((one) => declaredIn(one, nameOf(table))).find(Boolean);
  return declared?.init ? rowsIn(declared.init as Node, above, tables) : null;
}

function unwrapped(node: Node): Node {
  return node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression' ? unwrapped(node.expression as Node) : node;
}

function binds(pattern: Node, name: string): boolean {
  if (pattern.type === 'ArrayPattern') return (pattern.elements as (Node | null)[]).some((one) => one && binds(one, name));
  if (pattern.type === 'ObjectPattern') return (pattern.properties as Node[]).some((one) => binds(one.value as Node, name));
  return nameOf(pattern) === name;
}

/** What of one row the name stands for. */
function part(row: Node, pattern: Node, name: string, field: string): unknown {
  row = unwrapped(row);
  if (pattern.type === 'ArrayPattern' && row.type === 'ArrayExpression') {
    const at = (pattern.elements as (Node | null)[]).findIndex((one) => one && binds(one, name));
    return (row.elements as unknown[])[at];
  }
  const key = pattern.type === 'ObjectPattern' ? nameOf((pattern.properties as Node[]).find((one) => binds(one.value as Node, name))?.key) : field;
  if (row.type !== 'ObjectExpression' || !key) return row;
  return (row.properties as Node[]).find((one) => nameOf(one.key) === key)?.value;
}

/** The tables of other files that this one takes. */
function imported(program: unknown, name: string): [string, unknown][] {
  const taken: [string, unknown][] = [];
  walk(program, (node) => {
    const from = node.type === 'ImportDeclaration' ? `${join(dirname(name), String((node.source as Node).value))}.ts` : '';
    const code = codes.get(from);
    if (!code) return;
    const tables = tablesOf(parseAst(code, { lang: 'ts' }));
    for (const one of node.specifiers as Node[]) taken.push([nameOf(one.local), tables.get(nameOf(one.imported))]);
  });
  return taken.filter(([, table]) => table);
}

function tablesOf(program: unknown): Map<string, unknown> {
  const tables = new Map<string, unknown>();
  walk(program, (node) => {
    const init = node.type === 'VariableDeclarator' && node.init ? unwrapped(node.init as Node) : null;
    if (init && nameOf(node.id) && /^(Object|Array)Expression$/.test(init.type)) tables.set(nameOf(node.id), init);
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
  const { type, name } = (node ?? {}) as Node;
  return type === 'Identifier' ? String(name) : '';
}

/** Of `a ? b : c` only b and c are said, of `a ?? b` both, of `a && b` the second. */
function chosen(node: Node): unknown[] {
  if (node.type === 'TSNonNullExpression') return [node.expression];
  if (node.operator === '&&') return [node.right];
  if (node.type === 'ConditionalExpression') return [node.consequent, node.alternate];
  return node.type === 'LogicalExpression' ? [node.left, node.right] : [];
}

function walkDown(node: unknown, above: Node[], see: (node: Node, above: Node[]) => void): void {
  if (Array.isArray(node)) return node.forEach((one) => walkDown(one, above, see));
  if (!node || typeof node !== 'object') return;
  see(node as Node, above);
  const below = 'type' in node ? [...above, node as Node] : above;
  for (const one of Object.values(node)) walkDown(one, below, see);
}

function walk(node: unknown, see: (node: Node) => void, into: (node: Node) => unknown[] = Object.values): void {
  if (Array.isArray(node)) return node.forEach((one) => walk(one, see, into));
  if (!node || typeof node !== 'object') return;
  see(node as Node);
  for (const one of into(node as Node)) walk(one, see, into);
}

/** Names, examples and keys of the keyboard are the same in every language. */
const SAME = new Set(['Majordomo', 'Tab', 'Enter', 'Shift Enter', 'Ctrl K', 'write_file', 'laptop', 'telegram', 'anthropic', 'Anthropic', 'OpenAI', 'OpenRouter', 'Anthropic Messages', 'small-model 0.5 2', 'and, or, not', 'hour, minute, day, month, step, unanswered, length']);

function same(text: string): boolean {
  return !/\p{L}{2}/u.test(text) || SAME.has(text) || /^https?:|^words\("/.test(text);
}

/** Two words, of which neither is a name in code. */
const PROSE = /(^|[\s“(])\p{L}[\p{Ll}’]+[,.:;]? \p{L}[\p{Ll}’]*([\s,.:;?”)]|$)/u;

/** For browsers and programs, not for people. */
const CODE = new Set(['btn rest', 'btn ghost copy', 'noopener noreferrer', 'input, textarea, select, [contenteditable]', 'not a tree', 'math display', 'btn ghost source', 'left of', 'right of', 'too large']);

const root = join(import.meta.dirname, '../../src');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts') && !name.startsWith('words/german') && !name.startsWith('api/schema'));
const codes = new Map(files.map((name) => [name, readFileSync(join(root, name), 'utf8')]));
const said = new Map([...codes].map(([name, code]) => [name, saidIn(code, name)]));

const ROLES = ['owner', 'admin', 'member', 'guest'];

function tabled(file: string, ...names: string[]): string[] {
  const tables = tablesOf(parseAst(codes.get(file)!, { lang: 'ts' }));
  const found: string[] = [];
  for (const name of names) strings(tables.get(name), found);
  if (found.length < names.length) throw new Error(`${file} lacks one of ${names.join(', ')}`);
  return found;
}

/** What is given to `t` from an answer of the server, or by a function in between: what it can be. */
const ELSEWHERE: Record<string, string[]> = {
  'view/pages/abilities.ts: one.type': ['process', 'conditional'],
  'view/agent/modifiers.ts: does': tabled('view/agent/modifiers.ts', 'KINDS', 'POSITIONS', 'SOURCES', 'USUAL'),
  'view/sign-in.ts: role': ROLES,
  'view/pages/people.ts: link.role': ROLES,
  'view/pages/people.ts: person.role': ROLES,
  'view/pages/people.ts: role': ROLES,
  'view/settings/account.ts: me?.role': ROLES,
  'view/list/side.ts: me?.role': ROLES,
  'view/pages/usage.ts: title': tabled('view/pages/usage.ts', 'BY', 'OF_ADMINS').filter((text) => /^[A-Z]/.test(text)),
  // A word of the agent's own.
  'hml/todo.ts: status': [],
};

describe('English and German', () => {
  test('what the page says in English, it says in German', () => {
    const missing = [...said].flatMap(([name, { asked }]) => asked.filter((text) => !same(text) && !(text in words)).map((text) => `${name}: ${text}`));
    expect([...new Set(missing)]).toEqual([]);
  });

  test('what is given to `t` by a name is in a table that is read here', () => {
    expect([...said].flatMap(([name, { unread }]) => unread.map((what) => `${name}: ${what}`)).filter((what) => !(what in ELSEWHERE))).toEqual([]);
    expect(Object.values(ELSEWHERE).flat().filter((text) => !same(text) && !(text in words))).toEqual([]);
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
