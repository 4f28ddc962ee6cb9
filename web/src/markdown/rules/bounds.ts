/** What no one reads deeper or longer than this is shown as the text that it is: nothing is lost, and nothing is endless. */
import type { StateBlock, StateInline } from 'markdown-it';

/** Quotes and lists within each other; a list counts twice. */
export const DEEPEST = 40;
/** Signs for emphasis in a row. */
const LONGEST_RUN = 64;

export function deep(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (silent || state.level < DEEPEST) return false;
  let line = startLine;
  while (line < endLine && (state.isEmpty(line) || state.sCount[line]! >= state.blkIndent)) line += 1;
  state.push('paragraph_open', 'p', 1).map = [startLine, line];
  const words = state.push('plain', '', 0);
  words.content = state.getLines(startLine, line, state.blkIndent, false).trim();
  state.push('paragraph_close', 'p', -1);
  state.line = line;
  return true;
}

const RUN = /\*+|_+|~+/y;
export function run(state: StateInline, silent: boolean): boolean {
  RUN.lastIndex = state.pos;
  const length = RUN.exec(state.src)?.[0].length ?? 0;
  if (length <= LONGEST_RUN || state.pos + length > state.posMax) return false;
  if (!silent) state.pending += state.src.slice(state.pos, state.pos + length);
  state.pos += length;
  return true;
}
