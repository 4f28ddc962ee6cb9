/**
 * Formulas: `$…$` and `\(…\)` in a line, `$$…$$` and `\[…\]` for themselves. A price is none: the first sign stands before
 * something, the last one after something and before no letter or digit, and words between two prices are words.
 */
import type { StateBlock, StateInline } from 'markdown-it';

/** Longer ones are the text that they are. */
const LONGEST = 10_000;
const DOLLARS = /\$(?![\s$])((?:\\[^\n]|[^$\\\n])*?[^\s\\$])\$(?![A-Za-z0-9$])/y;
const DISPLAY = /\$\$(?!\$)((?:\\[^]|[^$\\])+?)\$\$(?!\$)/y;
const MEANS = /[\p{L}\p{N}]/u;
const PRICE = /^\d[\d.,]*[^\\^_={}]*\s[^\\^_={}]*$/;

export function mathInline(state: StateInline, silent: boolean): boolean {
  const found = state.src[state.pos] === '$' ? dollars(state) : state.src[state.pos] === '\\' ? brackets(state) : null;
  if (!found || state.pos + found.source.length > state.posMax || found.source.length > LONGEST) return false;
  if (!silent) {
    const token = state.push('math', '', 0);
    token.content = found.tex;
    token.markup = found.source;
    token.block = found.display;
  }
  state.pos += found.source.length;
  return true;
}

interface Found {
  tex: string;
  source: string;
  display: boolean;
}

function dollars({ src, pos }: StateInline): Found | null {
  const display = src[pos + 1] === '$';
  if (/[A-Za-z0-9$\\]/.test(src[pos - 1] ?? '')) return null;
  const pattern = display ? DISPLAY : DOLLARS;
  pattern.lastIndex = pos;
  const match = pattern.exec(src.slice(0, pos + LONGEST));
  if (!match || !MEANS.test(match[1]!) || (!display && PRICE.test(match[1]!))) return null;
  return { tex: match[1]!, source: match[0], display };
}

function brackets({ src, pos }: StateInline): Found | null {
  const close = src[pos + 1] === '(' ? '\\)' : src[pos + 1] === '[' ? '\\]' : '';
  if (!close) return null;
  const near = src.slice(pos, pos + LONGEST);
  const end = near.indexOf(close, 2);
  const line = near.indexOf('\n');
  if (end < 0 || (close === '\\)' && line >= 0 && line < end) || !MEANS.test(near.slice(2, end))) return null;
  return { tex: near.slice(2, end), source: near.slice(0, end + 2), display: close === '\\]' };
}

/** `\[` may also be a bracket that is meant as one: then a bracket without a backslash closes it. */
const OPENS = /^(\$\$(?!\$)|\\\[(?=(?:[^\]]|\\\])*$|.*\\\]))/;

/** One that begins a line goes on to its end, at most to the next empty line: what is never closed is a paragraph, however its lines begin. */
export function mathBlock(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (state.sCount[startLine]! - state.blkIndent >= 4) return false;
  const open = OPENS.exec(lineOf(state, startLine))?.[1];
  if (!open) return false;
  if (silent) return true;
  const close = open === '$$' ? '$$' : '\\]';
  let line = startLine;
  let from = open.length;
  for (; line < endLine && !ends(state, line, startLine); line += 1, from = 0) {
    if (lineOf(state, line).includes(close, from)) break;
  }
  const closed = line < endLine && !ends(state, line, startLine);
  state.line = closed ? line + 1 : line;
  const source = state.getLines(startLine, state.line, state.blkIndent, false).trim();
  if (closed && source.endsWith(close) && source.indexOf(close, open.length) === source.length - 2 && source.length < LONGEST) {
    const token = state.push('math', '', 0);
    Object.assign(token, { content: source.slice(2, -2), markup: source, block: true, map: [startLine, state.line] });
    return true;
  }
  state.push('paragraph_open', 'p', 1).map = [startLine, state.line];
  Object.assign(state.push('inline', '', 0), { content: source, map: [startLine, state.line], children: [] });
  state.push('paragraph_close', 'p', -1);
  return true;
}

function ends(state: StateBlock, line: number, startLine: number): boolean {
  return line > startLine && (state.isEmpty(line) || state.sCount[line]! < state.blkIndent);
}

function lineOf(state: StateBlock, line: number): string {
  return state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]);
}
