/** The Markdown that people and models write: CommonMark with the extensions of GitHub. What it reads becomes tokens, never HTML. */
import MarkdownIt, { type Token } from 'markdown-it';
import { deep, run } from './rules/bounds';
import { text } from './rules/links';
import { mathBlock, mathInline } from './rules/math';
import { note, noteSign } from './rules/notes';
import { strike, strikePairs } from './rules/strike';

/** A definition, by its name: of a link, or of a note. */
export type References = Record<string, { href: string; title: string }>;

/** A paragraph that is longer than this was not written for people; it is shown as the text that it is. */
const LONGEST_LINE = 65_536;

const md = new MarkdownIt({ html: false, maxNesting: 100 });
// THREAT[page-01]: every address is read as one, and becomes a link only where `safeAddress` says so.
md.validateLink = () => true;
md.disable(['html_block', 'html_inline', 'linkify']);
md.block.ruler.before('table', 'deep', deep);
md.block.ruler.before('reference', 'note', note, { alt: ['paragraph', 'reference'] });
md.block.ruler.before('fence', 'math', mathBlock, { alt: ['paragraph', 'reference', 'blockquote', 'list'] });
md.inline.ruler.at('text', text);
md.inline.ruler.before('escape', 'math', mathInline);
md.inline.ruler.at('strikethrough', strike);
md.inline.ruler.before('strikethrough', 'run', run);
md.inline.ruler.before('link', 'note_sign', noteSign);
md.inline.ruler2.at('strikethrough', strikePairs);

export const { unescapeAll } = md.utils;

/** The blocks of a text, without what stands in its lines. */
export function readBlocks(src: string, references: References): Token[] {
  const tokens: Token[] = [];
  md.block.parse(src, md, { references }, tokens);
  return tokens;
}

const TASK = /^\[([ xX])\](?=\s)/;

/** What stands in the lines of these blocks. */
export function readLines(tokens: Token[], references: References): void {
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'inline') continue;
    const task = tokens[at - 2]?.type === 'list_item_open' ? TASK.exec(token.content) : null;
    if (task) token.meta = { checked: task[1] !== ' ' };
    const content = task ? token.content.slice(task[0].length) : token.content;
    token.children = [];
    if (content.length > LONGEST_LINE) token.children.push(plain(content));
    else md.inline.parse(content, md, { references }, token.children);
  }
}

function plain(content: string): Token {
  return Object.assign(new MarkdownIt.Token('plain', '', 0), { content });
}
