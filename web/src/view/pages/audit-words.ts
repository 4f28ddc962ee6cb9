import { money, moment } from '../../element/time';
import { t } from '../../words/words';

/** An entry of the audit log as people read it: names stand for ids, and what has no name is left out. */
const ID = /\b[a-z]+_[0-9a-f]{32}\b/g;
/** Of what was asked; a person cannot compare it with anything. */
const DIGEST = /^[0-9a-f]{64}$/;

const WHEN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

export type NameOf = (id: string) => string | undefined;

/** Who acts without an account; older entries have other words for a person whose name is not known. */
const ACTORS: Record<string, string> = {
  operator: 'The terminal of the server',
  clock: 'The server',
  'set-up': 'The set-up link',
  unknown: 'An unknown person',
  somebody: 'An unknown person',
  nobody: 'An unknown person',
};

/** A person who did not use the page themselves. */
const WAYS: Record<string, string> = {
  terminal: '{} in the terminal',
  agent: 'An agent of {}',
  invitation: '{} (by invitation)',
  message: '{} (in a message)',
};
const BY_ANOTHER_WAY = /^(user_[0-9a-f]{32}) (?:at the|by|by an?) (terminal|agent|invitation|message)(?: in session_[0-9a-f]{32})?$/;

/** `user_… by login_…` is the person alone. */
export function readable(text: string, nameOf: NameOf): string {
  if (text in ACTORS) return t(ACTORS[text]!);
  const [, user = '', way = ''] = BY_ANOTHER_WAY.exec(text) ?? [];
  const person = nameOf(user);
  if (user) return person ? t(WAYS[way]!, person) : '';
  return text.replace(ID, (id) => nameOf(id) ?? '').replace(/ by\s*$/, '').trim();
}

/** What an entry says besides, by the names that the server gives it. */
export const LABELS: Record<string, string> = {
  action: 'action',
  address: 'address',
  approval_id: 'request',
  base_url: 'address',
  budget: 'budget',
  by: 'by',
  call_id: 'call',
  characters: 'characters',
  confidentiality: 'for whom',
  digest: 'digest',
  dropped_deletions: 'deletions taken back',
  dropped_rules: 'permissions removed',
  ended_account_links: 'invitations ended',
  ended_logins: 'sign-ins ended',
  ended_session_links: 'conversation links ended',
  expires_at: 'expires',
  fields: 'fields',
  for: 'for',
  from: 'from',
  halted_turns: 'replies stopped',
  has_api_key: 'has a key',
  images: 'pictures',
  integrity: 'source',
  label: 'origin',
  last_seq: 'last event',
  link: 'link',
  model: 'model',
  name: 'name',
  password: 'password',
  paused_schedules: 'schedules paused',
  per_day_microusd: 'per day',
  per_turn_microusd: 'per reply',
  reason: 'reason',
  reasons: 'reasons',
  revoked_keys: 'API keys revoked',
  role: 'role',
  scope: 'scope',
  sender: 'sender',
  seq: 'event',
  session_id: 'conversation',
  source: 'bridge',
  subject: 'for',
  text: 'text',
  to: 'to',
  tool: 'tool',
  trusted_seq: 'trusted up to event',
  version: 'version',
  widened: 'with more rights',
  wire: 'API type',
};

/** Words of the server: why a call was asked about or denied, what a rule does, labels, roles, scopes, and what was changed. */
export const VALUES: Record<string, string> = {
  '*': 'all agents on this server',
  admin: 'admin',
  allow: 'allow',
  always: 'always',
  anthropic: 'Anthropic',
  argument: 'arguments not allowed',
  ask: 'ask',
  ask_every_time: 'ask every time',
  asks: 'needs approval',
  asks_every_time: 'needs approval every time',
  bridge: 'deliver messages from other people',
  changed: 'changed',
  chat: 'take part in conversations',
  common: 'the person it talks to',
  denied_before: 'denied before',
  deny: 'deny',
  denied_by_person: 'denied by the person',
  expired: 'not answered in time',
  forbidden: 'forbidden by a rule',
  full: 'everything you may do',
  guest: 'guest',
  malformed: 'could not be read',
  member: 'member',
  nobody_to_ask: 'no person to ask',
  once: 'once',
  openai: 'OpenAI',
  owner: 'owner',
  price_unknown: 'price unknown',
  private: 'private',
  public: 'public',
  read: 'read all your data',
  session: 'this conversation',
  rule_of_two: 'private data and untrusted text',
  acts_later: 'untrusted text that asks for something later',
  'their browser': 'their browser',
  too_many_asked: 'too many open requests',
  too_many_calls: 'too many calls',
  trusted: 'trusted',
  unknown_or_not_granted: 'tool not granted',
  untrusted: 'untrusted',
};

/** The settings of an agent that an entry names as changed. */
export const FIELDS: Record<string, string> = {
  allowed_tools: 'allowed tools',
  budget: 'budget',
  capabilities: 'capabilities',
  handler: 'way of working',
  limits: 'limits',
  markup: 'elements',
  model: 'model',
  name: 'name',
  parameters: 'model settings',
  prompt_tree: 'prompt tree',
  shared_with: 'shared with',
  status: 'archived or restored',
  system_prompt: 'instructions',
  tool_rules: 'permissions of tools',
};

function labelOf(name: string): string {
  return Object.hasOwn(LABELS, name) ? t(LABELS[name]!) : name.replaceAll('_', ' ');
}

/** Of these the value is a word of the server; elsewhere it may be a name that a person gave. */
const SERVER_WORDS = new Set(['action', 'by', 'confidentiality', 'integrity', 'name', 'password', 'reason', 'reasons', 'role', 'scope', 'subject', 'wire']);

function wordOf(value: string, of: string): string | null {
  if (of === 'fields') return Object.hasOwn(FIELDS, value) ? t(FIELDS[value]!) : null;
  return SERVER_WORDS.has(of) && Object.hasOwn(VALUES, value) ? t(VALUES[value]!) : null;
}

/** `name: value, name: value`, however deep. */
export function listed(value: unknown, nameOf: NameOf, of = ''): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map((one) => listed(one, nameOf, of)).filter(Boolean).join(', ');
  if (typeof value === 'string' && WHEN.test(value)) return moment(value);
  const word = typeof value === 'string' ? wordOf(value, of) : null;
  if (word) return word;
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  if (typeof value === 'number' && of.endsWith('_microusd')) return money(value);
  // Older entries say of a change that its person made it, which its sentence says already.
  if (value === 'themself') return '';
  if (typeof value !== 'object') return DIGEST.test(String(value)) ? '' : readable(String(value), nameOf);
  // What was before and after is of the same kind; models are called by their own names.
  const parts = Object.entries(value).map(([name, one]) => [of === 'images' ? name : labelOf(name), listed(one, nameOf, /^(from|to)$/.test(name) ? of : name)]);
  return parts.filter(([, text]) => text).map((part) => part.join(': ')).join(', ');
}

/** What was done, as a sentence. The first gap is who did it, the second what it was done to. */
const SENTENCES: Record<string, string> = {
  'agent.created': '{} created the agent {}.',
  'agent.changed': '{} changed the agent {}.',
  'agent.deleted': '{} deleted an agent.',
  'agent.accepted': '{} accepted the shared agent {}.',
  'agent.declined': '{} declined the shared agent {}.',
  'api_key.bound': '{} connected an API key to a bridge.',
  'api_key.created': '{} created an API key.',
  'api_key.revoked': '{} revoked an API key.',
  'approval.approved': '{} approved a request of an agent.',
  'approval.denied': '{} denied a request of an agent.',
  'approval.expired': 'A request to {} was not answered in time, so it was denied.',
  'approval.pending': 'An agent asked {} for approval.',
  'house.changed': '{} changed the instructions for all agents.',
  'house.changed default_model': '{} changed the default model.',
  'house.restored': 'A backup was restored.',
  'invitation.created': '{} created an invitation or a password link.',
  'invitation.revoked': '{} revoked an invitation or a password link.',
  'knowledge.discarded': '{} discarded what an agent wanted to remember.',
  'knowledge.kept': '{} kept what an agent wanted to remember.',
  'knowledge.purged': '{} removed something remembered for good.',
  'login.confirmed': '{} confirmed their password.',
  'login.ended': '{} signed out.',
  'login.failed': 'Signing in failed: wrong name or password.',
  'login.succeeded': '{} signed in.',
  'master_key.rotated': 'The master key was changed.',
  'password.changed': '{} changed their password.',
  'provider.changed': '{} changed the provider {}.',
  'provider.deleted': '{} deleted the provider {}.',
  'rule.create': '{} added a rule.',
  'rule.delete': '{} revoked a rule.',
  'session.shared': '{} shared the conversation {}.',
  'session.trusted': '{} marked the conversation {} as trusted.',
  'session.unshared': '{} revoked the link to a conversation.',
  'tool.allowed': 'The agent {} used a tool.',
  'tool.asked': 'The agent {} asked before it used a tool.',
  'tool.denied': 'The agent {} was not allowed to use a tool.',
  'tool.refused': 'A tool call of the agent {} could not be read.',
  'user.changed': '{} changed the account {}.',
  'user.created': '{} created the account {}.',
  'user.removed': '{} removed an account.',
};

/** For an agent that has no name here any more: its person stands in the gap. */
const NAMELESS: Record<string, string> = {
  'tool.allowed': 'The agent of {} used a tool.',
  'tool.asked': 'The agent of {} asked before it used a tool.',
  'tool.denied': 'The agent of {} was not allowed to use a tool.',
  'tool.refused': 'A tool call of an agent of {} could not be read.',
};

/** The kinds that a person may choose, by how their names begin. */
export const KINDS: [string, string][] = [
  ['', 'Everything'],
  ['login.', 'Sign-ins'],
  ['user.', 'Accounts'],
  ['invitation.', 'Invitations'],
  ['api_key.', 'API keys'],
  ['approval.', 'Approvals'],
  ['tool.', 'Tools'],
  ['rule.', 'Permissions'],
  ['agent.', 'Agents'],
  ['session.', 'Conversations'],
  ['knowledge.', 'What agents remember'],
  ['provider.', 'Providers'],
];

/** Who did it: the person of the entry where its actor is a program or unknown. */
export function told(row: { action: string; actor: string; subject: string; user_id?: string | null }, nameOf: NameOf): string {
  const by = readable(row.actor, nameOf);
  const who = by || (row.user_id ? nameOf(row.user_id) : '') || t('An unknown person');
  const what = readable(row.subject, nameOf);
  if (!by && row.action in NAMELESS) return t(NAMELESS[row.action]!, who);
  const text = SENTENCES[`${row.action} ${row.subject}`] ?? SENTENCES[row.action];
  if (!text) return `${row.action.replaceAll('.', ' ').replaceAll('_', ' ')}: ${who}`;
  return t(text, who, what ? t('“{}”', what) : '').replace(/ +([.])/g, '$1');
}
