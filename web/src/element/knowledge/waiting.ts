/** What agents want to remember or change, and what its person has not answered yet. */
import { api } from '../../api/routes';
import type { EntryVersion, KnowledgeEntry, KnowledgeStore } from '../../api/schema';

export interface Waiting {
  entry: KnowledgeEntry;
  /** What would be in force. */
  version: EntryVersion;
}

export const STORES: KnowledgeStore[] = ['memory', 'scratchpad'];

/** A version does not change, so each is read once. */
const read = new Map<string, EntryVersion>();

/** All of it: there are at most fifty. */
export async function allWaiting(): Promise<Waiting[]> {
  const lists = await Promise.all(STORES.map((store) => api.knowledge(store, 'proposed')));
  const found = await Promise.all(lists.flatMap((list) => list.items.map(withVersion)));
  return found.filter((one) => one !== null).sort((a, b) => Date.parse(a.version.origin.at) - Date.parse(b.version.origin.at));
}

/** Null where it was answered or removed meanwhile. */
async function withVersion(entry: KnowledgeEntry): Promise<Waiting | null> {
  const { id, proposal } = entry;
  const name = `${id}/${proposal}`;
  let version = read.get(name);
  if (!version) {
    const versions = await api.entryHistory(id).catch(() => null);
    version = versions?.items.find((one) => one.version === proposal);
    if (version) read.set(name, version);
  }
  return version ? { entry, version } : null;
}
