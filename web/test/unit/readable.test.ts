import { expect, test } from 'vitest';
import { listed, readable, told } from '../../src/view/pages/audit-words';
import { deviceOf } from '../../src/view/settings/device';

const ADA = `user_${'a'.repeat(32)}`;
const LOGIN = `login_${'b'.repeat(32)}`;
const nameOf = (id: string) => (id === ADA ? 'ada' : undefined);

test('an entry of the audit log has names and no ids', () => {
  expect(readable(`${ADA} by ${LOGIN}`, nameOf)).toBe('ada');
  expect(readable(LOGIN, nameOf)).toBe('');
  expect(readable('terminal', nameOf)).toBe('terminal');
  expect(listed({ subject: ADA, session_id: LOGIN, tool: 'bash', label: { integrity: 'trusted' }, tags: ['a', 'b'], digest: 'c'.repeat(64), reason: null }, nameOf)).toBe('subject: ada, tool: bash, tags: a, b');
  expect(listed({ role: 'guest', expires_at: null, scope: 'read' }, nameOf)).toBe('role: guest, access: read');
  expect(listed({}, nameOf)).toBe('');
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
