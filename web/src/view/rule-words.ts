/** A rule of the gate as a sentence. */
import type { Permission, Rule, RuleScope } from '../api/schema';
import { t } from '../words/words';

export interface Names {
  me: string;
  agent(id: string): string | undefined;
  session(id: string): string | undefined;
}

export const ACTIONS: Record<Permission, string> = {
  allow: 'may use',
  ask: 'asks before it uses',
  ask_every_time: 'asks every time before it uses',
  deny: 'never uses',
};

const SCOPES: Record<RuleScope, string> = { once: 'the next time', session: 'in that conversation', always: '' };

export function ruleWords(rule: Rule, names: Names): string {
  const tool = rule.tool === '*' ? t('any tool') : rule.tool;
  const words = [whom(rule.subject, names), t(ACTIONS[rule.action]), tool, t(SCOPES[rule.scope]), withWhat(rule)];
  return `${words.filter(Boolean).join(' ')}.`;
}

function whom(subject: string, names: Names): string {
  if (subject === '*') return t('Every agent of the house');
  if (subject === names.me) return t('Each of your agents');
  if (subject.startsWith('agent_')) return t('The agent {}', names.agent(subject) ?? t('that is gone'));
  if (subject.startsWith('session_')) return t('Whoever answers in “{}”', names.session(subject) ?? t('a conversation'));
  return t('Each agent of somebody else');
}

function withWhat({ arguments: given }: Rule): string {
  if (!given) return '';
  if ('host' in given) return t('at {}', given.host);
  return 'exact' in given ? t('with exactly these arguments') : t('with arguments like these');
}

/** What stands below the sentence. */
export function ruleArguments({ arguments: given }: Rule): string {
  if (!given || 'host' in given) return '';
  return JSON.stringify('exact' in given ? given.exact : given.template, null, 2);
}
