import { beforeEach, expect, test } from 'vitest';
import { Draft } from '../../src/view/draft';

beforeEach(() => localStorage.clear());

const file = (name: string) => new File(['x'], name);

function writing(text: string, ...files: File[]): Draft {
  const draft = new Draft('new');
  draft.write(text);
  draft.files = files;
  return draft;
}

test('what was sent goes, and what was written or added meanwhile stays', () => {
  const [notes, more] = [file('notes'), file('more')];
  const draft = writing('Hello', notes);
  draft.sent('Hello', [notes]);
  expect([draft.text, draft.files]).toEqual(['', []]);
  draft.write('Hello and also');
  draft.files = [notes, more];
  draft.sent('Hello', [notes]);
  expect([draft.text, draft.files]).toEqual(['and also', [more]]);
  expect(new Draft('new').text).toBe('and also');
  // Words that were changed are others.
  draft.write('Good morning');
  draft.sent('and also');
  expect(draft.text).toBe('Good morning');
});

test('it is on its way for everybody who shows it', () => {
  const draft = writing('Hello');
  let told = 0;
  draft.subscribe(() => (told += 1));
  draft.busy = true;
  expect([draft.busy, told]).toEqual([true, 1]);
});
