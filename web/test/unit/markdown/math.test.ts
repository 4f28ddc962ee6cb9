/** Formulas: what is one, what is none, and what a hostile one can do. */
import { describe, expect, test, vi } from 'vitest';
import { mathOf } from '../../../src/markdown/typeset';
import { written } from './spec';

const formulas = (text: string) => [...written(text).querySelectorAll<HTMLElement>('.math')].map((one) => (one.classList.contains('display') ? `display ${one.textContent}` : one.textContent));

describe('what is a formula', () => {
  test.each<[string, string[]]>([
    ['So $a^2 + b^2 = c^2$ holds.', ['$a^2 + b^2 = c^2$']],
    ['$$\\int_0^1 x^2\\,dx = \\frac{1}{3}$$\n\n**bold** words\n\n```\ncode\n```', ['display $$\\int_0^1 x^2\\,dx = \\frac{1}{3}$$']],
    ['$$\nx = 1\n- y\n= z\n$$', ['display $$\nx = 1\n- y\n= z\n$$']],
    ['\\(a+b\\) and \\[c+d\\]', ['\\(a+b\\)', 'display \\[c+d\\]']],
    ['\\[\nc+d\n\\]\n\nText', ['display \\[\nc+d\n\\]']],
    ['- an item with $x_i$\n- and $$y_i$$ here', ['$x_i$', 'display $$y_i$$']],
    ['| $a$ | b |\n|---|---|\n| 1 | \\(c\\) |', ['$a$', '\\(c\\)']],
    ['2$ and $x$, $n$-th, ($y$).', ['$x$', '$n$', '$y$']],
    ['$\\$5$', ['$\\$5$']],
  ])('%j', (text, found) => expect(formulas(text)).toEqual(found));

  test.each([
    'It costs $5 today and $6 tomorrow',
    'It costs $5 and $10.',
    'Between $5-$10, or $5/$6',
    'US$5 and US$6 are $1,000.50 or 3$',
    'from $5 to 6$ more',
    'echo $HOME and $PATH:$HOME',
    '$ x $ and $$ and $$$',
    '`$x$` and \\$x\\$',
    '```\n$$\nx\n$$\n```',
    '\\[not a link](https://example.org) and \\(not closed',
    '$$ is never closed\n\nand on',
    'a $x\ny$ b',
  ])('none in %j', (text) => {
    expect(formulas(text)).toEqual([]);
  });

  test('the rest of a reply is what it is, however the text is cut', () => {
    for (const text of ['A\n$$\nx\n\n- b $y$\n$$z$$ end\n\n\\[\na\n- b', '$$\na\n= b\n$$\nafter', '> $$\n> x\n> $$\n\n$$y$$ text', '1. a\n   $$\n   x\n   $$\n2. b']) {
      const whole = written(text).innerHTML;
      for (let at = 1; at < text.length; at += 1) expect(written(text.slice(0, at), text.slice(at)).innerHTML, `${JSON.stringify(text)} at ${at}`).toBe(whole);
    }
  });
});

const set = (tex: string, display = false) => mathOf({ tex, display, source: `$${tex}$` });

describe('setting them', () => {
  test('makes MathML, and says what was written', () => {
    const math = set('\\frac{1}{2} \\text{ of } x_i^2 \\le \\sum_{k} \\sqrt{k}', true)!;
    expect(math.localName).toBe('math');
    expect(math.querySelectorAll('mfrac, msubsup, msqrt, munder').length).toBeGreaterThan(3);
    expect(math.getAttribute('alttext')).toContain('\\frac');
  });

  test('happens after the formula is on the page', async () => {
    const node = written('So $a^2$ holds.');
    expect(node.textContent).toBe('So $a^2$ holds.');
    await vi.waitFor(() => expect(node.querySelector('.math > math')).not.toBeNull());
  });

  test.each(['\\frac{', '\\undefinedcommand{x}', '\\begin{foo}x\\end{foo}', '\\left( x', '}', '\\includegraphics{https://x.y/z.png}', '\\href{javascript:alert(1)}{x}', '\\url{https://x.y}', '\\class{a}{b}', '\\htmlData{a=b}{c}'])('%j stays as it was written', (tex) => expect(set(tex)).toBeNull());

  test('sixty levels are set, one more stays as it was written', () => {
    const nested = (levels: number) => '\\sqrt{'.repeat(levels) + 'x' + '}'.repeat(levels);
    expect(set(nested(60))!.querySelectorAll('msqrt').length).toBe(60);
    expect(set(nested(61))).toBeNull();
  });

  test.each<[string, string]>([
    ['an endless macro', '\\def\\a{\\a\\a}\\a'],
    ['macros that double', `\\def\\a{xx}${Array.from({ length: 20 }, (_, at) => `\\def\\${String.fromCharCode(98 + at)}{\\${String.fromCharCode(97 + at)}\\${String.fromCharCode(97 + at)}}`).join('')}\\u`],
    ['a long macro often', `\\def\\a{${'x'.repeat(4_000)}}${'\\a'.repeat(2_000)}`],
    ['depth', '{'.repeat(4_900) + 'x' + '}'.repeat(4_900)],
    ['fractions in fractions', '\\frac{1}{'.repeat(900) + 'x' + '}'.repeat(900)],
    ['roots', '\\sqrt{'.repeat(1_400) + 'x' + '}'.repeat(1_400)],
    ['a wide table', `\\begin{matrix}${'x&'.repeat(4_800)}\\end{matrix}`],
    ['scripts of scripts', 'x^{'.repeat(2_400) + 'y' + '}'.repeat(2_400)],
  ])('%s ends, and makes few nodes or none', (_, tex) => {
    expect(set(tex)?.querySelectorAll('*').length ?? 0).toBeLessThan(4_000);
  });

  test('nothing leaves its place, leads away or carries a handler', () => {
    const tricks = ['\\kern-900em x', '\\hspace{-50em}x', '\\rule{9999em}{9999em}', '\\raisebox{-90em}{x}', '\\color{red}x', '\\bbox[border:1px solid red]{x}', '\\style{position:fixed}{x}', '\\cssId{a}{x}', '\\mathchoice{a}{b}{c}{d}', '\\text{<img src=x onerror=alert(1)>}', '\\ce{H2O}', '\\tag{1} x', '\\label{a} x'];
    for (const tex of tricks) {
      const math = set(tex, true);
      for (const one of math ? [math, ...math.querySelectorAll('*')] : []) {
        expect(one.namespaceURI).toBe('http://www.w3.org/1998/Math/MathML');
        for (const { name, value } of one.attributes) {
          expect(name).not.toMatch(/^on|href|^src|^id$/);
          expect(value, `${tex}: ${name}`).not.toMatch(name === 'alttext' ? /^$/ : /url|position|-\s*(?:[3-9]|\d\d)|\d{4}/);
        }
      }
    }
  });
});
