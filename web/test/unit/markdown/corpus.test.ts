/** Markdown as models really write it: finished, and cut at every place. */
import { describe, expect, test } from 'vitest';
import { ours, written } from './spec';


const a = (address: string, words = address, href = address) => `<a ${href} | ${href}>${words}</a>`;
const dead = (to: string, words: string) => `<a  | ${to}>${words}</a>`;

const CASES: [string, string][] = [
  ['The variable OPENAI_API_KEY and my_file_name.py and __init__ here.', '<p>The variable OPENAI_API_KEY and my_file_name.py and <strong>init</strong> here.</p>'],
  ['Set `OPENAI_API_KEY` or OPENAI_API_KEY, see __init__.py.', '<p>Set <code>OPENAI_API_KEY</code> or OPENAI_API_KEY, see <strong>init</strong>.py.</p>'],
  ['See [provider.NAME] and array[0] and footnote[1] and [ ] box and [x](y).', `<p>See [provider.NAME] and array[0] and footnote[1] and [ ] box and ${dead('y', 'x')}.</p>`],
  ['Two stars: 2 * 3 * 4 = 24 and a*b*c and 5*6.', '<p>Two stars: 2 * 3 * 4 = 24 and a<em>b</em>c and 5*6.</p>'],
  ['HTML: <b>bold</b> & &lt;tag&gt; a < b > c', '<p>HTML: &lt;b&gt;bold&lt;/b&gt; &amp; &lt;tag&gt; a &lt; b &gt; c</p>'],
  ['1. one\n   ```js\n   let a;\n   ```\n2. two', '<ol><li>one<pre><code language-js>let a;\n</code></pre></li><li>two</li></ol>'],
  ['It costs $5 today and $6 tomorrow', '<p>It costs $5 today and $6 tomorrow</p>'],
  [
    'Auto link https://example.com/a_b_c(d)?x=1&y=2. And www.example.org and me@example.org.',
    `<p>Auto link ${a('https://example.com/a_b_c(d)?x=1&y=2', 'https://example.com/a_b_c(d)?x=1&amp;y=2')}. And ${a('http://www.example.org/', 'www.example.org')} and ${a('mailto:me@example.org', 'me@example.org')}.</p>`,
  ],
  ['Title\n=====\n\nSub\n---\n\nText', '<h1>Title</h1><h2>Sub</h2><p>Text</p>'],
  ['~~~\na ~~ b\n~~~\n\nafter', '<pre><code>a ~~ b\n</code></pre><p>after</p>'],
  ['| a | b | c |\n|:--|--:|:-:|\n| 1 | 2 | 3 |', '<table><thead><tr><th left>a</th><th right>b</th><th center>c</th></tr></thead><tbody><tr><td left>1</td><td right>2</td><td center>3</td></tr></tbody></table>'],
  ['**bold with _nested_ italic**', '<p><strong>bold with <em>nested</em> italic</strong></p>'],
  ['one line\nand the next  \nand a third', '<p>one line<br>and the next<br>and a third</p>'],
  ['- [ ] open\n- [x] done\n- [link] none', '<ul><li><input>open</li><li><input checked>done</li><li>[link] none</li></ul>'],
  ['~~gone~~ and ~gone~ but ~5 or ~6 and a~~~b', '<p><del>gone</del> and <del>gone</del> but ~5 or ~6 and a~~~b</p>'],
  ['请看https://example.com。谢谢 (see https://a.example/b) “https://c.example”', ''],
  ['mailto:ada@example.org and ada@example and @ada and a@b.c-', `<p>${a('mailto:ada@example.org')} and ada@example and @ada and a@b.c-</p>`],
  ['**Note:** see [the docs](https://docs.example/x "Docs") and ![a cat](https://x.example/cat.png)', ''],
  ['Text[^1] and [^none] and a class [^0-9].\n\n[^1]: The *note*.\n    More of it.\n\nAfter.', ''],
  ['[later] and [so][too]\n\n> quoted\n\n[later]: https://later.example/ "When"\n[too]: https://too.example/', ''],
  ['- one\n\n  two\n- three\n\n      code\n\n1) a\n2) b\n\n* * *\n\n+ c', ''],
  ['| a |\n| - |\n| `x \\| y` |\n\nText | with | pipes\n\n| not | a table |', ''],
  ['Ends in the middle of **bold', '<p>Ends in the middle of **bold</p>'],
  ['Ends in the middle of `code', '<p>Ends in the middle of `code</p>'],
  ['```python\nprint("never closed")', '<pre><code language-python>print("never closed")</code></pre>'],
  ['| a | b |', '<p>| a | b |</p>'],
  ['Text\n-', '<h2>Text</h2>'],
  ['[unfinished](https://exa', `<p>[unfinished](${a('https://exa/', 'https://exa')}</p>`],
];

describe('what models write', () => {
  test.each(CASES.filter(([, shown]) => shown))('%j', (markdown, shown) => {
    const notes = (text: string) => text.replace(/<input( checked)?> /g, '<input$1>');
    expect(notes(ours(written(markdown)))).toBe(shown);
  });

  test.each(CASES)('%j is the same however it is cut', (markdown) => {
    const whole = written(markdown).innerHTML;
    for (let at = 1; at < markdown.length; at += 1) expect(written(markdown.slice(0, at), markdown.slice(at)).innerHTML, `cut at ${at}`).toBe(whole);
    expect(written(...markdown.split('')).innerHTML).toBe(whole);
  });

  test('a link may stand in any language and in brackets', () => {
    const links = [...written('请看https://example.com。谢谢 (see https://a.example/b) “https://c.example” https://ö.example/ä').querySelectorAll('a')];
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['https://example.com/', 'https://a.example/b', 'https://c.example/', 'https://xn--nda.example/%C3%A4']);
  });

  test('a relative address is no link into this server', () => {
    const node = written('[a](/v1/me) [b](//house.example/x) [c](x) [d](#top) [e](?x) <https://house.example/y>');
    expect([...node.querySelectorAll('a[href]')].map((link) => link.textContent)).toEqual(['https://house.example/y']);
  });
});

test('headings have their place in the page, without a step left out', () => {
  const text = '## Two\n\n#### Four\n\n### Three\n\ntext\n\n# One\n\n## Two\n\n> ###### Six\n';
  const shown = (node: HTMLElement) => [...node.querySelectorAll('h2, h3, h4, h5, h6')].map((one) => `${one.localName} ${one.className}`);
  expect(shown(written(text))).toEqual(['h2 h2', 'h3 h4', 'h3 h3', 'h2 h1', 'h3 h2', 'h4 h6']);
  expect(shown(written(...text.split('')))).toEqual(shown(written(text)));
});

describe('footnotes', () => {
  test('stand where they were written and are numbered in that order', () => {
    const node = written('One[^b] and two[^a] and none[^c].\n\n[^a]: First note.\n\n[^b]: Second,\n    in two paragraphs.\n\n    Yes.\n\nThe end.');
    expect([...node.querySelectorAll('.note-sign button')].map((one) => one.textContent)).toEqual(['2', '1']);
    expect([...node.querySelectorAll('.note > div')].map((one) => one.textContent)).toEqual(['First note.', 'Second,in two paragraphs.Yes.']);
    expect(node.textContent).toContain('none[^c]');
    expect(node.lastElementChild?.textContent).toBe('The end.');
  });

  test('a sign leads to its note and back', () => {
    const reply = document.createElement('mj-reply');
    document.body.append(reply);
    reply.append(...written('One[^1]\n\n[^1]: Note.').childNodes);
    const [sign, back] = [reply.querySelector<HTMLElement>('.note-sign button')!, reply.querySelector<HTMLElement>('.note > button')!];
    sign.click();
    expect(document.activeElement).toBe(back);
    back.click();
    expect(document.activeElement).toBe(sign);
  });
});

describe('elements of the house', () => {
  test('keep their place and themselves while the line around them grows', () => {
    const node = document.createElement('i');
    for (const [before, after, shown] of [
      ['a **b ', ' c** d', '<p>a <strong>b <i></i> c</strong> d</p>'],
      ['- x ', ' y\n- z', '<ul><li>x <i></i> y</li><li>z</li></ul>'],
      ['| a |\n|---|\n| ', ' |', ''],
    ] as const) {
      const whole = written(before, node, after);
      if (shown) expect(whole.innerHTML).toBe(shown);
      expect(whole.contains(node)).toBe(true);
      expect(written(...before.split(''), node, ...after.split('')).contains(node)).toBe(true);
    }
  });

  test('are not lost where no element can stand', () => {
    for (const [before, after] of [['```\ncode ', ' more\n```\n\nend'], ['[a](https://x', '.y) b'], ['`a ', ' b`'], ['```', '\n']] as const) {
      const node = document.createElement('i');
      expect(written(before, node, after).contains(node), before).toBe(true);
      expect(written(...before.split(''), node, ...after.split('')).innerHTML, before).toBe(written(before, node.cloneNode(), after).innerHTML);
    }
  });
});

describe('names of signs', () => {
  test.each([
    ['&ngE; and &amp; &zwnj; &semi; &CounterClockwiseContourIntegral; &there4;', '≧̸ and & \u200c ; ∳ ∴'],
    // Also what a browser reads as a sign and a rest, and what is none.
    ['&notit; &not; &copy2; &nosuchname; &constructor; &x&y; &amp', '&notit; ¬ &copy2; &nosuchname; &constructor; &x&y; &amp'],
    ['&lt;b&gt; &bogus<b>; &LT;i&GT;', '<b> &bogus<b>; <i>'],
  ])('%s', (text, seen) => {
    const node = written(text);
    expect(node.textContent).toBe(seen);
    expect(node.querySelector('b, i')).toBeNull();
  });
});
