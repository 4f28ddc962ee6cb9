/** The words that a search opened a conversation for, found and marked where they stand. The page's nodes stay as they are. */
import { wordsOf } from './search-words';

const NAME = 'sought';

/** Elements whose words stand apart from those beside them. */
const APART = /^(P|LI|TD|TH|PRE|BLOCKQUOTE|H[1-6]|DIV|TR|BR|HR|SUMMARY|DT|DD|MJ-REPLY|MJ-CALL)$/;

/** Every place in a node where one of the words stands, in any case; also where a word is partly bold. */
export function rangesOf(root: Node, search: string): Range[] {
  const any = wordsOf(search);
  if (!any) return [];
  const pieces: { node: Text; from: number }[] = [];
  let text = '';
  const walk = (node: Node): void => {
    if (node instanceof Text) {
      pieces.push({ node, from: text.length });
      text += node.data;
      return;
    }
    const apart = APART.test(node.nodeName);
    if (apart) text += '\n';
    node.childNodes.forEach(walk);
    if (apart) text += '\n';
  };
  walk(root);
  return [...text.matchAll(any)].flatMap((match) => rangeAt(pieces, match.index, match.index + match[0].length) ?? []);
}

function rangeAt(pieces: { node: Text; from: number }[], start: number, end: number): Range | null {
  const holding = (at: number) => pieces.find(({ node, from }) => from <= at && at < from + node.length);
  const [first, last] = [holding(start), holding(end - 1)];
  if (!first || !last) return null;
  const range = document.createRange();
  range.setStart(first.node, start - first.from);
  range.setEnd(last.node, end - last.from);
  return range;
}

/** Marks them; a browser that cannot mark ranges shows the first one selected. */
export function mark(ranges: Range[]): void {
  if ('highlights' in CSS) CSS.highlights.set(NAME, new Highlight(...ranges));
  else if (ranges[0]) {
    const selection = getSelection();
    selection?.removeAllRanges();
    selection?.addRange(ranges[0]);
  }
}

export function unmark(): void {
  if ('highlights' in CSS) CSS.highlights.delete(NAME);
}

/** Opens what is folded around a place. */
export function unfold(range: Range): void {
  for (let node = range.startContainer.parentElement?.closest('details'); node; node = node.parentElement?.closest('details')) node.open = true;
}
