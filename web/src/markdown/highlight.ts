/** Colours for code, loaded when the first block of code is whole. */
import hljs from 'highlight.js/lib/core';
import type { HLJSApi, Language } from 'highlight.js';
import bash from 'highlight.js/lib/languages/bash';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import markdown from 'highlight.js/lib/languages/markdown';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

/** Style sheets. The library's own grammar brings the name of every property, which is as much as three other languages. */
const css = (hljs: HLJSApi): Language => ({
  contains: [
    hljs.C_BLOCK_COMMENT_MODE,
    hljs.APOS_STRING_MODE,
    hljs.QUOTE_STRING_MODE,
    { scope: 'keyword', begin: /@[\w-]+|!important/ },
    { scope: 'selector-class', begin: /\.[a-z_-][\w-]*/i },
    { scope: 'selector-id', begin: /#[a-z_-][\w-]*(?=[^;}]*\{)/i },
    { scope: 'attribute', begin: /--[\w-]+|\b[a-z-]+(?=\s*:[^{}]*[;}])/i },
    { scope: 'number', begin: /#[\da-f]{3,8}\b|-?\b\d*\.?\d+(?:[a-z]+|%)?/i },
  ],
});

const languages = { bash, css, diff, go, java, javascript, json, markdown, python, rust, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** What the library makes of the text before it would write HTML, which we never read. */
interface Branch {
  scope?: string;
  children: (string | Branch)[];
}

export function colour(element: HTMLElement, text: string, language: string): void {
  if (!hljs.getLanguage(language) || element.textContent !== text) return;
  const result = hljs.highlight(text, { language, ignoreIllegals: true });
  const tree = (result._emitter as unknown as { rootNode?: Branch }).rootNode;
  if (!tree) return;
  const made = document.createDocumentFragment();
  grow(made, tree);
  if (made.textContent === text) element.replaceChildren(made);
}

function grow(parent: Node, branch: Branch): void {
  for (const child of branch.children) {
    if (typeof child === 'string') {
      parent.appendChild(document.createTextNode(child));
      continue;
    }
    const span = document.createElement('span');
    if (child.scope) span.className = `c-${child.scope.split('.')[0]}`;
    grow(span, child);
    parent.appendChild(span);
  }
}
