import { describe, expect, test } from 'vitest';
import type { Approval } from '../../src/store/transcript';
import { approvalLasts, approvalPlace, approvalTitle } from '../../src/words/approval';
import { sentence } from '../../src/words/words';

const asked = (by: Partial<Approval>): Approval => ({ id: 'approval_1', session_id: 'session_1', turn_id: 'turn_1', call_id: 'call_1', tool: 'bash', arguments: {}, shown: [], danger: 'moderate', why: [], digest: '', scopes: ['once'], status: 'pending', expires_at: '2026-01-01T00:00:00Z', created_at: '2026-01-01T00:00:00Z', ...by });

describe('an approval in words', () => {
  test.each([
    ['bash', 'Approve running a command?'],
    ['delete_file', 'Approve deleting a file or folder?'],
    ['something_new', 'Approve using something_new?'],
  ])('%s', (tool, title) => expect(approvalTitle(asked({ tool }))).toBe(title));

  test.each<[string, Record<string, unknown>, string]>([
    ['session', { action: 'archive' }, 'Approve archiving this conversation?'],
    ['session', { action: 'archive', id: 'session_1' }, 'Approve archiving this conversation?'],
    ['session', { action: 'archive', id: 'session_2' }, 'Approve archiving another conversation?'],
    ['session', { action: 'list' }, 'Approve listing your conversations?'],
    ['session', { action: 'open', id: 'session_2' }, 'Approve opening another conversation?'],
    ['agent', { action: 'delete', agent: 'gardener' }, 'Approve deleting an agent?'],
    ['ability', { action: 'edit', name: 'tea' }, 'Approve changing an ability?'],
    ['clear', {}, 'Approve starting a new conversation?'],
    ['read_attachment', { attachment: 1 }, 'Approve reading an attached file?'],
    // Words of a model choose among the titles, and never write one.
    ['session', { action: 'toString' }, 'Approve using session?'],
    ['bash', { action: 'list', command: 'ls' }, 'Approve running a command?'],
    ['constructor', {}, 'Approve using constructor?'],
  ])('%s with %j by its action', (tool, given, title) => expect(approvalTitle(asked({ tool, arguments: given }))).toBe(title));

  test.each<[Partial<Approval>, RegExp]>([
    [{ tool: 'bash', workplace: 'sandbox' }, /^In the sandbox\. Network: only hosts/],
    [{ tool: 'bash', workplace: 'sandbox_with_packages' }, /^In the sandbox\. Network: the Python package index/],
    [{ tool: 'bash', workplace: 'sandbox', reaches: [] }, /^In the sandbox\. No network\.$/],
    [{ tool: 'bash', workplace: 'sandbox', reaches: ['a.example', '*.b.example'] }, /^In the sandbox\. Network: only a\.example, \*\.b\.example\.$/],
    [{ tool: 'bash', workplace: 'sandbox', reaches: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }, /only a, b, c, d, e and 2 more hosts of the agent’s settings\.$/],
    [{ tool: 'bash', workplace: 'sandbox_with_packages', reaches: [] }, /^In the sandbox\. Network: only the Python package index\.$/],
    [{ tool: 'bash', workplace: 'sandbox_with_packages', reaches: ['a'] }, /only the Python package index, a\.$/],
    [{ tool: 'web_search', workplace: 'search_service', reaches: ['DuckDuckGo'] }, /^On the network: the search service DuckDuckGo\.$/],
    [{ tool: 'web_search', workplace: 'search_service' }, /the search service of this server/],
    [{ tool: 'web_fetch', workplace: 'network', host: 'wiki.example' }, /^On the network: wiki\.example\.$/],
    [{ tool: 'something_new', workplace: 'session_files' }, /^In the files of this conversation\. No network\.$/],
    [{ tool: 'something_new', workplace: 'model_provider' }, /the provider of the model/],
    [{ tool: 'bash' }, /does not say/],
  ])('%j says where, as the server does and not by the name of the tool', (by, where) => expect(approvalPlace(asked(by))).toMatch(where));

  test('it says for how long each yes holds, and only of those that there are', () => {
    expect(approvalLasts(asked({}))).toEqual(['Once: this request only.']);
    expect(approvalLasts(asked({ scopes: ['once', 'session', 'always'] }))).toEqual([
      'Once: this request only.',
      'For this conversation: every use of bash, with any input.',
      'Always: this agent with exactly this input, until you revoke it under Permissions.',
    ]);
    expect(approvalLasts(asked({ scopes: ['once', 'session'], host: 'wiki.example' }))[1]).toBe('For this conversation: every request to wiki.example.');
  });
});

test.each([
  ['this tool asks before it is used', 'This tool asks before it is used.'],
  ['Done.', 'Done.'],
  ['is it so?', 'Is it so?'],
  ['', ''],
])('%j as a sentence', (text, whole) => expect(sentence(text)).toBe(whole));
