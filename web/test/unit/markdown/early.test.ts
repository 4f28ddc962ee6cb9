/** What is on the page while the last line is not whole: nothing that is taken back a letter later. */
import { describe, expect, test } from 'vitest';
import { Writer } from '../../../src/markdown/writer';

/** What stands there after each letter. */
function seen(text: string): string[] {
  const target = document.createElement('div');
  const writer = new Writer(target);
  return text.split('').map((letter) => {
    writer.text(letter);
    return target.innerHTML.replace(/<button.*?<\/button>/g, '');
  });
}

describe('while it comes', () => {
  test('bold words and code are so from their first letter, and no sign is seen', () => {
    for (const shown of seen('So **bold words** and `code` end')) expect(shown.replace(/<[^>]*>/g, '')).not.toMatch(/[*`]/);
    expect(seen('So **bo')).toContain('<p>So <strong>bo</strong></p>');
    expect(seen('So `co')).toContain('<p>So <code>co</code></p>');
  });

  test('a link is its words until its address is whole', () => {
    const shown = seen('See [the docs](https://x.y/z) now');
    expect(shown).toContain('<p>See the docs</p>');
    expect(shown.some((one) => one.includes('](h'))).toBe(false);
  });

  test('a paragraph is no heading because a list follows it', () => {
    for (const shown of seen('Words\n- one\n- two\n')) expect(shown).not.toContain('<h');
    for (const shown of seen('Words\n\n1. one\n2. two\n')) expect(shown).not.toMatch(/<p>\d/);
  });

  test('a table is one from the beginning', () => {
    for (const shown of seen('| a | b |\n|---|---|\n| 1 | 2 |\n')) expect(shown.replace(/<[^>]*>/g, '')).not.toContain('|');
  });

  test('the end of a fence is not seen in the code', () => {
    for (const shown of seen('```js\nlet a;\n```\n\nafter')) expect(shown).not.toContain('`');
  });

  test('what is no mark is seen at once', () => {
    expect(seen('2 * 3 = 6')).toContain('<p>2 * 3</p>');
    expect(seen('a_b_c')).toContain('<p>a_b</p>');
    expect(seen('cost: $5')).toContain('<p>cost: $5</p>');
  });
});
