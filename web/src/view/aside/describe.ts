/** An event in words. */
import type { Envelope, ErrandOutcome, LiveBody } from '../../api/schema';
import type { IconName } from '../../element/icon';
import { money, short } from '../../element/time';
import { approvalTitle } from '../../words/approval';
import { problemWords, sentence, served, t } from '../../words/words';

export interface Told {
  icon: IconName;
  title: string;
  detail: string;
  kind: 'turn' | 'call' | 'people' | 'other';
}

const SOURCES = { web: 'from the web page', cli: 'from the terminal', bridge: 'from a bridge', agent: 'from another agent', schedule: 'from a schedule' };
const OUTCOMES = { completed: 'Reply completed', failed: 'Reply failed', cancelled: 'Reply stopped', limit: 'Reply reached a limit' };
const RESULTS = { ok: 'done', error: 'failed', denied: 'denied', unknown: 'result unknown' };
const DECISIONS = { pending: 'Approval requested', approved: 'Request approved', denied: 'Request denied', expired: 'Request not answered in time' };

/** Of an agent that was given a task by this one. */
const ERRANDS: Record<ErrandOutcome, string> = {
  completed: 'The other agent has completed its task',
  failed: 'The other agent failed',
  cancelled: 'The other agent was stopped',
  limit: 'The other agent reached a limit',
  expired: 'The other agent did not answer in time',
};

/** What of a conversation was changed, by its name in the event. */
export const FIELDS: Record<string, string> = {
  archived: 'archived or restored',
  folder_id: 'folder',
  handler: 'way of working',
  memory: 'memory',
  model: 'model',
  name: 'name',
  own_files: 'trust in what you add',
  pinned: 'pinned or unpinned',
  read_seq: 'read',
  trusted_seq: 'trusted',
};

export function describe(event: Envelope): Told | null {
  switch (event.type) {
    case 'turn_started':
      return { icon: 'play', title: event.data.attempt > 1 ? t('Reply resumed') : t('Reply started'), detail: event.data.attempt > 1 ? t('attempt {}', event.data.attempt) : t(SOURCES[event.data.source]), kind: 'turn' };
    case 'turn_ended': {
      const { outcome, error, usage } = event.data;
      const cost = `${t('{} tokens', short(usage.input_tokens + usage.output_tokens))} · ${money(usage.cost_microusd)}`;
      return { icon: outcome === 'completed' ? 'check' : 'stop', title: t(OUTCOMES[outcome]), detail: error ? sentence(problemWords(error.code, error.message)) : cost, kind: 'turn' };
    }
    case 'input_accepted':
      return event.data.mode === 'queue' ? null : { icon: 'message', title: event.data.mode === 'steer' ? t('Sent to the running reply') : t('Answer received'), detail: t(SOURCES[event.data.source]), kind: 'people' };
    case 'user_message':
      return { icon: 'message', title: t('Message'), detail: event.data.message.content.slice(0, 80), kind: 'people' };
    case 'message_start':
      return { icon: 'pen', title: t('Writing'), detail: event.data.agent_name, kind: 'turn' };
    case 'message_restarted':
      return { icon: 'retry', title: t('Retrying'), detail: event.data.retry ? t('attempt {} of {}: {}', event.data.attempt, event.data.retry.of, sentence(problemWords(event.data.retry.error.code, event.data.retry.error.message))) : t('attempt {}', event.data.attempt), kind: 'turn' };
    case 'message_complete':
      return { icon: 'check', title: t('Text complete'), detail: t('{} characters', event.data.content.length), kind: 'turn' };
    case 'tool_use_start':
      return { icon: 'tool', title: event.data.name, detail: t('tool call started'), kind: 'call' };
    case 'tool_result':
      return { icon: event.data.status === 'ok' ? 'check' : 'alert', title: `${event.data.name}: ${t(RESULTS[event.data.status])}`, detail: event.data.content.slice(0, 80), kind: 'call' };
    case 'question_prompt':
      return { icon: 'question', title: t('Question asked'), detail: event.data.question, kind: 'people' };
    case 'question_answered':
      return { icon: 'message', title: t('Question answered'), detail: event.data.answer, kind: 'people' };
    case 'prompt_updated':
      return { icon: 'message', title: t('Field answered'), detail: event.data.answer, kind: 'people' };
    case 'usage':
      return { icon: 'coin', title: t('Tokens used'), detail: t('{} read · {} written · {}', short(event.data.input_tokens), short(event.data.output_tokens), money(event.data.cost_microusd)), kind: 'other' };
    case 'session_updated': {
      const changed = Object.keys(event.data as object);
      // How far a person has read is no news to them.
      if (changed.join() === 'read_seq') return null;
      return { icon: 'pen', title: t('Conversation changed'), detail: changed.map((name) => (Object.hasOwn(FIELDS, name) ? t(FIELDS[name]!) : name)).join(', '), kind: 'other' };
    }
    case 'error':
      return { icon: 'alert', title: t('Something did not work'), detail: sentence(problemWords(event.data.code, event.data.message)), kind: 'other' };
    case 'errand_started':
      return { icon: 'play', title: event.data.kind === 'subagent' ? t('Subagent started') : t('Another agent was given a task'), detail: event.data.agent_name, kind: 'call' };
    case 'errand_ended':
      return { icon: event.data.outcome === 'completed' ? 'check' : 'alert', title: t(ERRANDS[event.data.outcome]), detail: '', kind: 'call' };
    case 'ability_injected': {
      const { abilities, left_out } = event.data;
      const names = abilities.map(({ name }) => name).join(', ');
      return { icon: 'pen', title: t('Abilities used'), detail: [names, left_out.length > 0 ? t('left out, no space: {}', left_out.join(', ')) : ''].filter(Boolean).join(' · '), kind: 'other' };
    }
    case 'approval_request':
      return { icon: 'alert', title: approvalTitle(event.data), detail: event.data.why.map(served).map(sentence).join(' '), kind: 'people' };
    case 'approval_result':
      return { icon: 'lock', title: t(DECISIONS[event.data.decision]), detail: event.data.reason ?? '', kind: 'people' };
    case 'compaction_complete':
      return { icon: 'archive', title: t('Earlier messages summarised'), detail: t('{} tokens', short(event.data.summary_tokens)), kind: 'other' };
    case 'agent_status':
    case 'element_executing':
    case 'element_result':
    case 'element_error':
      return null;
    default:
      return nothingOf(event.type);
  }
}

/** What is only seen while it happens is in no list. */
function nothingOf(_: LiveBody['type']): null {
  return null;
}
