import { beforeEach, expect, test } from 'vitest';
import { forget, keep, keepFor, kept, own } from '../../src/store/browser-storage';
import type { Attached } from '../../src/view/attach';
import { arrived, Draft, draftOf, moveDraft, written } from '../../src/view/draft';

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

test('what is written goes to another version, behind what is written there, and a file on its way finds it', () => {
  const [here, there] = [draftOf('one'), draftOf('two')];
  const waiting: Attached = { kind: 'pending', name: 'notes' };
  here.write('Mine');
  here.model = 'large';
  here.uploads = [waiting];
  there.write('Theirs');
  moveDraft('one', 'two');
  expect([here.text, here.uploads, here.model, written('one')]).toEqual(['', [], null, '']);
  expect([there.text, there.uploads, there.model, written('two')]).toEqual(['Theirs\n\nMine', [waiting], 'large', 'Theirs\n\nMine']);
  const come: Attached = { kind: 'picture', name: 'notes', id: 'upload_1' };
  expect(arrived(waiting, 'one', come)).toBe(true);
  expect([here.uploads, there.uploads]).toEqual([[], [come]]);
  expect(arrived(waiting, 'one', come), 'it was removed').toBe(false);
});

test('words that were typed count as typed in another version, too', () => {
  const here = draftOf('typed');
  for (let sign = 1; sign <= 3000; sign += 1) here.write('x'.repeat(sign));
  moveDraft('typed', 'elsewhere');
  expect([draftOf('elsewhere').text.length, draftOf('elsewhere').untyped.typed]).toEqual([3000, true]);
  // Pasted words stay pasted.
  draftOf('pasted').write('x'.repeat(3000), 'insertFromPaste');
  moveDraft('pasted', 'elsewhere too');
  expect(draftOf('elsewhere too').untyped.typed).toBe(false);
});

test('what is kept for one person is read for none else, and goes when that person signs out', () => {
  keep('theme', 'dark');
  keepFor('user_1');
  new Draft('new').write('A secret');
  keepFor('user_2');
  expect(new Draft('new').text).toBe('');
  new Draft('new').write('Mine');
  keep('notifications', true);
  forget();
  expect([kept(own('draft', 'new'), ''), kept('notifications', false), kept('theme', '')]).toEqual(['', false, 'dark']);
  keepFor('user_1');
  expect(new Draft('new').text).toBe('A secret');
  keepFor('');
});
