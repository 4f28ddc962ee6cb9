// The list of conversations, the tabs and the earlier messages, beside a server that answers by hand.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { rangesOf } from '../../src/element/search-highlight';
import { Conversation } from '../../src/store/conversation';
import { House } from '../../src/store/house';
import { keep } from '../../src/store/browser-storage';
import { soughtIn, soughtPart } from '../../src/store/place';
import { Sessions } from '../../src/store/sessions';
import type { Session } from '../../src/api/schema';

interface Call {
  method: string;
  path: string;
  query: URLSearchParams;
  body: { ids?: string[]; action?: string } | null;
}
type Reply = unknown | Response | Promise<unknown>;

let calls: Call[] = [];
let server: (call: Call) => Reply;
const refused = (status: number, code: string) => new Response(JSON.stringify({ code, detail: `It is ${code}.` }), { status });
const session = (id: string, more: Partial<Session> = {}) =>
  ({ id, name: id, updated_at: '2026-01-01T00:00:00Z', read_seq: 0, status: 'idle', archived: false, hidden: false, pinned: false, folder_id: null, last_message: null, ...more }) as Session;
const page = (items: unknown[], next_cursor: string | null = null) => ({ items, next_cursor, total: items.length });
const ids = (sessions: Session[] | null) => sessions?.map((one) => one.id);

beforeEach(() => {
  calls = [];
  vi.stubGlobal('fetch', async (url: URL, { method, body }: RequestInit) => {
    const at = new URL(url);
    const call = { method: method ?? 'GET', path: at.pathname, query: at.searchParams, body: body ? (JSON.parse(String(body)) as Call['body']) : null };
    calls.push(call);
    const answer = await server(call);
    return answer instanceof Response ? answer : new Response(JSON.stringify(answer));
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A server with these conversations, in pages of two. */
const listing = (all: Session[], folders: { id: string; name: string }[] = []) => ({ path, query, body, method }: Call): Reply => {
  const start = Number(query.get('cursor') ?? 0);
  const cut = (items: unknown[]) => page(items.slice(start, start + 2), start + 2 < items.length ? String(start + 2) : null);
  if (path === '/v1/folders') return cut(folders);
  if (path === '/v1/sessions/batch') return { items: body?.ids?.map((id) => ({ id, outcome: all.some((one) => one.id === id) ? 'done' : 'not_found' })) };
  if (path === '/v1/sessions' && method === 'GET') {
    const pinned = query.get('pinned');
    const archived = query.get('archived') === 'true';
    return cut(all.filter((one) => (!pinned || one.pinned) && one.archived === archived));
  }
  return all.find((one) => path === `/v1/sessions/${one.id}`) ?? refused(404, 'not_found');
};

test('lists are fetched to their end: folders, pinned ones, the archive', async () => {
  const pinned = Array.from({ length: 5 }, (_, at) => session(`session_p${at}`, { pinned: true }));
  const away = Array.from({ length: 3 }, (_, at) => session(`session_a${at}`, { archived: true }));
  server = listing([...pinned, ...away], Array.from({ length: 7 }, (_, at) => ({ id: `folder_${at}`, name: `F${at}` })));
  const sessions = new Sessions();
  await sessions.load();
  expect(sessions.folders.length).toBe(7);
  expect(sessions.items.length).toBe(5);
  await sessions.loadArchived();
  expect(ids(sessions.archived)).toEqual(['session_a0', 'session_a1']);
  await sessions.loadMoreArchived();
  expect([ids(sessions.archived), sessions.archivedNext]).toEqual([['session_a0', 'session_a1', 'session_a2'], null]);
});

test('many are asked for a hundred at a time', async () => {
  const all = Array.from({ length: 230 }, (_, at) => session(`session_${at}`));
  server = listing(all);
  const sessions = new Sessions();
  await sessions.keepMany(all.map((one) => one.id), 'delete');
  expect(calls.filter((one) => one.path.endsWith('/batch')).map((one) => one.body?.ids?.length)).toEqual([100, 100, 30]);
  expect(sessions.deletions[0]?.ids.length).toBe(230);
});

test('each deletion can be taken back, and is forgotten only when that was done', async () => {
  const all = [session('session_a'), session('session_b')];
  server = listing(all);
  const sessions = new Sessions();
  await sessions.load();
  await sessions.keepMany(['session_a'], 'delete');
  await sessions.keepMany(['session_b'], 'delete');
  expect(sessions.deletions.map((one) => one.name)).toEqual(['session_a', 'session_b']);
  expect(sessions.items).toEqual([]);
  const [first, second] = sessions.deletions;
  server = () => Promise.reject(new TypeError('offline'));
  await expect(sessions.takeBack(first!)).rejects.toThrow(/does not answer/);
  expect(sessions.deletions).toEqual([first, second]);
  server = listing([session('session_a')]);
  expect(await sessions.takeBack(first!)).toBe(0);
  expect(ids(sessions.items)).toEqual(['session_a']);
  expect(await sessions.takeBack(second!), 'it is gone for good').toBe(1);
  expect([sessions.deletions, ids(sessions.items)]).toEqual([[], ['session_a']]);
});

test('after a lost connection the list is as the server has it', async () => {
  server = listing([session('session_a'), session('session_b')]);
  const sessions = new Sessions();
  await sessions.load();
  await sessions.know('session_c');
  sessions.take(session('session_c'));
  sessions.take(session('session_d'));
  // One was deleted elsewhere, one was archived, one is newer than what the server listed.
  server = listing([session('session_a'), session('session_b', { archived: true }), session('session_d')]);
  await sessions.reconcile(new Set(['session_a']));
  expect(ids(sessions.items)?.sort()).toEqual(['session_a', 'session_d']);
  expect([sessions.gone.has('session_c'), sessions.find('session_b')?.archived]).toEqual([true, true]);
  server = () => Promise.reject(new TypeError('offline'));
  await sessions.reconcile(new Set());
  expect(sessions.items.length, 'what cannot be asked for stays').toBe(2);
});

test('a folder that another window has made is asked for', async () => {
  server = listing([session('session_a')]);
  const sessions = new Sessions();
  await sessions.load();
  server = listing([session('session_a')], [{ id: 'folder_new', name: 'New' }]);
  sessions.take(session('session_a', { folder_id: 'folder_new' }));
  await vi.waitFor(() => expect(sessions.folders.map((one) => one.name)).toEqual(['New']));
});

/** A house whose socket says what it was told. */
function aHouse(): { house: House; followed: Set<string> } {
  const house = new House();
  const followed = new Set<string>();
  vi.spyOn(house.socket, 'start').mockImplementation(() => undefined);
  vi.spyOn(house.socket, 'follow').mockImplementation((id) => void followed.add(id));
  vi.spyOn(house.socket, 'unfollow').mockImplementation((id) => void followed.delete(id));
  return { house, followed };
}

test('no more is followed than is in tabs, however many conversations were opened', () => {
  const { house, followed } = aHouse();
  for (let at = 0; at < 140; at += 1) house.show(`session_${at}`);
  expect(house.tabs.length).toBe(25);
  expect([...followed].sort()).toEqual([...house.tabs].sort());
  expect(house.tabs.at(-1)).toBe('session_139');
});

test('a tab stays after a reload, however old its conversation is; one that was deleted goes', async () => {
  const me = { id: 'user_1', name: 'ada', role: 'guest', language: 'en', time_zone: 'UTC' };
  keep('tabs-user_1', ['session_old', 'session_gone', 'session_0']);
  const all = [session('session_0'), session('session_1'), session('session_old', { updated_at: '2020-01-01T00:00:00Z' })];
  const answered = listing(all);
  server = (call) => (call.path === '/v1/agents' ? page([]) : answered(call));
  const { house, followed } = aHouse();
  await house.enter(me as never);
  expect(house.tabs).toEqual(['session_old', 'session_0']);
  expect(followed).toEqual(new Set(['session_old', 'session_0']));
});

const message = (seq: number) => ({ id: `message_${seq}`, seq, turn_id: `turn_${seq}`, role: 'user', content: `m${seq}`, parts: [], elements: [], meta: {}, label: { integrity: 'trusted', confidentiality: 'private' }, created_at: '2026-01-01T00:00:00Z' });
const aConversation = () => new Conversation('session_a', { follow: () => undefined, unfollow: () => undefined } as never, () => 'k');

test('earlier messages are fetched once at a time, and to the first of them', async () => {
  const before = (call: Call) => Number(call.query.get('before_seq') ?? 201);
  server = (call) => (call.path.endsWith('/messages') ? page(Array.from({ length: 50 }, (_, at) => message(before(call) - 50 + at)), before(call) > 51 ? 'more' : null) : page([]));
  const conversation = aConversation();
  await conversation.load();
  expect(conversation.transcript.entries[0]?.seq).toBe(151);
  // A person scrolls up at the same moment.
  const [, whole] = await Promise.all([conversation.loadOlder(), conversation.loadBackTo(0)]);
  expect([whole, conversation.transcript.more, conversation.transcript.entries.length]).toEqual([true, false, 200]);
  expect(calls.filter((one) => one.query.has('before_seq')).length).toBe(3);
});

test('what cannot be fetched is asked for once, and not for ever', async () => {
  server = (call) => (call.path.endsWith('/messages') ? page([message(90)], 'more') : page([]));
  const conversation = aConversation();
  await conversation.load();
  server = () => Promise.reject(new TypeError('offline'));
  calls = [];
  await conversation.loadBackTo(0);
  expect([calls.length, conversation.transcript.more, conversation.problem]).toEqual([1, true, expect.stringMatching(/does not answer/)]);
});

test('the words of a search are found where they stand, also across nodes', () => {
  const root = document.createElement('div');
  root.innerHTML = '<p>Orange <b>marma</b>lade</p><p>jam</p><p>More MARMALADE jam</p>';
  const found = (search: string) => rangesOf(root, search).map(String);
  expect(found('marmalade')).toEqual(['marmalade', 'MARMALADE']);
  expect(found('lade jam')).toEqual(['lade', 'jam', 'LADE', 'jam']);
  expect(found('ladejam'), 'not from one paragraph to the next').toEqual([]);
  expect([found('.*'), found(' ')]).toEqual([[], []]);
});

test('a place names the message and the words that were searched for', () => {
  const search = 'Größe 100% #1 ~x';
  const part = soughtPart(12, ` ${search} `);
  expect(part).not.toContain('#');
  expect(soughtIn(part)).toEqual({ seq: 12, search });
  expect(soughtIn('m12')).toEqual({ seq: 12, search: '' });
  expect(soughtIn('m12~%')).toEqual({ seq: 12, search: '' });
  expect([soughtIn('m0'), soughtIn('mx'), soughtIn('prompts')]).toEqual([null, null, null]);
});
