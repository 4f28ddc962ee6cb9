import { describe, expect, test } from 'vitest';
import type { Question } from '../../src/api/schema';
import { emptyTranscript, type Approval } from '../../src/store/transcript';
import { bare, shownAs, waits } from '../../src/store/waits';
import { speak } from '../../src/words/words';

const question = (id: string, status = 'pending') => ({ id, status, question: 'Which?' }) as Question;
const approval = (id: string, status = 'pending') => ({ id, status, tool: 'bash' }) as Approval;

describe('what waits for the person', () => {
  test('is the oldest question, or else every approval', () => {
    const empty = emptyTranscript('session_1');
    expect(waits(empty)).toBeNull();
    const both = { ...empty, questions: [question('a', 'answered'), question('b'), question('c')], approvals: [approval('d')] };
    expect(waits(both)).toEqual({ question: question('b') });
    const asked = { ...empty, approvals: [approval('d', 'denied'), approval('e'), approval('f')] };
    expect(waits(asked)).toEqual({ approvals: [approval('e'), approval('f')] });
  });

  test('is known to have changed', () => {
    expect(shownAs(null)).toBe('');
    expect(shownAs({ question: question('b') })).toBe('b');
    expect(shownAs({ approvals: [approval('e')] })).not.toBe(shownAs({ approvals: [approval('e'), approval('f')] }));
  });
});

test('only a bare yes or no decides', () => {
  expect([' Y ', 'yes', 'n', 'No'].map(bare)).toEqual(['approve', 'approve', 'deny', 'deny']);
  for (const words of ['yes please', 'ok', 'and buy milk', '', 'y n', 'always']) expect(bare(words)).toBeNull();
});

test('on a German page a bare ja or nein decides, too', async () => {
  for (const words of ['ja', 'nein', 'j']) expect(bare(words)).toBeNull();
  await speak('de');
  expect([' Ja ', 'j', 'nein', 'N', 'yes', 'no'].map(bare)).toEqual(['approve', 'approve', 'deny', 'deny', 'approve', 'deny']);
  for (const words of ['ja bitte', 'jein', 'na ja', 'nei']) expect(bare(words)).toBeNull();
  await speak('en');
  expect(bare('ja')).toBeNull();
});
