// The Markdown parser brings tables that a browser has, and finders of links that we have. Ours stand in for them.
const ours = (name: string): string => new URL(`../src/markdown/${name}.ts`, import.meta.url).pathname;

export const slim = [
  { find: /^entities$/, replacement: ours('entities') },
  { find: /^linkify-it$/, replacement: ours('slim/linkify') },
  { find: /^punycode\.js$/, replacement: ours('slim/punycode') },
  { find: /^uc\.micro$/, replacement: ours('slim/signs') },
  { find: /^mdurl$/, replacement: ours('slim/address') },
];
