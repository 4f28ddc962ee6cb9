import { describe, expect, test } from 'vitest';
import { Problem } from '../../src/api/client';
import { freePath, takenBack, together, toldWords, uploadProblem } from '../../src/view/attach';
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

describe('what is wrong with a file', () => {
  const file = new File([new Uint8Array(2 << 20)], 'x.pdf');

  test('is told with the limit, or in the server’s words', () => {
    const told = (status: number, detail: string) => uploadProblem(file, new Problem(status, 'too_large', detail));
    expect(told(413, 'This file is too large (2.1 MB; the limit is 1.5 MB).')).toBe('“x.pdf” is too large (2.0 MB; the limit is 1.5 MB).');
    expect(told(413, 'Diese Datei ist zu groß. Höchstens 512 KB sind erlaubt.')).toBe('“x.pdf” is too large (2.0 MB; the limit is 512 KB).');
    expect(told(413, 'This picture is too large (9000 by 9000 pixels). The limit is 8000 by 8000 pixels.')).toBe('“x.pdf” was not uploaded. This picture is too large (9000 by 9000 pixels). The limit is 8000 by 8000 pixels.');
    expect(told(409, 'A conversation can have at most 20 files and folders.')).toBe('“x.pdf” was not uploaded. A conversation can have at most 20 files and folders.');
  });
});

describe('a name for a file', () => {
  test('is one that nothing has in its folder', () => {
    const taken = new Set(['/a.txt', '/a (2).txt', '/in/a.txt']);
    const free = (name: string, folder?: string) => freePath(name, (path) => taken.has(path), folder);
    expect([free('a.txt'), free('b.txt'), free('a.txt', '/in'), free('../a.txt', '/in'), free('a')]).toEqual(['/a (3).txt', '/b.txt', '/in/a (2).txt', '/in/.._a.txt', '/a']);
  });
});
