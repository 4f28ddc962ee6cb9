/** What a long or hostile reply costs, counted in letters read and nodes made: a slow machine counts the same. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { decodeHTMLStrict } from '../../../src/markdown/entities';
import { counted } from '../../../src/markdown/nodes';
import { Writer } from '../../../src/markdown/writer';
import { written } from './spec';

beforeEach(() => void Object.assign(counted, { made: 0, compared: 0, read: 0 }));

const PROSE = 'Some **bold** words and `code`, a [link](https://example.org/a) and `OPENAI_API_KEY`.\n\n- one\n- two\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```js\nlet a = 1;\n```\n\n';

function costOf(text: string, size: number): { read: number; made: number; compared: number } {
  Object.assign(counted, { made: 0, compared: 0, read: 0 });
  const writer = new Writer(document.createElement('div'));
  for (let at = 0; at < text.length; at += size) writer.text(text.slice(at, at + size));
  writer.end();
  return { ...counted };
}

describe('a long reply costs its length', () => {
  test.each([
    ['prose', (length: number) => PROSE.repeat(length / PROSE.length)],
    ['one block of code', (length: number) => `\`\`\`\n${'let a = 1;\n'.repeat(length / 11)}`],
    ['one paragraph', (length: number) => 'word and word '.repeat(length / 14)],
    ['one list', (length: number) => '- an item\n'.repeat(length / 10)],
    ['one table', (length: number) => `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(length / 10)}`],
    ['definitions', (length: number) => Array.from({ length: length / 20 }, (_, at) => `[n${at}]: https://x.y\n`).join('')],
    ['links that are named later', (length: number) => Array.from({ length: length / 40 }, (_, at) => `a [n${at}] b\n\n`).join('') + Array.from({ length: length / 40 }, (_, at) => `[n${at}]: https://x.y\n`).join('')],
  ])('%s', (name, text) => {
    // Beyond the length from which on a block is read again only now and then.
    const length = /list|table/.test(name) ? 8_000 : 20_000;
    const [small, large] = [costOf(text(length), 40), costOf(text(length * 4), 40)];
    // Four times as long; what is above that would grow with the square.
    for (const key of ['read', 'made', 'compared'] as const) expect(large[key], key).toBeLessThan(small[key] * 5.5 + 500);
  }, 120_000);

  test('a megabyte, in pieces as a model sends them, is read no more than a few times', () => {
    const text = PROSE.repeat(1_000_000 / PROSE.length);
    const { read, made } = costOf(text, 24);
    expect(read).toBeLessThan(text.length * 12);
    expect(made).toBeLessThan(text.length / 2);
  }, 120_000);

  test('what is finished is not touched: its nodes are the ones that were made first', () => {
    const target = document.createElement('div');
    const writer = new Writer(target);
    writer.text('# One\n\nTwo *three*\n\n- four\n\n');
    writer.text('five\n\nsix\n');
    const before = [...target.children].slice(0, 3);
    const made = counted.made;
    for (const letter of 'And so on, and so on.\n\nAnd on.\n\n'.repeat(20)) writer.text(letter);
    writer.end();
    expect([...target.children].slice(0, 3)).toEqual(before);
    expect(before.every((node, at) => node === target.children[at])).toBe(true);
    expect(counted.made - made).toBeLessThan(41 * 12);
  });
});

describe('hostile text ends, and nothing of it is lost', () => {
  const nested = Array.from({ length: 540 }, (_, depth) => `${'  '.repeat(depth)}- x\n`).join('');
  test.each([
    ['300 KB of lists within lists', nested],
    ['lists on one line', '- '.repeat(150_000)],
    ['a million underscores', '_'.repeat(1_000_000)],
    ['underscores with words', '_a '.repeat(100_000)],
    ['stars and underscores', '*_'.repeat(100_000)],
    ['deep quotes', '>'.repeat(300_000)],
    ['quotes with spaces', '> '.repeat(150_000)],
    ['brackets', '['.repeat(100_000)],
    ['pictures', '![['.repeat(50_000)],
    ['links within links', '[a]('.repeat(50_000)],
    ['backticks of every length', Array.from({ length: 700 }, (_, at) => '`'.repeat(at)).join(' ')],
    ['tildes', '~~a~ '.repeat(50_000)],
    ['entities', '&'.repeat(200_000)],
    ['mail addresses', 'a.'.repeat(50_000) + '@'.repeat(50_000)],
    ['addresses', 'https://'.repeat(40_000)],
    ['notes', '[^'.repeat(50_000)],
    ['backslashes', '\\'.repeat(200_001)],
    ['angles', '<'.repeat(200_000)],
    ['lines of a table that is none', '|\n'.repeat(50_000)],
    ['numbers of lists', '1. '.repeat(60_000)],
    ['rows of dashes', '-\n'.repeat(50_000)],
  ])('%s', (_, hostile) => {
    const node = written(hostile, '\n\nand on');
    expect(node.textContent).toContain('and on');
    expect(depthOf(node)).toBeLessThan(100);
  }, 120_000);

  test('a table of a hundred thousand cells', () => {
    const row = `|${' x |'.repeat(100)}\n`;
    const node = written(row, `|${'---|'.repeat(100)}\n`, row.repeat(999));
    expect(node.querySelectorAll('th, td').length).toBe(100_000);
  }, 120_000);

  test('names that are no names of signs are looked up once each, and not without end', () => {
    const making = vi.spyOn(document, 'createElement');
    // The browser reads a name in a template.
    const reads = (deed: () => void): number => {
      making.mockClear();
      deed();
      return making.mock.calls.filter(([name]) => name === 'template').length;
    };
    const once = `${'&zz;'.repeat(1_000)}\n\n`.repeat(50);
    expect(reads(() => expect(written(once).textContent).toBe(once.replaceAll('\n', '')))).toBe(1);
    expect(reads(() => expect(written('&zz;'.repeat(50_000)).textContent).toBe('&zz;'.repeat(50_000)))).toBe(0);
    expect(reads(() => expect(decodeHTMLStrict('&ngE;')).toBe('≧̸'))).toBeLessThan(2);
    expect(reads(() => Array.from({ length: 20_000 }, (_, at) => expect(decodeHTMLStrict(`&zz${at};`)).toBe(`&zz${at};`)))).toBeLessThan(6_000);
    // Common names, and those that were met before, go on.
    expect(['&amp;', '&ngE;', '&zz7;'].map(decodeHTMLStrict)).toEqual(['&', '≧̸', '&zz7;']);
    making.mockRestore();
  }, 120_000);

  test('what is nested too deep is there as text', () => {
    expect(written(`${'> '.repeat(500)}the core`).textContent).toContain('the core');
    expect(written(nested).textContent?.match(/x/g)?.length).toBe(540);
  });
});

function depthOf(node: Element): number {
  let [depth, at] = [0, [...node.children]];
  while (at.length > 0) {
    depth += 1;
    at = at.flatMap((one) => [...one.children]);
  }
  return depth;
}
