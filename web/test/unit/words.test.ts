import { describe, expect, test } from 'vitest';
import { pageLanguage, translate } from '../../src/words/words';
import { words } from '../../src/words/german';

const W = { Hello: 'Hallo', Name: 'Name der Person', 'to them': 'an sie', class: 'WRONG', btn: 'WRONG', x: 'WRONG' };

describe('templates in other words', () => {
  test.each<[string, string[], string[]]>([
    ['text', ['<p>Hello</p>'], ['<p>Hallo</p>']],
    ['text around values', ['<p>Hello ', ' to them</p>'], ['<p>Hallo ', ' an sie</p>']],
    ['what is told of an element', ['<input aria-label="Name" placeholder=\'Hello\' class="btn">'], ['<input aria-label="Name der Person" placeholder=\'Hallo\' class="btn">']],
    ['names of tags, classes and places stay', ['<x class="x" data-x="Hello">'], ['<x class="x" data-x="Hello">']],
    ['a value in the middle of an attribute', ['<p title="Hello ', '" class=', '>Hello</p>'], ['<p title="Hallo ', '" class=', '>Hallo</p>']],
    ['a handler with a sign in it', ['<p @click=', ' x>Hello</p>'], ['<p @click=', ' x>Hallo</p>']],
    ['what is not known', ['<p>Other</p>'], ['<p>Other</p>']],
  ])('%s', (_, strings, expected) => expect(translate(strings, (text) => (W as Record<string, string>)[text])).toEqual(expected));

  test('a language is known by its first part, and English is what is left', () => {
    expect([pageLanguage('de-AT'), pageLanguage('de'), pageLanguage('en-GB'), pageLanguage('xx')]).toEqual(['de', 'de', 'en', 'en']);
  });

  test('no translation can become a tag or an attribute, and each fills in as much as its original', () => {
    for (const [from, to] of Object.entries(words)) {
      expect(to, from).not.toMatch(/[<>"`$]/);
      expect(to.split('{}').length, from).toBe(from.split('{}').length);
      expect(to.trim(), from).not.toBe('');
    }
  });
});
