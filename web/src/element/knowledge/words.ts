/** What an entry of the knowledge is called, who wrote a version of it, and why it waits. */
import type { EntryOrigin, EntryVersion, KnowledgeEntry, KnowledgeStore } from '../../api/schema';
import { house } from '../../store/house';
import { t } from '../../words/words';

/** Of the words of an entry, where a line of them is shown. */
const BRIEF_CHARS = 120;

export function entryName(entry: { store: KnowledgeStore; number: number }): string {
  return entry.store === 'memory' ? t('Memory {}', entry.number) : t('Page {}', entry.number);
}

/** THREAT[page-04] Signs that turn the direction of words or are not seen are written out, so that a person keeps what they have read. */
export function asWritten(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (sign) => (/[\n\r\t\u200c\u200d]/.test(sign) ? sign : `⟨U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`));
}

/** Its title, or its first words in one line. Never shown as anything but text. */
export function brief(entry: { title?: string | null; body: string }): string {
  const line = asWritten(entry.title ?? entry.body.slice(0, BRIEF_CHARS * 2)).replace(/\s+/g, ' ').trim();
  return line.length > BRIEF_CHARS ? `${line.slice(0, BRIEF_CHARS)}…` : line;
}

/** Who wrote a version: a person writes as themself, an agent in a conversation, and a program with a key as neither. */
export function author(origin: EntryOrigin): string {
  if (origin.by === 'person') return t('you');
  if (origin.by === 'flush') return t('a summary of the conversation');
  if (!origin.agent_id) return t('a program with one of your API keys');
  const agent = house.agents.find((one) => one.id === origin.agent_id);
  return agent ? house.nameOf(agent) : t('an agent that was deleted');
}

/** Why a version waits for its person, as a sentence. */
export function whyWaits({ label, origin }: EntryVersion): string {
  if (!origin.agent_id) return t('It waits for you because a program wrote it with one of your API keys.');
  if (label.integrity === 'untrusted') return t('It waits for you because the agent had read words of other people in that conversation: they may have told it to write this.');
  return t('It waits for you because you wrote or kept what the agent wants to change.');
}

const WANTS: Record<KnowledgeStore, [add: string, change: string, remove: string]> = {
  memory: ['Remember this?', 'Change this memory?', 'Forget this?'],
  scratchpad: ['Add this page?', 'Change this page?', 'Delete this page?'],
};

/** What is asked of the person, as the head of its card. */
export function proposalTitle(entry: KnowledgeEntry, { action }: EntryVersion): string {
  const [add, change, remove] = WANTS[entry.store];
  return t(action === 'delete' ? remove : entry.state === 'kept' ? change : add);
}

/** The day until which an entry counts, as a field of a form has it; empty where it counts until it is changed. */
export function dayOfUntil(until: string | null): string {
  if (!until) return '';
  const at = new Date(until);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** The end of that day. */
export function untilOfDay(day: string): string | null {
  const at = new Date(`${day}T23:59:59`);
  return day && !Number.isNaN(at.getTime()) ? at.toISOString() : null;
}
