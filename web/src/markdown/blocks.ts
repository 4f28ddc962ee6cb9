/** A text is a row of blocks. Those before the last one are finished: what comes cannot change them. */
import type { Token } from 'markdown-it';

export interface Block {
  tokens: Token[];
  /** Of its lines the first, and the one after the last. */
  start: number;
  end: number;
}

export function blocksOf(tokens: Token[]): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < tokens.length; ) {
    const from = at;
    let depth = 0;
    do depth += tokens[at++]!.nesting;
    while (depth > 0 && at < tokens.length);
    const [start, end] = tokens[from]!.map ?? [0, 0];
    blocks.push({ tokens: tokens.slice(from, at), start, end });
  }
  return blocks;
}

/**
 * How many of them are finished. The one that follows them has two whole lines, because the first row of a table is
 * known by its second; and it does not follow the definition of a link at once, which would go on with a title.
 */
export function countFinished(blocks: Block[], wholeLines: number): number {
  for (let at = blocks.length - 1; at > 0; at -= 1) {
    const [before, block] = [blocks[at - 1]!, blocks[at]!];
    const joined = before.tokens[0]?.type === 'reference_definition' && before.end === block.start;
    if (block.start + 2 <= wholeLines && !joined) return at;
  }
  return 0;
}
