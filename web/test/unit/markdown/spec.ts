/** What a specification says of its examples, and what our reader makes of them, in one form that can be compared. */
import { safeAddress } from '../../../src/markdown/address';
import { root } from '../../../src/api/client';
import { Writer } from '../../../src/markdown/writer';

export function written(...pieces: (string | Node)[]): HTMLElement {
  const target = document.createElement('div');
  const writer = new Writer(target);
  for (const piece of pieces) {
    if (typeof piece === 'string') writer.text(piece);
    else writer.inline(piece);
  }
  writer.end();
  return target;
}

/** As our reader shows it, in the names of the specification. */
export function ours(node: Node): string {
  return tidy([...node.childNodes].map(one).join(''));
}

const HEADING = /^h[1-6]$/;

function one(node: Node): string {
  if (node.nodeType === 3) return escape(node.nodeValue ?? '');
  const element = node as HTMLElement;
  const inside = () => [...element.childNodes].map(one).join('');
  if (element.className === 'code') {
    const code = element.querySelector('code')!;
    return `<pre>${code.dataset['language'] ? `<code language-${code.dataset['language']}>` : '<code>'}${escape(code.textContent ?? '').replaceAll('\n', NEWLINE)}</code></pre>`;
  }
  if (element.className === 'scrolls') return inside();
  if (element.localName === 'input') return `<input${element.hasAttribute('checked') ? ' checked' : ''}>`;
  if (element.localName === 'a') return `<a ${element.getAttribute('href') ?? ''} | ${element.title}>${inside()}</a>`;
  if (/^h[2-6]$/.test(element.localName) && HEADING.test(element.className)) return `<${element.className}>${inside()}</${element.className}>`;
  if (element.localName === 'code') return `<code>${inside().replaceAll('\n', ' ')}</code>`;
  const style = element.getAttribute('start') ?? element.className.replace(/^to-/, '');
  return `<${element.localName}${style ? ` ${style}` : ''}>${inside()}</${element.localName}>`;
}

const NEWLINE = '\u2028';

/** The HTML of the specification, after what we mean to show differently everywhere: links through our filter, pictures as links, lines as they were broken. */
export function theirs(html: string): string {
  const parsed = tokens(html);
  let out = '';
  let [pre, anchors] = [0, 0];
  for (const [at, token] of parsed.entries()) {
    if (typeof token === 'string') {
      out += pre ? escape(token).replaceAll('\n', NEWLINE) : escape(token);
      continue;
    }
    const { name, closes, attributes } = token;
    if (name === 'pre') pre += closes ? -1 : 1;
    if (name === 'a') {
      anchors += closes ? -1 : 1;
      out += closes ? '</a>' : link(attributes['href'] ?? '', attributes['title']);
    } else if (name === 'img') {
      const alt = escape(attributes['alt'] ?? '');
      out += anchors ? alt : `${link(attributes['src'] ?? '', attributes['title'])}${alt}</a>`;
    } else if (name === 'input') out += `<input${'checked' in attributes ? ' checked' : ''}>`;
    else if (closes) out += `</${name}>`;
    else if (name === 'br' || name === 'hr') out += `<${name}></${name}>`;
    else {
      const language = attributes['class'];
      const style = attributes['start'] ?? attributes['align'] ?? language ?? '';
      out += `<${name}${style ? ` ${style}` : ''}>`;
    }
    void at;
  }
  return tidy(out);
}

function link(href: string, title: string | undefined): string {
  const address = /^[a-z][a-z0-9+.-]*:/i.test(href) ? safeAddress(href, root()) : null;
  const told = title ? `${address ?? href}\n${title}` : (address ?? href);
  return `<a ${address ?? ''} | ${told}>`;
}

interface Tag {
  name: string;
  closes: boolean;
  attributes: Record<string, string>;
}

function tokens(html: string): (string | Tag)[] {
  const found: (string | Tag)[] = [];
  let from = 0;
  for (const match of html.matchAll(/<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>/gi)) {
    if (match.index > from) found.push(unescape(html.slice(from, match.index)));
    const attributes: Record<string, string> = {};
    for (const [, name, value] of match[3]!.matchAll(/([a-z-]+)(?:="([^"]*)")?/gi)) attributes[name!] = unescape(value ?? '');
    found.push({ name: match[2]!, closes: match[1] === '/', attributes });
    from = match.index + match[0].length;
  }
  if (from < html.length) found.push(unescape(html.slice(from)));
  return found;
}

function unescape(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const BLOCK = '(?:p|h[1-6]|ul|ol|li|blockquote|pre|hr|table|thead|tbody|tr|th|td|div)';

/** Line breaks between blocks are nothing, within a paragraph they are breaks. */
function tidy(text: string): string {
  return text
    .replace(new RegExp(`\\s*(</?${BLOCK}(?: [^>]*)?>)\\s*`, 'g'), '$1')
    .replace(/\s*<br><\/br>\s*/g, '<br>')
    .replace(/(?<=>[^<]*|^[^<]*|<\/a>|\w)\n+/g, (breaks, at: number, all: string) => (all.slice(0, at).lastIndexOf('<a ') > all.slice(0, at).lastIndexOf('>') ? breaks : '<br>'))
    .replaceAll(NEWLINE, '\n')
    .trim();
}
