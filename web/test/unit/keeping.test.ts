import { expect, test } from 'vitest';
import { partsOf } from '../../src/element/search-words';
import { KINDS, told } from '../../src/view/pages/audit-words';
import { csvLine } from '../../src/view/pages/csv';
import { Reach } from '../../src/view/reach';
import type { Group } from '../../src/store/group';

const found = (text: string, search: string) => partsOf(text, search).filter((part) => part.found).map((part) => part.text);

test('words that were searched for are found in any case, and nothing is read as a pattern', () => {
  expect(found('Marmalade on toast', 'TOAST marma')).toEqual(['Marma', 'toast']);
  expect(found('a.b [x] (y', '.b [x] (')).toEqual(['.b', '[x]', '(']);
  expect(found('Grüße aus ÄGYPTEN', 'ägypten')).toEqual(['ÄGYPTEN']);
  expect(partsOf('as it is', '  ')).toEqual([{ text: 'as it is', found: false }]);
  expect(partsOf('<b>x</b>', 'b').map((part) => part.text).join('')).toBe('<b>x</b>');
});

test('a longer word is found before one that it begins with', () => {
  expect(found('foobar', 'foo foobar')).toEqual(['foobar']);
});

test('a line of a table is one line, and no formula', () => {
  expect(csvLine(['a', 1, null, 'b,c', 'd"e', 'f\ng'])).toBe('a,1,,"b,c","d""e","f\ng"');
  expect(csvLine(['=1+1', '+x', '-x', '@x', -3])).toBe("'=1+1,'+x,'-x,'@x,-3");
});

test('an entry of the audit log is a sentence', () => {
  const ada = `user_${'a'.repeat(32)}`;
  const name = (id: string) => (id === ada ? 'ada' : undefined);
  const row = (action: string, actor: string, subject = '') => ({ action, actor, subject, user_id: null });
  expect(told(row('login.succeeded', `${ada} by login_${'b'.repeat(32)}`), name)).toBe('ada signed in.');
  expect(told(row('user.created', 'operator', ada), name)).toBe('The terminal of the server created the account “ada”.');
  expect(told(row('agent.changed', ada, `agent_${'c'.repeat(32)}`), name)).toBe('ada changed the agent.');
  expect(told(row('login.ended', `user_${'d'.repeat(32)}`), name)).toBe('An unknown person signed out.');
  expect(told(row('new.thing', ada), name)).toBe('new thing: ada');
  expect(new Set(KINDS.map(([kind]) => kind)).size).toBe(KINDS.length);
});

test('a place in the middle of a long conversation is shown with what is around it', () => {
  const all = Array.from({ length: 500 }, (_, at) => ({ key: `k${at}`, role: 'user', entries: [], continued: false }) as Group);
  const reach = new Reach();
  reach.around(all, 200);
  const { shown, before, after } = reach.of(all);
  expect(shown.some((group) => group.key === 'k200')).toBe(true);
  expect([before, after, shown.length <= 90]).toEqual([true, true, true]);
  reach.everything(all);
  expect(reach.of(all).shown.length).toBe(500);
});
