/** What is typed with a slash before it is a command: of the page, or of the server. */
import { api } from '../api/routes';
import type { CommandAnswer, CommandHelp } from '../api/schema';
import type { Conversation } from '../store/conversation';
import { confirmed } from '../element/confirm';
import { house } from '../store/house';
import { keep, kept } from '../store/browser-storage';
import { go, here } from '../store/place';
import { answered } from '../words/answer';
import { served, t } from '../words/words';

/** The words of a line that is a command, if it is one. A path such as `/etc/hosts` is none. */
export function commandName(text: string): string | null {
  return /^\/(\w+)(?:\s|$)/.exec(text)?.[1] ?? null;
}

/** What stands for the person's own prompts among the commands. */
const PROMPTS = 'prompts';
let known: Promise<CommandHelp[]> | null = null;
window.addEventListener('prompts', () => (known = null));

/** Everything that can be typed behind a slash; prompts of one's own are among it. */
export function allCommands(): Promise<CommandHelp[]> {
  known ??= load().catch((error: unknown) => {
    known = null;
    throw error;
  });
  return known;
}

async function load(): Promise<CommandHelp[]> {
  const help = await api.help();
  const here = { name: 'stream', usage: '/stream on|off', description: t('Show replies while they are written, or only when they are complete'), category: 'page' };
  const prompts = (help.prompts ?? []).map((prompt) => ({ ...prompt, category: PROMPTS }));
  // The number behind /trust is filled in by the page.
  const commands = (help.commands ?? []).filter((command) => command.name !== 'quit').map((command) => ({ ...command, description: served(command.description), ...(command.name === 'trust' ? { usage: '/trust' } : {}) }));
  // Prompts that the person wrote come before commands that begin in the same way.
  return [...prompts, ...commands, here];
}

/** Is this line a prompt of the person's own? It is sent as a message, and files can go with it. */
export async function isPrompt(line: string): Promise<boolean> {
  const name = commandName(line)?.toLowerCase();
  return (await allCommands()).some((one) => one.category === PROMPTS && one.name === name);
}

/** Sends a prompt of the person's own as a message in this conversation. */
export function sendPrompt(line: string, session_id: string, attachments: string[], model: string | null, key: string = crypto.randomUUID()): Promise<CommandAnswer> {
  return confirmed(() => api.command({ line, session_id, attachments, model }, key));
}

/** Are words shown as they come, or a reply when it is complete? */
export function isStreaming(): boolean {
  return kept('stream', true);
}

function stream(line: string): string {
  const setting = /^\/stream(?:\s+(on|off))?\s*$/.exec(line);
  if (!setting) return t('Type /stream on or /stream off.');
  if (setting[1]) keep('stream', setting[1] === 'on');
  return isStreaming() ? t('Streaming is on. Replies are shown while they are written.') : t('Streaming is off. Replies are shown when they are complete.');
}

/** What there is to tell about it, in Markdown; empty when what happened is seen anyway. */
export async function obey(line: string, conversation: Conversation | null): Promise<string> {
  switch (commandName(line)) {
    case 'stop':
      conversation?.stop();
      return '';
    case 'stream':
      return stream(line);
    case 'sessions':
      window.dispatchEvent(new Event('conversations'));
      return '';
    default: {
      // What is marked as trusted is what this page shows.
      const said = conversation && line.trim() === '/trust' ? `/trust ${conversation.transcript.last_seq}` : line;
      const from = here().name;
      const answer = await confirmed(() => api.command({ line: said, session_id: conversation?.id ?? null }, crypto.randomUUID()));
      for (const effect of answer.effects) {
        if (effect.type === 'open_session') {
          house.sessions.take(await api.session(effect.session_id));
          // Who went elsewhere meanwhile stays there.
          if (here().name === from) go(effect.session_id);
        }
      }
      void house.sessions.load();
      return answer.effects.length > 0 ? '' : answered(answer.text);
    }
  }
}
