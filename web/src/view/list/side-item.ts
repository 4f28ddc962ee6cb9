/** One conversation in the left column: which agent, where from, and what can be done with it. */
import { nothing, type TemplateResult } from 'lit';
import type { Session, Source } from '../../api/schema';
import { icon } from '../../element/icon';
import { marked } from '../../element/search-words';
import { ago } from '../../element/time';
import { gistOf } from '../../store/gist';
import { house } from '../../store/house';
import { link, soughtPart } from '../../store/place';
import { html, t } from '../../words/words';

/** Where a conversation is from, unless it began on this page. */
const SOURCES: Record<Source, string> = { web: '', cli: 'Terminal', bridge: 'Bridge', agent: 'Agent', schedule: 'Schedule' };

/** The agent, where there is a choice, and the door that the first message came through. */
export function originOf(session: Session): string {
  const agent = house.agents.find((one) => one.id === session.agent_id);
  const name = agent && house.usable.length > 1 ? house.nameOf(agent) : '';
  const source = SOURCES[session.source ?? 'web'];
  return [name, source ? t(source) : ''].filter(Boolean).join(' · ');
}

export const DOTS: Record<Session['status'], string> = { idle: '', working: 'working', input_required: 'needs', failed: 'failed' };
const DOT_WORDS: Record<Session['status'], string> = { idle: '', working: 'working', input_required: 'needs your answer', failed: 'failed' };

/** What the dot says, for those who do not see it. */
export function dotWords(status: Session['status']): string {
  return DOT_WORDS[status] && `, ${t(DOT_WORDS[status])}`;
}

/** What was searched for, and where it was found. */
export interface Found {
  search: string;
  snippet: string;
  seq: number | null;
}

/** The words of an item; `on` when it is the one that is looked at. */
export function itemWords(session: Session, on: boolean, found?: Found): TemplateResult {
  const unread = !on && (session.last_message?.seq ?? 0) > session.read_seq;
  const origin = originOf(session);
  const gist = session.status === 'input_required' ? t('Needs your answer') : gistOf(session.last_message?.content ?? '');
  return html`<span class="t"><i class="dot ${DOTS[session.status]}"></i>${session.parent_id ? html`<span class="quiet" title="Copy of another conversation">${icon('fork', 12)}</span> ` : nothing}${house.titleOf(session)}<span class="unseen">${dotWords(session.status)}${unread ? `, ${t('unread')}` : ''}</span></span>
    <time datetime=${session.updated_at}>${ago(session.updated_at)}</time>
    <span class="p ${found ? 'found' : ''}">${origin ? html`<span class="from">${origin}</span> ` : nothing}${found && session.archived ? html`<span class="from">${t('archived')}</span> ` : nothing}${found ? marked(found.snippet, found.search) : gist}</span>`;
}

/** Its address; where words were found in a message, the page opens there and marks them. */
export function addressOf(session: Session, found?: Found): [string, string] {
  const part = found?.seq ? soughtPart(found.seq, found.search) : '';
  return [link(session.id, part), part ? `${session.id}#${part}` : session.id];
}
