import { moment } from '../../element/time';
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
  unknown: 'An unknown person',
  somebody: 'An unknown person',
  nobody: 'An unknown person',
};

/** `user_… by login_…` is the person alone. */
export function readable(text: string, nameOf: NameOf): string {
  if (text in ACTORS) return t(ACTORS[text]!);
  return text.replace(ID, (id) => nameOf(id) ?? '').replace(/ by\s*$/, '').trim();
}

/** `name: value, name: value`, however deep. */
export function listed(value: unknown, nameOf: NameOf): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map((one) => listed(one, nameOf)).filter(Boolean).join(', ');
  if (typeof value === 'string' && WHEN.test(value)) return moment(value);
  // Older entries say of a change that its person made it, which its sentence says already.
  if (value === 'themself') return '';
  if (typeof value !== 'object') return DIGEST.test(String(value)) ? '' : readable(String(value), nameOf);
  const parts = Object.entries(value).filter(([name]) => !LEFT_OUT.has(name)).map(([key, one]) => {
    const name = key.replace(/_id$/, '').replace(/^session$/, 'conversation');
    const text = listed(one, nameOf);
    return [name in DETAILS ? t(DETAILS[name]!) : name.replaceAll('_', ' '), name === 'role' && text in ROLES ? t(ROLES[text]!) : text];
  });
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
  'tool.refused': 'The agent {} was refused a tool.',
  'user.changed': '{} changed the account {}.',
  'user.created': '{} created the account {}.',
  'user.removed': '{} removed an account.',
};

/** For an agent that has no name here any more: its person stands in the gap. */
const NAMELESS: Record<string, string> = {
  'tool.allowed': 'The agent of {} used a tool.',
  'tool.asked': 'The agent of {} asked before it used a tool.',
  'tool.denied': 'The agent of {} was not allowed to use a tool.',
  'tool.refused': 'The agent of {} was refused a tool.',
};

/** What the details of an entry are called; others keep the name that programs know. */
const DETAILS: Record<string, string> = {
  address: 'address',
  conversation: 'conversation',
  expires_at: 'valid until',
  role: 'role',
  scope: 'access',
  tool: 'tool',
};
const ROLES: Record<string, string> = { owner: 'owner', admin: 'admin', member: 'member', guest: 'guest' };
/** For programs: the sentence and the conversation tell a person as much. */
const LEFT_OUT = new Set(['label', 'reason', 'reasons']);

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
