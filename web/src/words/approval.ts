/** What an approval asks, where the call would run, and how long a yes would hold. The names of the tools are the server's. */
import type { Approval } from '../store/transcript';
import { t } from './words';

const SANDBOX = 'In the sandbox. Network: only hosts listed in the agent’s settings; none by default.';
const PACKAGES = 'In the sandbox. Network: the Python package index, and hosts listed in the agent’s settings.';
const FILES = 'In the files of this conversation. No network.';
const HERE = 'On this server. No network.';
const SEARCH = 'On the network: the search service of this server.';
const COLLEAGUE = 'On this server: another agent does it, with that agent’s own tools.';

/** What would be done, and where. */
const TOOLS: Record<string, [string, string]> = {
  bash: ['Approve running a command?', SANDBOX],
  run_python: ['Approve running a Python program?', SANDBOX],
  execute_code: ['Approve running a program?', SANDBOX],
  web_fetch: ['Approve opening a web page?', 'On the network.'],
  web_search: ['Approve searching the web?', SEARCH],
  websearch: ['Approve searching the web?', SEARCH],
  read_file: ['Approve reading a file?', FILES],
  stat_file: ['Approve looking up a file?', FILES],
  list_directory: ['Approve listing a folder?', FILES],
  grep_files: ['Approve searching the files?', FILES],
  write_file: ['Approve writing a file?', FILES],
  delete_file: ['Approve deleting a file or folder?', FILES],
  list_agents: ['Approve listing the agents?', HERE],
  send_agent_message: ['Approve sending a message to another agent?', COLLEAGUE],
  delegate: ['Approve giving a task to another agent?', COLLEAGUE],
  spawn_agent: ['Approve starting another agent?', COLLEAGUE],
  get_current_time: ['Approve looking up the time?', HERE],
  write_todos: ['Approve writing the task list?', HERE],
  // No tools, but asked about as well.
  tell_peer: ['Approve sending this reply to a person outside this server?', 'Outside this server.'],
  use_model: ['Approve using a model whose price is unknown?', 'On the network: the provider of the model.'],
};

export function approvalTitle(tool: string): string {
  const known = TOOLS[tool];
  return known ? t(known[0]) : t('Approve using {}?', tool);
}

export function approvalPlace({ tool, host, shown }: Approval): string {
  if (host) return t('On the network: {}.', host);
  const packages = tool === 'run_python' && shown.some(({ name }) => name === 'dependencies');
  return t(packages ? PACKAGES : (TOOLS[tool]?.[1] ?? 'The server does not say where this tool works.'));
}

/** One line for each answer that is a yes. */
export function approvalLasts({ tool, host, scopes }: Approval): string[] {
  const here = host ? t('For this conversation: every request to {}.', host) : tool === 'use_model' ? t('For this conversation: this model, for every reply.') : t('For this conversation: every use of {}, with any input.', tool);
  return [t('Once: this request only.'), ...(scopes.includes('session') ? [here] : []), ...(scopes.includes('always') ? [t('Always: this agent with exactly this input, until you revoke it under Permissions.')] : [])];
}
