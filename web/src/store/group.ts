/** What belongs together on the screen: what one person said, or what an agent did in one turn. */
import type { Entry } from './transcript';

export interface Group {
  key: string;
  role: 'user' | 'assistant' | 'system';
  entries: Entry[];
  /** Not the first of its turn. */
  continued: boolean;
}

/** An error, or a limit, after which the same turn went on: it was tried again, and nothing is left of it to do. */
function unlessOvercome(entries: Entry[]): (entry: Entry) => boolean {
  const last = new Map(entries.filter((entry) => entry.role === 'assistant').map((entry) => [entry.turn_id, entry.seq]));
  return (entry) => !isTold(entry) || (last.get(entry.turn_id) ?? 0) <= entry.seq;
}

/** What the server says in the place of a reply. */
export function isTold({ kind }: Entry): boolean {
  return kind === 'error' || kind === 'limit';
}

/** A turn of hundreds of steps is shown in pieces, so that a page never holds all of it. */
const MOST_ENTRIES = 20;

export function groups(entries: Entry[]): Group[] {
  const made: Group[] = [];
  for (const entry of entries.filter(unlessOvercome(entries))) {
    const last = made.at(-1);
    const role = entry.role === 'tool' ? 'assistant' : entry.role;
    const first = last?.entries[0];
    const goesOn = role === 'assistant' && last?.role === role && first?.turn_id === entry.turn_id;
    if (last && goesOn && last.entries.length < MOST_ENTRIES) last.entries.push(entry);
    else made.push({ key: entry.id, role, entries: [entry], continued: goesOn });
  }
  return made;
}
