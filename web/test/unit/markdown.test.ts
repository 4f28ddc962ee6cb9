import { describe, expect, test } from 'vitest';
import { safeAddress } from '../../src/markdown/address';
import { Writer } from '../../src/markdown/writer';
import { gistOf } from '../../src/store/gist';

const BASE = 'https://house.example/home/';

function written(...pieces: (string | Node)[]): HTMLElement {
  const target = document.createElement('div');
  const writer = new Writer(target);
  for (const piece of pieces) {
    if (typeof piece === 'string') writer.text(piece);
    else writer.inline(piece);
  }
  writer.end();
  return target;
}

describe('addresses', () => {
  test.each([
    ['https://example.org/a?b=c', 'https://example.org/a?b=c'],
    ['/docs', 'https://house.example/docs'],
    ['mailto:ada@example.org', 'mailto:ada@example.org'],
  ])('%s leads somewhere', (text, href) => expect(safeAddress(text, BASE)).toBe(href));

  test.each(['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'java\tscript:alert(1)', '\u0001javascript:alert(1)', 'data:text/html,x', 'vbscript:x', 'blob:https://x/1', 'file:///etc/passwd', 'https://user:pass@evil.example', 'https://a\u202eb.example', ''.padEnd(0) + 'ht\ntp://x'])(
    '%j stays words',
    (text) => expect(safeAddress(text, BASE)).toBeNull(),
  );
});

describe('Markdown', () => {
  const sample = '# Title\n\nSome **bold** and *soft* `code`.\n\n- one\n- two\n\n1. first\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet a;\n```\n\nThe end.';

  test('is the same however it is cut', () => {
    const whole = written(sample).innerHTML;
    for (const size of [1, 2, 3, 7]) {
      const pieces = Array.from({ length: Math.ceil(sample.length / size) }, (_, at) => sample.slice(at * size, (at + 1) * size));
      expect(written(...pieces).innerHTML).toBe(whole);
    }
    expect(written(sample).querySelectorAll('h2, strong, em, li, blockquote, table, pre').length).toBeGreaterThan(7);
  });

  test('HTML in it is text', () => {
    const node = written('<img src=x onerror=alert(1)> and <script>alert(1)</script>');
    expect(node.querySelector('img, script')).toBeNull();
    expect(node.textContent).toContain('<script>');
  });

  test('a link leads only where it may, and a picture is a link', () => {
    const node = written('[a](https://example.org) [b](javascript:alert(1)) ![c](https://example.org/p.png)');
    const links = [...node.querySelectorAll('a')];
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['https://example.org/', null, 'https://example.org/p.png']);
    expect(node.querySelector('img')).toBeNull();
  });

  test.each([
    ['So $a^2 + b^2$ holds.', 'So $a^2 + b^2$ holds.'],
    ['$$\nx = 1\n$$\n', '$$\nx = 1\n$$'],
    ['It costs $5 and $10.', 'It costs $5 and $10.'],
  ])('formulas are shown as they were written until they are set: %j', (text, shown) => {
    expect(written(text).textContent?.trim()).toBe(shown);
  });

  test('an element stands in the middle of its line', () => {
    const node = written('before ', document.createElement('hr'), ' after');
    expect(node.innerHTML).toBe('<p>before <hr> after</p>');
  });

  test('the sign that stands for an element cannot be written', () => {
    expect(written('a \ufffc b').textContent).toBe('a \ufffd b');
  });

  test('depth and length are survived', () => {
    for (const hostile of ['>'.repeat(400), '- '.repeat(400), '*_'.repeat(500), '['.repeat(500), '`'.repeat(501), '1. '.repeat(400), '|'.repeat(500), '\n'.repeat(500) + '    '.repeat(300)]) {
      expect(written(`${hostile} the end`, '\n\nand on').textContent).toContain('and on');
    }
  });
});

test('a gist has no markup in it', () => {
  expect(gistOf('**Hi** <todo title="x"><item>one</item></todo>\n\nthere')).toBe('Hi one there');
});

test.each([
  ['The variable OPENAI_API_KEY and my_file_name.py', 'The variable OPENAI_API_KEY and my_file_name.py'],
  ['# Plan\n\n- one **two** _three_ `four`', 'Plan one two three four'],
  ['2 * 3 * 4 = 24 and a < b > c', '2 * 3 * 4 = 24 and a < b > c'],
  ['| a | b |\n|---|--:|\n| 1 | 2 |', 'a b 1 2'],
  ['See [the docs](https://x.y/z).', 'See the docs.'],
  ['```js\nlet a_b;\n```\nafter', 'let a_b; after'],
])('a gist of %j', (text, gist) => expect(gistOf(text)).toBe(gist));
