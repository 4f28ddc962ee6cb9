import { describe, expect, test } from 'vitest';
import { bringsFiles, takenBack, together, toldWords } from '../../src/view/attach';
import type { AttachedFile } from '../../src/store/transcript';

const FILE: AttachedFile = { upload_id: 'upload_1', name: 'book.pdf', kind: 'pdf', noun: 'PDF', part: 'page', parts: 500, chars: 100, read_parts: 500, read_chars: 100, read_tokens: 25 };

describe('what the agent was told of a file', () => {
  test('is not called complete where the file holds more than is read of any file', () => {
    expect(toldWords(FILE)).toBe('500 pages, read completely');
    expect(toldWords({ ...FILE, cut: true })).toBe('500 pages, read up to the limit for files');
    expect(toldWords({ ...FILE, cut: true, read_chars: 50, read_parts: 250 })).toBe('500 pages, the first 250 read');
  });
});

describe('what goes with a message', () => {
  test('comes back with its name and kind', () => {
    const sent = together('Look', [
      { kind: 'picture', name: 'cat.png', id: 'upload_1' },
      { kind: 'file', name: 'notes.txt', id: 'upload_2', path: '/notes.txt', text: null, file: null },
      { kind: 'pending', name: 'late.txt' },
    ]);
    expect(sent.content).toBe('Look\n\nAttached: /notes.txt');
    expect(sent.attached.map((one) => [one.name, one.kind])).toEqual([['cat.png', 'picture'], ['notes.txt', 'file']]);
    // Where it lies is in the words already.
    expect(together(sent.content, takenBack(sent.attached))).toEqual(sent);
  });
});

describe('an agent works with files', () => {
  const all = [
    { id: 'clock', dependencies: [], features: [] },
    { id: 'study', dependencies: ['clock', 'research'], features: [] },
    { id: 'research', dependencies: ['web', 'session_file_system'], features: [] },
    { id: 'session_file_system', dependencies: [], features: ['files'] },
    { id: 'round', dependencies: ['about'], features: [] },
    { id: 'about', dependencies: ['round'], features: [] },
  ];

  test('also where a capability brings the tools along, however far away', () => {
    for (const id of ['session_file_system', 'research', 'study']) expect(bringsFiles([id], all), id).toBe(true);
    for (const id of ['clock', 'round', 'unknown']) expect(bringsFiles([id], all), id).toBe(false);
    expect(bringsFiles([], all)).toBe(false);
  });
});
