/** A rule of the gate as a sentence. */
import type { Permission, Rule } from '../../api/schema';
import { t } from '../../words/words';

export interface Names {
  me: string;
  agent(id: string): string | undefined;
  session(id: string): string | undefined;
}

export const ACTIONS: Record<Permission, string> = {
  allow: 'may use the tool without asking',
  ask: 'must ask before using the tool',
  ask_every_time: 'must ask every time before using the tool',
  deny: 'may never use the tool',
};

/** Who, which tool, and how. */
const SENTENCES: Record<Permission, string> = {
  allow: '{} may use {}{} without asking.',
  ask: '{} must ask before using {}{}.',
  ask_every_time: '{} must ask every time before using {}{}.',
  deny: '{} may never use {}{}.',
};

export function ruleWords(rule: Rule, names: Names): string {
  const tool = rule.tool === '*' ? t('any tool') : rule.tool;
  const how = [withWhat(rule), rule.scope === 'once' ? t('the next time') : ''].filter(Boolean).map((words) => ` ${words}`);
  return t(SENTENCES[rule.action], whom(rule.subject, names), tool, how.join(''));
}

function whom(subject: string, names: Names): string {
  if (subject === '*') return t('All agents on this server');
  if (subject === names.me) return t('All your agents');
  if (subject.startsWith('agent_')) return names.agent(subject) ? t('The agent {}', names.agent(subject) ?? '') : t('A deleted agent');
  if (subject.startsWith('session_')) return t('In “{}”, the agent', names.session(subject) ?? t('another conversation'));
  return t('All agents of another person');
}

function withWhat({ arguments: given }: Rule): string {
  if (!given) return '';
  if ('host' in given) return t('at {}', given.host);
  return 'exact' in given ? t('with exactly this input') : t('with input like this');
}

/** What stands below the sentence. */
export function ruleArguments({ arguments: given }: Rule): string {
  if (!given || 'host' in given) return '';
  return JSON.stringify('exact' in given ? given.exact : given.template, null, 2);
}
