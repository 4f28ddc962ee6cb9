// The activity of a conversation, in words.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Envelope } from '../../src/api/schema';
import { describe as told, FIELDS } from '../../src/view/aside/describe';
import { speak } from '../../src/words/words';

const root = join(import.meta.dirname, '../..');
const schema = readFileSync(join(root, 'src/api/schema.ts'), 'utf8');
const source = readFileSync(join(root, 'src/view/aside/describe.ts'), 'utf8');

/** The line of the generated types that begins with this name. */
const typeOf = (name: string) => schema.split('\n').find((line) => line.startsWith(`export type ${name} =`)) ?? '';

const event = (type: string, data: object) => ({ type, data, at: '2026-03-01T12:00:00Z', seq: 1 }) as unknown as Envelope;

test('each kind of event has words of its own, or says that it has none', () => {
  const kinds = [...typeOf('EventBody').matchAll(/"type": "(\w+)" \}/g)].map(([, kind]) => kind!);
  expect(kinds).toContain('errand_started');
  expect(kinds.length).toBeGreaterThan(20);
  expect(kinds.filter((kind) => !source.includes(`case '${kind}':`))).toEqual([]);
});

test('each part of a conversation that can be changed has a word', () => {
  const fields = [...typeOf('SessionChange').matchAll(/"(\w+)"\?:/g)].map(([, name]) => name!);
  expect(fields).toContain('own_files');
  expect([...fields, 'archived', 'trusted_seq'].filter((field) => !(field in FIELDS))).toEqual([]);
});

test('what is only seen while it happens is not told', () => {
  expect(told(event('text', { message_id: 'm', text: 'x' }))).toBeNull();
  expect(told(event('session_updated', { read_seq: 3 }))).toBeNull();
});

describe('on a German page', () => {
  beforeAll(() => speak('de'));
  afterAll(() => speak('en'));

  test.each([
    [event('errand_started', { agent_name: 'Research', kind: 'colleague' }), 'Aufgabe an einen anderen Agenten', 'Research'],
    [event('errand_started', { agent_name: 'helper', kind: 'subagent' }), 'Unteragent gestartet', 'helper'],
    [event('errand_ended', { outcome: 'completed' }), 'Der andere Agent ist mit seiner Aufgabe fertig', ''],
    [event('errand_ended', { outcome: 'expired' }), 'Der andere Agent hat nicht rechtzeitig geantwortet', ''],
    [event('ability_injected', { abilities: [{ name: 'tidy' }, { name: 'text' }], left_out: ['late'] }), 'Benutzte Anleitungen', 'tidy, text · ausgelassen, kein Platz: late'],
    [event('error', { code: 'hook_failed', message: 'A step of the capability research was skipped (process_prompts): it failed.' }), 'Etwas ging nicht', 'Ein Schritt der Fähigkeit research wurde übersprungen (process_prompts): dabei ist ein Fehler aufgetreten.'],
    [event('session_updated', { name: 'text', folder_id: null, trusted_seq: 4 }), 'Unterhaltung geändert', 'Name, Ordner, vertrauenswürdig'],
  ])('%j', (one, title, detail) => expect(told(one)).toMatchObject({ title, detail }));
});
