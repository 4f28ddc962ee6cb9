/**
 * Keeps the page itself, so that an installed Majordomo opens without a network and says that the server is away. It keeps nothing
 * that a person or an agent wrote: only what is the same for everyone (the first document and the files under `assets/`).
 */
const KEPT = 'majordomo-page';
const ASSET = /(?:src|href)="\.\/(assets\/[^"]+)"/g;

interface WorkerScope extends EventTarget {
  registration: { scope: string };
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
}
interface Lasting extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetching extends Lasting {
  request: Request;
  respondWith(answer: Promise<Response> | Response): void;
}

const worker = globalThis as unknown as WorkerScope;
const root = () => worker.registration.scope;

/** Fetches the document and what it names, and keeps nothing else. */
async function keepPage(): Promise<void> {
  const answer = await fetch(root(), { credentials: 'omit', headers: { accept: 'text/html' } });
  if (!answer.ok) return;
  const kept = await caches.open(KEPT);
  const text = await answer.clone().text();
  const wanted = [...text.matchAll(ASSET)].map((match) => new URL(match[1]!, root()).href);
  await kept.put(root(), answer);
  for (const old of await kept.keys()) {
    if (old.url !== root() && !wanted.includes(old.url)) await kept.delete(old);
  }
  await Promise.all(wanted.map(async (url) => (await kept.match(url)) ?? kept.add(url)));
}

/** The document as the server has it; as it was kept where the server cannot be reached. */
async function page(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await (await caches.open(KEPT)).match(root());
    if (kept) return kept;
    throw error;
  }
}

async function asset(request: Request): Promise<Response> {
  return (await (await caches.open(KEPT)).match(request.url)) ?? fetch(request);
}

worker.addEventListener('install', (event) => (event as Lasting).waitUntil(keepPage().then(() => worker.skipWaiting())));
worker.addEventListener('activate', (event) => (event as Lasting).waitUntil(worker.clients.claim()));
worker.addEventListener('fetch', (event) => {
  const asked = event as Fetching;
  const { request } = asked;
  if (request.method !== 'GET' || !request.url.startsWith(root())) return;
  if (request.mode === 'navigate') {
    asked.respondWith(page(request));
    asked.waitUntil(keepPage().catch(() => undefined));
  } else if (request.url.startsWith(`${root()}assets/`)) {
    asked.respondWith(asset(request));
  }
});
