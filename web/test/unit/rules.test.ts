import { describe, expect, test } from 'vitest';
import type { Rule } from '../../src/api/schema';
import { freePath, readWords, toldWords } from '../../src/view/attach';
import { ruleArguments, ruleWords } from '../../src/view/pages/rule-words';

const names = { me: 'user_1', agent: (id: string) => (id === 'agent_1' ? 'cook' : undefined), session: () => 'Soup' };
const rule = (by: Partial<Rule>): Rule => ({ id: 'rule_1', user_id: 'user_1', subject: 'user_1', tool: 'write_file', action: 'ask', scope: 'always', expires_at: null, created_at: '2026-01-01T00:00:00Z', ...by });

describe('rules in words', () => {
  test.each<[Partial<Rule>, string]>([
    [{}, 'All your agents must ask before using write_file.'],
    [{ subject: '*', tool: '*', action: 'deny' }, 'All agents on this server may never use any tool.'],
    [{ subject: 'agent_1', action: 'allow', arguments: { exact: { path: '/a' } } }, 'The agent cook may use write_file with exactly this input without asking.'],
    [{ subject: 'agent_2', action: 'ask_every_time' }, 'A deleted agent must ask every time before using write_file.'],
    [{ subject: 'session_1', scope: 'session', action: 'allow' }, 'In “Soup”, the agent may use write_file without asking.'],
    [{ subject: 'session_1', scope: 'session', action: 'allow', tool: 'web_fetch', arguments: { host: 'wiki.example' } }, 'In “Soup”, the agent may use web_fetch at wiki.example without asking.'],
    [{ scope: 'once', action: 'allow', arguments: { template: { path: '*' } } }, 'All your agents may use write_file with input like this the next time without asking.'],
  ])('%j', (by, words) => {
    expect(ruleWords(rule(by), names)).toBe(words);
  });

  test('the arguments are shown', () => {
    expect(ruleArguments(rule({ arguments: { exact: { path: '/a' } } }))).toBe('{\n  "path": "/a"\n}');
    expect(ruleArguments(rule({}))).toBe('');
    expect(ruleArguments(rule({ arguments: { host: 'wiki.example' } }))).toBe('');
  });
});

describe('where an attached file goes', () => {
  test.each([
    ['notes.txt', [], '/notes.txt'],
    ['notes.txt', ['/notes.txt', '/notes (2).txt'], '/notes (3).txt'],
    ['a/../b', [], '/a_.._b'],
    ['.env', ['/.env'], '/.env (2)'],
    ['', [], '/file'],
  ])('%s beside %j', (name, taken, path) => {
    expect(freePath(name, (one) => (taken as string[]).includes(one))).toBe(path);
  });
});

describe('what was read of a file', () => {
  const file = { upload_id: 'u', name: 'a.pdf', kind: 'pdf', noun: 'PDF', part: 'page', parts: 12, chars: 100, read_parts: 8, read_chars: 60, read_tokens: 15 };
  test('says how much there is, and how much of it was told', () => {
    expect(readWords({ parts: 1, part: 'page' })).toBe('1 page');
    expect(readWords({ parts: 3, part: 'sheet' })).toBe('3 sheets');
    expect(readWords({ parts: 1 })).toBe('');
    expect(toldWords(file)).toBe('12 pages, the first 8 read');
    expect(toldWords({ ...file, read_chars: 100, read_parts: 12 })).toBe('12 pages, read completely');
    expect(toldWords({ ...file, part: null, parts: 1 })).toBe('the first 60 percent read');
    expect(toldWords({ ...file, problem: 'It is locked.' })).toBe('It is locked.');
  });
});
