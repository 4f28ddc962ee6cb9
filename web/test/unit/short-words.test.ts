// The tables of the built page have no English: what is looked up there is found all the same.
import { readdirSync } from 'node:fs';
import { parseAst } from 'vite';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { isTranslation, shorten } from '../../scripts/short-words';
import { words } from '../../src/words/german';
import { sentences } from '../../src/words/german-server';
import { short } from '../../src/words/short';

const pack = (code: string, kept = new Map<string, string>()) => shorten(code, parseAst(code, { lang: 'ts' }) as unknown as { body: unknown[] }, kept);

describe('short keys', () => {
  test('every file of translations is packed, and no other', () => {
    const files = readdirSync('src/words');
    const others = ['answer.ts', 'approval.ts', 'short.ts', 'words.ts'];
    const packed = files.filter((file) => isTranslation(`/somewhere/src/words/${file}`));
    expect(packed).toContain('german.ts');
    expect(files.filter((file) => !packed.includes(file)).sort()).toEqual(others);
  });

  test('no two sentences have the same', () => {
    const all = [...new Set([...Object.keys(words), ...Object.keys(sentences)])];
    expect(all.length).toBeGreaterThan(1500);
    expect(new Set(all.map(short)).size).toBe(all.length);
  });

  test('what the server fills in stays, and codes stay', () => {
    expect(pack("export const sentences = { ...about, 'One day': 'Ein Tag', '{} days': '{} Tage', Sandbox: 'Sandbox' };\nexport const codes = { gone: 'Weg.' };")).toBe(
      `export const sentences = { ...about, ${short('One day')}: 'Ein Tag', '{} days': '{} Tage', ${short('Sandbox')}: 'Sandbox' };\nexport const codes = { gone: 'Weg.' };`,
    );
  });

  test('two sentences with one key end the build', () => {
    const kept = new Map([[short('Send'), 'Another sentence']]);
    expect(() => pack("export const words = { Send: 'Senden' };", kept)).toThrow('the same short key');
  });
});

describe('on a built German page', () => {
  vi.doMock('../../src/words/german', () => ({ words: { [short('Send')]: 'Senden', [short('{} files')]: '{} Dateien' } }));
  vi.doMock('../../src/words/german-server', () => ({ sentences: { [short('Commands always need your approval.')]: 'Befehle brauchen immer Ihre Erlaubnis.', 'Answer with {}.': 'Antworten Sie mit {}.' }, codes: {} }));
  afterAll(() => vi.doUnmock('../../src/words/german'));

  test('sentences of the page and of the server are found', async () => {
    const page = await import('../../src/words/words');
    await page.speak('de');
    expect(page.t('Send')).toBe('Senden');
    expect(page.t('{} files', 3)).toBe('3 Dateien');
    expect(page.t('constructor')).toBe('constructor');
    expect([...page.html`<b>Send</b>`.strings]).toEqual(['<b>Senden</b>']);
    expect(page.served('Commands always need your approval.')).toBe('Befehle brauchen immer Ihre Erlaubnis.');
    expect(page.served('Answer with Ada.')).toBe('Antworten Sie mit Ada.');
    await page.speak('en');
  });
});
