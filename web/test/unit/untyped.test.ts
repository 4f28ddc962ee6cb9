import { describe, expect, test } from 'vitest';
import { TYPED_CHARS, Untyped } from '../../src/store/untyped';

const LONG = 'x'.repeat(TYPED_CHARS + 1);

/** Each letter by itself, as a hand types. */
function typed(untyped: Untyped, text: string, before = ''): void {
  for (let at = 1; at <= text.length; at += 1) untyped.note(before + text.slice(0, at), 'insertText');
}

describe('what was not seen being typed', () => {
  test('letters count as typed, however many there are', () => {
    const untyped = new Untyped();
    typed(untyped, LONG);
    expect(untyped.typed).toBe(true);
  });

  test.each(['insertFromPaste', 'insertFromDrop', 'insertText', 'insertCompositionText', ''])('a long text that comes at once is not typed (%s)', (how) => {
    const untyped = new Untyped();
    untyped.note(LONG, how);
    expect(untyped.typed).toBe(false);
  });

  test('a long text counts that takes the place of another one, and of a few letters', () => {
    const untyped = new Untyped();
    typed(untyped, LONG);
    untyped.note('y'.repeat(LONG.length), 'insertFromPaste');
    expect(untyped.typed).toBe(false);
  });

  test('short pieces that are pasted one after the other count together', () => {
    const untyped = new Untyped();
    let text = '';
    while (text.length <= TYPED_CHARS) untyped.note((text += 'thirty letters, about that many'), 'insertFromPaste');
    expect(untyped.typed).toBe(false);
  });

  test('what was deleted does not count, and counts again when it comes back', () => {
    const untyped = new Untyped();
    untyped.note(LONG, 'insertFromPaste');
    untyped.note('', 'deleteByCut');
    expect(untyped.typed).toBe(true);
    untyped.note(LONG, 'historyUndo');
    expect(untyped.typed).toBe(false);
  });

  test('of what is there at the beginning nothing was seen, unless it is known', () => {
    expect(new Untyped(LONG).typed).toBe(false);
    expect(new Untyped(LONG, 0).typed).toBe(true);
    const untyped = new Untyped('x'.repeat(1500));
    untyped.note(`${'x'.repeat(1500)}${'y'.repeat(600)}`, 'insertFromPaste');
    expect(untyped.typed).toBe(false);
  });

  test('a word that a keyboard completes is typed', () => {
    const untyped = new Untyped();
    let text = '';
    while (text.length <= TYPED_CHARS) untyped.note((text += 'understanding '), 'insertText');
    expect(untyped.typed).toBe(true);
  });
});
