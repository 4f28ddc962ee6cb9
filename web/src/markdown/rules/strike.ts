/** `~~struck~~` and `~struck~`, as GitHub has them: as many signs at the end as at the beginning, two at the most. */
import type { Delimiter, StateInline } from 'markdown-it';

const TILDE = 0x7e;
/** The library pairs signs of one kind; one and two tildes are two kinds. */
const KINDS = [0, TILDE, TILDE + 0x100];

export function strike(state: StateInline, silent: boolean): boolean {
  if (silent || state.src.charCodeAt(state.pos) !== TILDE) return false;
  const { can_open, can_close, length } = state.scanDelims(state.pos, true);
  const token = state.push('text', '', 0);
  token.content = '~'.repeat(length);
  const marker = KINDS[length];
  if (marker) state.delimiters.push({ marker, length: 0, token: state.tokens.length - 1, end: -1, open: can_open, close: can_close });
  state.pos += length;
  return true;
}

export function strikePairs(state: StateInline): boolean {
  for (const list of [state.delimiters, ...state.tokens_meta.map((meta) => meta?.delimiters)]) if (list) pair(state, list);
  return true;
}

function pair(state: StateInline, delimiters: Delimiter[]): void {
  for (const { marker, end, token } of delimiters) {
    const closer = delimiters[end];
    if (!KINDS.includes(marker) || !closer) continue;
    Object.assign(state.tokens[token]!, { type: 's_open', tag: 'del', nesting: 1, content: '' });
    Object.assign(state.tokens[closer.token]!, { type: 's_close', tag: 'del', nesting: -1, content: '' });
  }
}
