import { nothing, type TemplateResult } from 'lit';
import { words } from '../../api/client';
import { api } from '../../api/routes';
import type { EntryVersion, KnowledgeEntry, KnowledgeEntryList, KnowledgeStore } from '../../api/schema';
import { link } from '../../store/place';
import type { Call } from '../../store/transcript';
import { icon } from '../icon';
import { LightElement } from '../light';
import { brief, entryName } from './words';
import { html, t } from '../../words/words';

/** How the server begins to say what a call did, with the number of the entry. */
const DONE = /^(?:The (?:change|deletion) of )?(memory|scratchpad entry) (\d+) (?:created|updated|deleted|is noted|waits)/i;

/** Which entry a call wrote, as the server said; null where it wrote none. */
export function entryOf(call: Call): { store: KnowledgeStore; number: number } | null {
  if (call.status !== 'ok') return null;
  const [, kind, number] = DONE.exec(call.content ?? '') ?? [];
  return kind ? { store: kind.toLowerCase() === 'memory' ? 'memory' : 'scratchpad', number: Number(number) } : null;
}

/** Several calls of a conversation ask the same at once. */
const asking = new Map<string, Promise<KnowledgeEntryList>>();

function once(question: string, ask: () => Promise<KnowledgeEntryList>): Promise<KnowledgeEntryList> {
  const before = asking.get(question);
  if (before) return before;
  const answer = ask().finally(() => asking.delete(question));
  asking.set(question, answer);
  return answer;
}

/** The entry with this number, wherever it is by now. */
async function find({ store, number }: { store: KnowledgeStore; number: number }): Promise<KnowledgeEntry | null> {
  for (const state of ['kept', 'proposed', 'gone'] as const) {
    let cursor: string | undefined;
    do {
      const page = await once(`${store} ${state} ${cursor}`, () => api.knowledge(store, state, cursor));
      const found = page.items.find((one) => one.number === number);
      if (found) return found;
      // They come in the order of their numbers.
      cursor = (page.items.at(-1)?.number ?? 0) < number ? (page.next_cursor ?? undefined) : undefined;
    } while (cursor);
  }
  return null;
}

/** Below a call: what it made the agent remember or forget, as the server has it, and the way back. */
export class MjRemembered extends LightElement {
  static override properties = { call: { attribute: false }, entry: { state: true }, version: { state: true }, gone: { state: true }, problem: { state: true }, busy: { state: true } };
  declare call: Call;
  declare entry: KnowledgeEntry | null;
  /** What the call wrote. */
  declare version: EntryVersion | null;
  /** It was removed for good. */
  declare gone: boolean;
  declare problem: string;
  declare busy: boolean;
  #asked = '';

  constructor() {
    super();
    this.entry = null;
    this.version = null;
    this.gone = false;
    this.problem = '';
    this.busy = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener('knowledge', this.#look);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('knowledge', this.#look);
  }

  override willUpdate(): void {
    const { call_id, status, content } = this.call;
    if (this.#asked === `${call_id} ${status} ${content}`) return;
    this.#asked = `${call_id} ${status} ${content}`;
    this.#look();
  }

  #look = (): void => void this.#load().catch(() => undefined);

  async #load(): Promise<void> {
    const { call } = this;
    const named = entryOf(call);
    if (!named) return;
    const entry = this.entry ? await api.knowledgeEntry(this.entry.id).catch(() => null) : await find(named);
    const versions = entry && (await api.entryHistory(entry.id).catch(() => null));
    // The same call may be another object by now.
    if (call.call_id !== this.call.call_id) return;
    const version = versions?.items.find((one) => one.origin.call_id === call.call_id) ?? null;
    this.gone = !entry;
    Object.assign(this, { entry, version });
  }

  override render() {
    const { entry, version } = this;
    if (this.gone) return html`<p class="hint remembered">${icon('brain', 14)} What was written here was removed for good.</p>`;
    // It has its place from the beginning, so that nothing below it moves.
    if (!entry || !version) return entryOf(this.call) ? html`<p class="hint remembered">${icon('brain', 14)} …</p>` : nothing;
    const part = version.state === 'proposed' ? 'review' : entry.state === 'gone' ? 'gone' : entry.store;
    return html`<p class="hint remembered">${icon('brain', 14)} <span dir="auto">${this.#words(entry, version)}</span>
        <a href=${link('knowledge', part)} data-place="knowledge#${part}">${entryName(entry)}</a>
        ${version.state === 'kept' && entry.version === version.version ? html`<button class="btn ghost" ?disabled=${this.busy} aria-label=${t('Undo: {}', entryName(entry))} @click=${() => void this.#undo(entry)}>Undo</button>` : nothing}</p>
      ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}`;
  }

  #words(entry: KnowledgeEntry, version: EntryVersion): string | TemplateResult {
    if (version.state === 'proposed') return t('Waits for you to keep it: “{}”', brief(version));
    if (version.state === 'discarded') return t('Not remembered: “{}”', brief(version));
    const isNow = entry.version === version.version;
    if (version.action === 'delete') return isNow ? t('Forgotten: “{}”', brief(version)) : t('Forgotten, and changed since: “{}”', brief(version));
    if (isNow) return t('Remembered: “{}”', brief(version));
    return entry.state === 'gone' ? t('Remembered, and forgotten since: “{}”', brief(version)) : t('Remembered, and changed since: “{}”', brief(version));
  }

  /** Takes back this change, and not one that came after it in another window. */
  async #undo({ id, version }: KnowledgeEntry): Promise<void> {
    this.busy = true;
    this.problem = '';
    try {
      const now = await api.knowledgeEntry(id);
      if (now.version !== version) this.problem = t('It was changed in another window meanwhile, so nothing was undone. It says now: “{}”', brief(now));
      else await api.undoEntry(id, {});
    } catch (error) {
      this.problem = words(error);
    }
    this.busy = false;
    window.dispatchEvent(new Event('knowledge'));
  }
}
customElements.define('mj-remembered', MjRemembered);
