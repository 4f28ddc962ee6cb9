/**
 * Every example of CommonMark 0.31 (npm `commonmark-spec`, CC-BY-SA 4.0) and of GitHub's extensions to it. What `theirs`
 * changes is shown differently on purpose everywhere: links go through the filter of addresses, a picture is a link to
 * it, and a line that is broken in the text is broken on the page.
 */
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import gfm from '../spec/gfm-extensions.json';
import { ours, theirs, written } from './spec';

interface Example {
  number: number;
  section: string;
  markdown: string;
  html: string;
}
const commonmark = (createRequire(import.meta.url)('commonmark-spec') as { tests: Example[] }).tests.map((example) => ({
  ...example,
  markdown: example.markdown.replaceAll('→', '\t'),
  html: example.html.replaceAll('→', '\t'),
}));
const all: Example[] = [...commonmark, ...gfm.examples];

/** The examples that differ, each with the reason why we want it so. None may come to this list unseen, none may stay that need not. */
const DIFFERENT: Record<string, number[]> = {
  'raw HTML is text, always': [
    21, 31, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186,
    187, 188, 189, 190, 191, 201, 308, 309, 344, 475, 476, 477, 491, 494, 524, 536, 613, 614, 615, 616, 623, 630, 631, 642, 643,
  ],
  'an address is a link without signs around it too, as GitHub has it': [602, 608, 611, 612],
};
const DIFFERENT_GFM: Record<string, number[]> = { 'raw HTML is text, always': [653] };


const differing = (examples: Example[]) => examples.filter(({ markdown, html }) => ours(written(markdown)) !== theirs(html)).map(({ number }) => number);
const sorted = (lists: Record<string, number[]>) => Object.values(lists).flat().sort((one, other) => one - other);

describe('the examples of the specifications', () => {
  test('there are as many as there should be', () => {
    expect([commonmark.length, gfm.examples.length]).toEqual([652, 24]);
  });

  test('CommonMark 0.31: all but those that are to differ', () => {
    expect(differing(commonmark)).toEqual(sorted(DIFFERENT));
  });

  test('tables, tasks, strikes and addresses of GitHub: all but those that are to differ', () => {
    expect(differing(gfm.examples)).toEqual(sorted(DIFFERENT_GFM));
  });

  test('where raw HTML is text, every letter of it is there and no tag became a node', () => {
    const html = [...commonmark.filter(({ number }) => DIFFERENT['raw HTML is text, always']!.includes(number)), gfm.examples.at(-1)!];
    for (const { markdown } of html) {
      const node = written(markdown);
      const tag = /<\/?[a-z!?]\w*/i.exec(markdown)![0];
      expect(node.textContent).toContain(tag);
      expect(node.querySelector('div:not(.code), script, style, textarea, img, i, b, iframe')).toBeNull();
    }
  });
});

describe('however the text comes', () => {
  test('the same nodes stand there in the end, cut at every place', () => {
    for (const { markdown } of all) {
      const whole = written(markdown).innerHTML;
      for (let at = 1; at < markdown.length; at += 1) {
        const cut = written(markdown.slice(0, at), markdown.slice(at)).innerHTML;
        expect(cut, `${JSON.stringify(markdown)} cut at ${at}`).toBe(whole);
      }
    }
  }, 60_000);

  test('the same nodes stand there in the end, letter by letter', () => {
    for (const { markdown } of all) expect(written(...markdown.split('')).innerHTML, JSON.stringify(markdown)).toBe(written(markdown).innerHTML);
  }, 60_000);

  test('so it is with many examples below each other, where one defines what another asks for', () => {
    for (let from = 0; from < all.length; from += 40) {
      const markdown = all.slice(from, from + 40).map((example) => example.markdown).join('\n\n');
      const whole = written(markdown).innerHTML;
      for (const size of [1, 7, 50, 333]) expect(written(...(markdown.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [])).innerHTML).toBe(whole);
    }
  }, 60_000);

  test('a byte at a time, as a decoder of a stream gives them', () => {
    const text = 'Übergröße 🙂 **fett** – `π` „x“ &auml; &ngE; 日本語。\r\n\r\n| ä | 🙂 |\r\n|:--|--:|\r\n| ß | 👍🏽 |\r\n';
    const decoder = new TextDecoder();
    const pieces = [...new TextEncoder().encode(text)].map((byte) => decoder.decode(new Uint8Array([byte]), { stream: true }));
    expect(written(...pieces).innerHTML).toBe(written(text).innerHTML);
  });
});
