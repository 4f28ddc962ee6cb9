/** Texts that no one wrote: pieces of Markdown thrown together, and hostile ones. However they come, the same nodes stand there. */
import { describe, expect, test } from 'vitest';
import { written } from './spec';


const PIECES = [
  '\n', '\n', '\n\n', '\n\n', ' ', '  ', '    ', '\t', 'word', 'two words', 'a_b', '*', '**', '_', '__', '~', '~~', '`', '``', '```', '```js', '~~~', '- ', '* ', '+ ', '1. ', '2) ', '10. ', '> ', '>', '# ', '### ', '---', '===', '***', '-', '=',
  '| a | b |', '|---|--:|', '|', '[', ']', '(', ')', '[a]', '[a]: /u', '[a]: https://x.y "t"', '[b]: <z>', '"t"', "'t'", '[b][a]', '[a](https://x.y)', '![a]', '[^1]', '[^1]: ', '[^n]: note', '[ ] ', '[x] ', '<b>', '</b>', '<!--', 'https://x.y/z_a', 'www.x.y', 'a@b.cd', '&amp;', '&ngE;', '&', '\\', '\\*',
  '$', '$$', '$x$', '$$y$$', '\\(', '\\)', '\\[', '\\]', '\\begin{a}', '$5', 'ä', '🙂', '\r\n', '\u00a0', '\0', '!', '.', ':', 'end',
];

/** The same numbers every time. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

export function thrown(seed: number): string {
  const random = numbers(seed);
  const next = (below: number) => Math.floor(random.next().value! * below);
  return Array.from({ length: 3 + next(45) }, () => PIECES[next(PIECES.length)]).join('');
}

const COUNT = Number(process.env['CUTS'] ?? 400);

describe('thrown together', () => {
  test(`${COUNT} texts are the same however they are cut`, () => {
    for (let seed = 1; seed <= COUNT; seed += 1) {
      const text = thrown(seed);
      const whole = written(text).innerHTML;
      const ways = [text.split(''), text.match(/[^]{1,5}/g) ?? [], text.split(/(?<=\n)/), text.split(/(?=\n)/)];
      for (const pieces of ways) expect(written(...pieces).innerHTML, JSON.stringify([seed, text])).toBe(whole);
    }
  }, 120_000);
});

describe('what becomes something else by what follows', () => {
  test.each([
    'p\n\n[a]: /u\n"one\ntwo\nthree"\n\n[a]',
    'p\n\n[a]: /u\n"one\ntwo\nthree\n\n[a]',
    '[a]: /u\n[b]: /v\n"t\nt\nt"\n\n[a] [b]',
    'p\n\n[a\nb]:\n/u\n\'t\nt\'\n\n[a b]',
    'p\n| a |\n|---|x\ny\n\nz',
    'p\n| a |\n|---|\n| 1 |\nq\n\nz',
    'p\n\na\nb\nc\n===\n\nz',
    '- a\n\n\n  b\n\n c\n\nd\n',
    '1. a\n\n   b\n2. c\n\n\n\n3. d\n4) e\n',
    '> a\nb\n\n> c\n\n    d\n\n\n    e\nf\n',
    '```\na\n\n``\n````x\n```` \nb\n',
    '~~~ x\n```\n~~~\n~~\n```\n',
    '[^1]: a\n\n    b\n c\n\nd[^1]\n\n[^1]: again\n',
    '[x]\n\n- [x]: /1\n\n[x]: /2\n\n> [y]: /3\n\n[y] [x]\n',
  ])('%j', (text) => {
    const whole = written(text).innerHTML;
    for (let at = 1; at < text.length; at += 1) {
      expect(written(text.slice(0, at), text.slice(at)).innerHTML, `cut at ${at}`).toBe(whole);
      expect(written(text.slice(0, at), ...text.slice(at).split('')).innerHTML, `letters from ${at}`).toBe(whole);
    }
  });
});

describe('hostile replies', () => {
  test('a thousand of them become text, links that were checked, and nothing else', async () => {
    // @ts-expect-error: a module of the scenarios, without types.
    const { payloads } = (await import('../../browser/fixtures/payloads.mjs')) as { payloads: (count: number) => string[] };
    const list = payloads(1_000);
    expect(list.length).toBe(1_000);
    const ways = [(text: string) => text, (text: string) => `[${text}](${text})`, (text: string) => `![${text}](<${text}>)`, (text: string) => `[^1]\n\n[^1]: ${text}`, (text: string) => `[a][b] [a]\n\n[b]: ${text}\n[a]: <${text}>`, (text: string) => `| ${text} |\n|---|\n| ${text} |`, (text: string) => `\`\`\`${text}\n${text}`, (text: string) => `$${text}$ \\(${text}\\)`, (text: string) => `<${text}> https://${text}`];
    for (const payload of list) {
      for (const way of ways) {
        const node = written(way(payload));
        for (const one of node.querySelectorAll('*')) {
          expect(ALLOWED, payload).toContain(one.localName);
          for (const { name } of one.attributes) expect(ATTRIBUTES, payload).toContain(name);
          if (one.hasAttribute('href')) expect(one.getAttribute('href'), payload).toMatch(/^(?:https?:\/\/|mailto:)/);
        }
      }
    }
  }, 120_000);
});

const ALLOWED = ['p', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'br', 'hr', 'ul', 'ol', 'li', 'em', 'strong', 'del', 'code', 'pre', 'div', 'span', 'button', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'a', 'sup', 'input', 'math', 'mrow', 'mi', 'mo', 'mn', 'mtext', 'msup', 'msub', 'msubsup', 'mspace', 'mstyle', 'mpadded'];
const ATTRIBUTES = ['class', 'href', 'rel', 'target', 'title', 'data-outside', 'data-language', 'data-label', 'tabindex', 'type', 'role', 'aria-label', 'start', 'disabled', 'checked', 'alttext', 'hidden', 'display'];
