// Makes src/api/schema.ts of the server's own description of itself: `npm run api -- http://127.0.0.1:7777`.
// With --check it only compares. Only what src/api/routes.ts names is taken over, so a new route elsewhere changes nothing.
import { readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

const here = new URL('../src/api/', import.meta.url);

/** The TypeScript of the schemas that these routes need, in the order of their names. */
export function types(document, routes) {
  const schemas = document.components.schemas;
  const wanted = new Set();
  const name = (reference) => reference.split('/').pop();
  const want = (schema) => {
    const found = name(schema);
    if (!wanted.has(found)) {
      wanted.add(found);
      visit(schemas[found]);
    }
  };
  function visit(value) {
    if (value === null || typeof value !== 'object') return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === '$ref') want(inner);
      else if (key !== 'example' && key !== 'examples') visit(inner);
    }
  }
  for (const route of routes) {
    const [method, path] = route.split(' ');
    const operation = document.paths[path]?.[method.toLowerCase()];
    if (!operation) throw new Error(`the server has no route ${route}`);
    const good = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
    visit({ body: operation.requestBody?.content, answers: good.map(([, answer]) => answer.content) });
  }
  const lines = [...wanted].sort().map((found) => `export type ${found} = ${write(schemas[found])};\n`);
  return `// Made by scripts/api-types.mjs of /openapi.json. Not to be edited.\n\n${lines.join('\n')}`;

  function write(schema) {
    if (schema === true || schema === undefined) return 'unknown';
    if (schema.$ref) return schema.properties ? `${name(schema.$ref)} & ${object(schema)}` : name(schema.$ref);
    if ('const' in schema) return JSON.stringify(schema.const);
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
    const own = schema.properties ? [object(schema)] : [];
    if (schema.allOf) return [...schema.allOf.map(write), ...own].join(' & ');
    const choice = schema.oneOf ?? schema.anyOf;
    if (choice) {
      const either = [...new Set(choice.map(write))].join(' | ');
      return own.length ? `${own[0]} & (${either})` : either;
    }
    const kinds = Array.isArray(schema.type) ? schema.type : [schema.type];
    return kinds.map((kind) => plain(kind, schema)).join(' | ');
  }
  function plain(kind, schema) {
    if (kind === 'array') return `(${write(schema.items)})[]`;
    if (kind === 'object') return object(schema);
    if (kind === 'integer') return 'number';
    return ['string', 'number', 'boolean', 'null'].includes(kind) ? kind : 'unknown';
  }
  function object(schema) {
    if (!schema.properties) return `Record<string, ${write(schema.additionalProperties ?? true)}>`;
    const required = new Set(schema.required ?? []);
    const fields = Object.entries(schema.properties).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{ ${fields.map(([key, inner]) => `${JSON.stringify(key)}${required.has(key) ? '' : '?'}: ${write(inner)}`).join('; ')} }`;
  }
}

/** The routes that the client calls, as its source says them. */
export async function usedRoutes() {
  const source = await readFile(new URL('routes.ts', here), 'utf8');
  const found = source.matchAll(/'((?:GET|POST|PUT|PATCH|DELETE) \/[^']*)'/g);
  return [...new Set([...found].map((match) => match[1]))].sort();
}

export async function current() {
  return readFile(new URL('schema.ts', here), 'utf8').catch(() => '');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const base = process.argv[2] ?? 'http://127.0.0.1:7777';
  const document = await (await fetch(new URL('/openapi.json', base))).json();
  await writeFile(new URL('schema.ts', here), types(document, await usedRoutes()));
  console.log('src/api/schema.ts is as the server says.');
}
