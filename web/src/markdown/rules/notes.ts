/**
 * Footnotes: `[^name]` in the text and `[^name]: …` below it. A note stays where it was written, so that nothing moves
 * while a reply comes, and has the number of its place among the notes.
 */
import type { StateBlock, StateInline } from 'markdown-it';

const BEGIN = /^\[\^([^\s[\]]{1,200})\]:[ \t]*/;
const REFERENCE = /\[\^([^\s[\]]{1,200})\]/y;

/** So are notes named among the definitions, where `[^name]` as a link cannot stand. */
export function noteKey(name: string): string {
  return `\n${name.toLowerCase().toUpperCase()}`;
}

export function note(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  if (state.sCount[startLine]! - state.blkIndent >= 4 || state.src.charCodeAt(start) !== 0x5b || state.level > 0) return false;
  const match = BEGIN.exec(state.src.slice(start, state.eMarks[startLine]));
  if (!match) return false;
  if (silent) return true;
  const key = noteKey(match[1]!);
  const { references } = state.env as { references: Record<string, unknown> };
  references[key] ??= { href: '', title: '' };
  const open = state.push('note_open', 'div', 1);
  open.meta = { label: key };
  open.map = [startLine, startLine];
  open.map[1] = inside(state, startLine, endLine, start + match[0].length);
  state.push('note_close', 'div', -1);
  return true;
}

/** What follows the sign on its line, and what is indented below it. */
function inside(state: StateBlock, startLine: number, endLine: number, content: number): number {
  const kept = { b: state.bMarks[startLine]!, t: state.tShift[startLine]!, s: state.sCount[startLine]!, indent: state.blkIndent, parent: state.parentType };
  const width = content - kept.b;
  state.bMarks[startLine] = content;
  state.tShift[startLine] = 0;
  state.sCount[startLine] = kept.s + 4;
  state.blkIndent += 4;
  // A note is no list, but lines below it that are not indented go on with its paragraph as in one.
  state.parentType = 'footnote' as StateBlock['parentType'];
  if (width > 0 && content < state.eMarks[startLine]!) state.md.block.tokenize(state, startLine, endLine);
  else state.line = startLine + 1;
  state.bMarks[startLine] = kept.b;
  state.tShift[startLine] = kept.t;
  state.sCount[startLine] = kept.s;
  state.blkIndent = kept.indent;
  state.parentType = kept.parent;
  return state.line;
}

export function noteSign(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x5b || state.src.charCodeAt(state.pos + 1) !== 0x5e) return false;
  REFERENCE.lastIndex = state.pos;
  const match = REFERENCE.exec(state.src);
  if (!match) return false;
  const label = noteKey(match[1]!);
  if (!(state.env as { references: Record<string, unknown> }).references[label]) return false;
  if (!silent) state.push('note_sign', 'sup', 0).meta = { label };
  state.pos += match[0].length;
  return true;
}
