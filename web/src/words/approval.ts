/** What an approval asks, where the call would run, and how long a yes would hold. The names of the tools are the server's. */
import type { Workplace } from '../api/schema';
import type { Approval } from '../store/transcript';
import { t } from './words';

/** Where the call does its work, as the server says. */
const PLACES: Record<Workplace, string> = {
  sandbox: 'In the sandbox. Network: only hosts listed in the agent’s settings; none by default.',
  sandbox_with_packages: 'In the sandbox. Network: the Python package index, and hosts listed in the agent’s settings.',
  session_files: 'In the files of this conversation. No network.',
  server: 'On this server. No network.',
  network: 'On the network.',
  search_service: 'On the network: the search service of this server.',
  other_agent: 'On this server: another agent does it, with that agent’s own tools.',
  peer: 'Outside this server.',
  model_provider: 'On the network: the provider of the model.',
};

/** What would be done. */
const TITLES: Record<string, string> = {
  bash: 'Approve running a command?',
  run_python: 'Approve running a Python program?',
  execute_code: 'Approve running a program?',
  web_fetch: 'Approve opening a web page?',
  web_search: 'Approve searching the web?',
  websearch: 'Approve searching the web?',
  db_search: 'Approve searching your conversations?',
  read_file: 'Approve reading a file?',
  stat_file: 'Approve looking up a file?',
  list_directory: 'Approve listing a folder?',
  grep_files: 'Approve searching the files?',
  write_file: 'Approve writing a file?',
  delete_file: 'Approve deleting a file or folder?',
  list_agents: 'Approve listing the agents?',
  remind: 'Approve a reminder?',
  send_agent_message: 'Approve sending a message to another agent?',
  delegate: 'Approve giving a task to another agent?',
  spawn_agent: 'Approve starting another agent?',
  get_current_time: 'Approve looking up the time?',
  write_todos: 'Approve writing the task list?',
  read_attachment: 'Approve reading an attached file?',
  clear: 'Approve starting a new conversation?',
  compact: 'Approve summarizing the earlier part of this conversation?',
  help: 'Approve listing commands, tools and abilities?',
  start: 'Approve sending the start-up text to the agent again?',
  // Of these the argument `action` says what is done.
  'manage_knowledge.upsert': 'Approve remembering something?',
  'manage_knowledge.read': 'Approve reading what is remembered?',
  'manage_knowledge.list': 'Approve reading what is remembered?',
  'manage_knowledge.delete': 'Approve forgetting something?',
  'manage_cron.create': 'Approve doing something later?',
  'manage_cron.update': 'Approve changing a schedule?',
  'manage_cron.resume': 'Approve resuming a schedule?',
  'manage_cron.pause': 'Approve pausing a schedule?',
  'manage_cron.delete': 'Approve deleting a schedule?',
  'manage_cron.list': 'Approve listing your schedules?',
  'manage_cron.runs': 'Approve listing the runs of a schedule?',
  'agent.list': 'Approve listing the agents?',
  'agent.show': 'Approve reading the settings of an agent?',
  'agent.configure': 'Approve changing the settings of an agent?',
  'agent.create': 'Approve creating an agent?',
  'agent.delete': 'Approve deleting an agent?',
  'ability.list': 'Approve listing your abilities?',
  'ability.show': 'Approve reading an ability?',
  'ability.create': 'Approve writing an ability?',
  'ability.edit': 'Approve changing an ability?',
  'ability.delete': 'Approve deleting an ability?',
  'session.list': 'Approve listing your conversations?',
  'session.show': 'Approve reading the details of this conversation?',
  'session.create': 'Approve starting a new conversation?',
  'session.open': 'Approve opening another conversation?',
  'session.rename': 'Approve renaming this conversation?',
  'session.rename.other': 'Approve renaming another conversation?',
  'session.archive': 'Approve archiving this conversation?',
  'session.archive.other': 'Approve archiving another conversation?',
  'session.unarchive': 'Approve restoring this conversation from the archive?',
  'session.unarchive.other': 'Approve restoring another conversation from the archive?',
  'session.fork': 'Approve copying this conversation?',
  'session.fork.other': 'Approve copying another conversation?',
  // No tools, but asked about as well.
  tell_peer: 'Approve sending this reply to a person outside this server?',
  use_model: 'Approve using a model whose price is unknown?',
};

/** The nearest of those that are known: what the tool's action does to this or another conversation, what its action does, what the tool does. */
export function approvalTitle({ tool, arguments: given, session_id }: Pick<Approval, 'tool' | 'arguments' | 'session_id'>): string {
  const { action, id } = (given ?? {}) as { action?: unknown; id?: unknown };
  const deed = `${tool}.${String(action)}`;
  const isOther = id !== undefined && id !== null && id !== session_id;
  const key = [...(isOther ? [`${deed}.other`] : []), deed, tool].find((one) => Object.hasOwn(TITLES, one));
  return key ? t(TITLES[key]!) : t('Approve using {}?', tool);
}

/** Hosts that are named; the others are counted. */
const NAMED = 5;

function someOf(names: string[]): string {
  const named = names.slice(0, NAMED).join(', ');
  return names.length > NAMED ? t('{} and {} more hosts of the agent’s settings', named, names.length - NAMED) : named;
}

/** What it reaches, by names, where the server told them with the request. */
function reached(workplace: Approval['workplace'], names: string[]): string | null {
  if (workplace === 'sandbox') return names.length ? t('In the sandbox. Network: only {}.', someOf(names)) : t('In the sandbox. No network.');
  if (workplace === 'sandbox_with_packages') return names.length ? t('In the sandbox. Network: only the Python package index, {}.', someOf(names)) : t('In the sandbox. Network: only the Python package index.');
  return workplace === 'search_service' ? t('On the network: the search service {}.', someOf(names)) : null;
}

export function approvalPlace({ host, workplace, reaches }: Approval): string {
  if (host) return t('On the network: {}.', host);
  const named = reaches && reached(workplace, reaches);
  if (named) return named;
  return t((workplace && PLACES[workplace]) ?? 'The server does not say where this tool works.');
}

/** One line for each answer that is a yes. */
export function approvalLasts({ tool, host, scopes }: Approval): string[] {
  const here = host ? t('For this conversation: every request to {}.', host) : tool === 'use_model' ? t('For this conversation: this model, for every reply.') : t('For this conversation: every use of {}, with any input.', tool);
  return [t('Once: this request only.'), ...(scopes.includes('session') ? [here] : []), ...(scopes.includes('always') ? [t('Always: this agent with exactly this input, until you revoke it under Permissions.')] : [])];
}
