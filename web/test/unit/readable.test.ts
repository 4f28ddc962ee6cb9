import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FIELDS, LABELS, listed, readable, told, VALUES } from '../../src/view/pages/audit-words';
import { deviceOf } from '../../src/view/settings/device';
import { speak } from '../../src/words/words';

const CRATES = join(import.meta.dirname, '../../../crates');
const ADA = `user_${'a'.repeat(32)}`;
const LOGIN = `login_${'b'.repeat(32)}`;
const nameOf = (id: string) => (id === ADA ? 'ada' : undefined);

test('an entry of the audit log has names and no ids', () => {
  expect(readable(`${ADA} by ${LOGIN}`, nameOf)).toBe('ada');
  expect(readable(LOGIN, nameOf)).toBe('');
  expect(readable('terminal', nameOf)).toBe('terminal');
  expect(listed({ subject: ADA, session_id: LOGIN, tool: 'bash', label: { integrity: 'trusted' }, tags: ['a', 'b'], digest: 'c'.repeat(64), reason: null }, nameOf)).toBe('for: ada, tool: bash, origin: source: trusted, tags: a, b');
  expect(listed({}, nameOf)).toBe('');
});

test.each([
  ['at the terminal', 'ada in the terminal', 'ada im Terminal'],
  [`by an agent in session_${'f'.repeat(32)}`, 'An agent of ada', 'Ein Agent von ada'],
  ['by invitation', 'ada (by invitation)', 'ada (durch Einladung)'],
  ['by a message', 'ada (in a message)', 'ada (in einer Nachricht)'],
])('a person who acted %s', async (way, english, german) => {
  onTestFinished(() => void speak('en'));
  expect(readable(`${ADA} ${way}`, nameOf)).toBe(english);
  expect(readable(`user_${'9'.repeat(32)} ${way}`, nameOf)).toBe('');
  await speak('de');
  expect(readable(`${ADA} ${way}`, nameOf)).toBe(german);
});

test('where a call was asked about, its label says whose words and for whom', () => {
  expect(listed({ label: { integrity: 'untrusted', confidentiality: 'common' } }, nameOf)).toBe('origin: source: untrusted, for whom: the person it talks to');
});

test('what an entry says besides is in the language of the page, and names stay as they are', async () => {
  await speak('de');
  expect(listed({ tool: 'private', reason: 'asks', role: 'guest', has_api_key: true }, nameOf)).toBe('Werkzeug: private, Grund: braucht Erlaubnis, Rolle: Gast, hat einen Schlüssel: ja');
  await speak('en');
});

test('what was changed is told in words, and names of people and models stay', async () => {
  onTestFinished(() => void speak('en'));
  await speak('de');
  expect(listed({ fields: ['capabilities', 'system_prompt'], widened: false }, nameOf)).toBe('Felder: Fähigkeiten, Anweisungen, mit mehr Rechten: nein');
  expect(listed({ role: { from: 'member', to: 'admin' }, name: 'changed', password: 'changed', by: 'their browser' }, nameOf)).toBe('Rolle: vorher: Mitglied, nachher: Verwalter, Name: geändert, Passwort: geändert, von: der Browser der Person');
  expect(listed({ budget: { from: { per_day_microusd: null, per_turn_microusd: null }, to: { per_day_microusd: 1_500_000, per_turn_microusd: null } } }, nameOf)).toBe('Budget: nachher: am Tag: $1.50');
  expect(listed({ subject: '*', tool: 'text', action: 'ask_every_time', scope: 'session', wire: 'openai' }, nameOf)).toBe('für: alle Agenten auf diesem Server, Werkzeug: text, Aktion: jedes Mal fragen, Umfang: diese Unterhaltung, API-Art: OpenAI');
  expect(listed({ scope: 'bridge', images: { text_model: true } }, nameOf)).toBe('Umfang: Nachrichten anderer überbringen, Bilder: text_model: ja');
});

test('each setting of an agent that can be changed has a word', () => {
  const code = readFileSync(join(CRATES, 'engine/src/agents/agents.rs'), 'utf8');
  const fields = code.slice(code.indexOf('pub struct AgentFields'), code.indexOf('impl Engine'));
  const names = [...fields.matchAll(/pub (\w+): Change/g)].map(([, name = '']) => name);
  expect(names).toContain('system_prompt');
  expect(names.filter((name) => !(name in FIELDS))).toEqual([]);
});

test('each name of the server has a label', () => {
  const sources = ['engine', 'people', 'store'].flatMap((crate) => readdirSync(join(CRATES, crate, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.rs') && !/_tests|commands/.test(name)).map((name) => readFileSync(join(CRATES, crate, 'src', name), 'utf8')));
  const details = sources.filter((code) => code.includes('Action::')).flatMap((code) => [...code.matchAll(/json!\(\{([\s\S]*?)\}\)/g)].map(([, inside = '']) => inside));
  const names = details.flatMap((inside) => [...inside.matchAll(/"(\w+)":/g)].map(([, name = '']) => name));
  expect(names).toContain('session_id');
  expect([...new Set(names)].filter((name) => !(name in LABELS))).toEqual([]);
  const reasons = [...readFileSync(join(CRATES, 'gate/src/why.rs'), 'utf8').matchAll(/=> "([a-z_]+)"/g)].map(([, word = '']) => word);
  expect(reasons).toContain('rule_of_two');
  expect(reasons.filter((word) => !(word in VALUES))).toEqual([]);
});

test('an agent is called by its own name, and by its person where that is gone', () => {
  const agent = `agent_${'d'.repeat(32)}`;
  const row = { action: 'tool.asked', actor: agent, subject: `call_${'e'.repeat(32)}`, user_id: ADA };
  expect(told(row, (id) => (id === agent ? 'careful' : nameOf(id)))).toBe('The agent careful asked before it used a tool.');
  expect(told(row, nameOf)).toBe('The agent of ada asked before it used a tool.');
});

test('who changed the default model is told as that, not as instructions', () => {
  const row = { action: 'house.changed', actor: ADA, subject: 'default_model' };
  expect(told(row, nameOf)).toBe('ada changed the default model.');
  expect(told({ ...row, subject: 'custom_prompt' }, nameOf)).toBe('ada changed the instructions for all agents.');
});

test.each([
  ['somebody', 'An unknown person'],
  ['nobody', 'An unknown person'],
  ['unknown', 'An unknown person'],
  ['operator', 'The terminal of the server'],
  ['clock', 'The server'],
  ['set-up', 'The set-up link'],
])('%s as a person reads it', (actor, words) => {
  expect(readable(actor, nameOf)).toBe(words);
  expect(told({ action: 'user.created', actor, subject: ADA }, nameOf)).toBe(`${words} created the account “ada”.`);
});

test('a change that a person made to their own account says no more than that', () => {
  expect(listed({ by: 'themself' }, nameOf)).toBe('');
});

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36', 'Chrome on Linux'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0', 'Edge on Windows'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1', 'Safari on iOS'],
  ['curl/8.1', 'curl/8.1'],
  [null, 'unknown'],
])('%j is called by its name', (agent, name) => expect(deviceOf(agent)).toBe(name));
