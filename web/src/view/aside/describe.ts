/** An event in words. */
import type { Envelope } from '../../api/schema';
import type { IconName } from '../../element/icon';
import { money, short } from '../../element/time';
import { t } from '../../words/words';

export interface Told {
  icon: IconName;
  title: string;
  detail: string;
  kind: 'turn' | 'call' | 'people' | 'other';
}

export function describe(event: Envelope): Told | null {
  switch (event.type) {
    case 'turn_started':
      return { icon: 'play', title: event.data.attempt > 1 ? t('Turn goes on') : t('Turn started'), detail: event.data.attempt > 1 ? t('attempt {}', event.data.attempt) : t('from {}', event.data.source), kind: 'turn' };
    case 'turn_ended': {
      const { outcome, error, usage } = event.data;
      const cost = `${t('{} tokens', short(usage.input_tokens + usage.output_tokens))} · ${money(usage.cost_microusd)}`;
      return { icon: outcome === 'completed' ? 'check' : 'stop', title: t(`Turn ${outcome}`), detail: error?.message ?? cost, kind: 'turn' };
    }
    case 'input_accepted':
      return event.data.mode === 'queue' ? null : { icon: 'message', title: event.data.mode === 'steer' ? t('Steered') : t('Answered'), detail: t('from {}', event.data.source), kind: 'people' };
    case 'user_message':
      return { icon: 'message', title: t('Message'), detail: event.data.message.content.slice(0, 80), kind: 'people' };
    case 'message_start':
      return { icon: 'pen', title: t('Writing'), detail: event.data.agent_name, kind: 'turn' };
    case 'message_restarted':
      return { icon: 'retry', title: t('Writing anew'), detail: event.data.retry ? t('attempt {} of {}: {}', event.data.attempt, event.data.retry.of, event.data.retry.error.message) : t('attempt {}', event.data.attempt), kind: 'turn' };
    case 'message_complete':
      return { icon: 'check', title: t('Written'), detail: t('{} characters', event.data.content.length), kind: 'turn' };
    case 'tool_use_start':
      return { icon: 'tool', title: event.data.name, detail: t('called by {}', event.data.origin), kind: 'call' };
    case 'tool_result':
      return { icon: event.data.status === 'ok' ? 'check' : 'alert', title: `${event.data.name}: ${event.data.status}`, detail: event.data.content.slice(0, 80), kind: 'call' };
    case 'question_prompt':
      return { icon: 'question', title: t('Question asked'), detail: event.data.question, kind: 'people' };
    case 'question_answered':
      return { icon: 'message', title: t('Question answered'), detail: event.data.answer, kind: 'people' };
    case 'prompt_updated':
      return { icon: 'message', title: t('Prompt answered'), detail: event.data.answer, kind: 'people' };
    case 'usage':
      return { icon: 'coin', title: t('Used'), detail: `${short(event.data.input_tokens)} in · ${short(event.data.output_tokens)} out · ${money(event.data.cost_microusd)}`, kind: 'other' };
    case 'session_updated':
      // How far somebody has read is no news to them.
      if (Object.keys(event.data as object).join() === 'read_seq') return null;
      return { icon: 'pen', title: t('Conversation changed'), detail: Object.keys(event.data as object).join(', '), kind: 'other' };
    case 'error':
      return { icon: 'alert', title: event.data.code.replaceAll('_', ' '), detail: event.data.message, kind: 'other' };
    case 'approval_request':
      return { icon: 'alert', title: t('Approval asked'), detail: `${event.data.tool} · ${event.data.why.join('; ')}`, kind: 'people' };
    case 'approval_result':
      return { icon: 'lock', title: `Approval: ${event.data.decision}`, detail: event.data.reason ?? '', kind: 'people' };
    case 'compaction_complete':
      return { icon: 'archive', title: t('Summarised'), detail: `up to ${event.data.up_to_seq} · ${short(event.data.summary_tokens)} tokens`, kind: 'other' };
    case 'agent_status':
    case 'element_executing':
    case 'element_result':
    case 'element_error':
      return null;
    default:
      return { icon: 'dots', title: (event as { type: string }).type.replaceAll('_', ' '), detail: '', kind: 'other' };
  }
}
