/** What there is for whom. The server decides what each person may do; the page only leaves out what would be refused. */
import type { UserRole } from '../api/schema';
import { t } from '../words/words';

const RANKS: UserRole[] = ['guest', 'member', 'admin', 'owner'];

export function isAtLeast(role: UserRole | undefined, least: UserRole): boolean {
  return role !== undefined && RANKS.indexOf(role) >= RANKS.indexOf(least);
}

/** The places beside the conversations, and who finds something there. */
const PLACES: [string, string, UserRole][] = [
  ['agents', 'Agents', 'guest'],
  ['capabilities', 'Capabilities', 'member'],
  ['knowledge', 'Knowledge', 'guest'],
  ['schedules', 'Schedules', 'member'],
  ['permissions', 'Permissions', 'guest'],
  ['people', 'People', 'admin'],
  ['usage', 'Usage', 'guest'],
  ['audit', 'Audit log', 'member'],
  ['settings', 'Settings', 'guest'],
];

export function placesFor(role: UserRole | undefined): [string, string][] {
  return PLACES.filter(([, , least]) => isAtLeast(role, least)).map(([name, label]) => [name, t(label)]);
}
