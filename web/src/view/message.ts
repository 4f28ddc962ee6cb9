import { nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { address, words } from '../api/client';
import { api } from '../api/routes';
import { copyText } from '../element/clipboard';
import { icon } from '../element/icon';
import { LightElement } from '../element/light';
import '../element/question';
import '../element/reply';
import '../element/silence';
import type { MjReply } from '../element/reply';
import { lasted, moment, money, said, short } from '../element/time';
import type { Conversation } from '../store/conversation';
import type { Group } from '../store/group';
import { house } from '../store/house';
import { go } from '../store/place';
import { keep } from '../store/kept';
import type { Entry, Transcript } from '../store/transcript';
import { toldWords } from './attach';
import { isStreaming } from './commands';
import { html, sentence, t } from '../words/words';

/** What one person said, or what an agent did in one turn. */
export class MjMessage extends LightElement {
  static override properties = { group: { attribute: false }, transcript: { attribute: false }, problem: { state: true } };
  declare group: Group;
  declare transcript: Transcript;
  declare problem: string;
  conversation!: Conversation;
  #shown: unknown[] = [];

  constructor() {
    super();
    this.problem = '';
  }

  /** Most of a conversation is as it was: only what concerns this message counts. */
  override shouldUpdate(changed: Map<PropertyKey, unknown>): boolean {
    if (changed.has('problem')) return true;
    const concerns: unknown[] = [...this.group.entries, this.transcript.turn?.working];
    for (const entry of this.group.entries) {
      for (const call of callsOf(entry)) concerns.push(this.transcript.calls[call]);
    }
    if (this.group.role === 'assistant') concerns.push(this.transcript.questions);
    const same = concerns.length === this.#shown.length && concerns.every((one, at) => one === this.#shown[at]);
    this.#shown = concerns;
    return !same;
  }

  override render() {
    return this.group.role === 'assistant' ? this.#agent() : this.#person();
  }

  #person(): TemplateResult {
    const entry = this.group.entries[0]!;
    const name = entry.role === 'system' ? t('Server') : (entry.author ?? t('You'));
    return html`<article class="msg user" aria-label="${name}, ${said(entry.created_at)}">
      <div class="ava" aria-hidden="true">${(entry.role === 'system' ? 'S' : (entry.author ?? house.me?.name ?? 'Y')).slice(0, 1).toUpperCase()}</div>
      <div>
        <div class="meta"><b>${name}</b><time datetime=${entry.created_at} title=${moment(entry.created_at)}>${said(entry.created_at)}</time>${entry.kind === 'answer' ? html` · answer` : nothing}</div>
        <div class="body plain" dir="auto">${entry.content}</div>
        ${entry.images.map((id) => html`<img class="picture" src=${address(`v1/uploads/${id}`)} alt="Attached picture" loading="lazy" width="320" height="240" />`)}
        ${entry.files.map((file) => html`<p class="hint"><a href=${address(`v1/uploads/${file.upload_id}`)} download=${file.name}>${file.name}</a>${toldWords(file) ? html` · ${toldWords(file)}` : nothing}</p>`)}
        <div class="acts">
          <button class="btn ghost icon" title="Copy message" aria-label="Copy message" @click=${(event: Event) => this.#copy(event, entry.content)}>${icon('copy', 14)}</button>
          ${entry.role === 'user' ? html`<button class="btn ghost icon" title="Edit in a copy of this conversation" aria-label="Edit" @click=${() => void this.#edit(entry)}>${icon('pen', 14)}</button>` : nothing}
        </div>
        ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}
      </div>
    </article>`;
  }

  #agent(): TemplateResult {
    const { entries } = this.group;
    const first = entries[0]!;
    const last = entries.at(-1)!;
    const name = first.agent_name ?? house.agentOf(this.transcript.session_id)?.name ?? t('Agent');
    const open = entries.some((entry) => entry.open);
    const asked = this.transcript.entries.find((entry) => entry.role === 'user' && entry.turn_id === first.turn_id);
    return html`<article class="msg" aria-label="${name}, ${said(first.created_at)}" aria-busy=${open}>
      <div class="ava" aria-hidden="true">${name.slice(0, 1).toUpperCase()}</div>
      <div>
        <div class="meta"><b>${name}</b><time datetime=${first.created_at} title=${moment(first.created_at)}>${said(first.created_at)}</time>${entries.length > 1 ? ` · ${t('{} steps', entries.length)}` : nothing}${!open && asked && last.ended_at ? ` · ${lasted(asked.created_at, last.ended_at)}` : nothing}</div>
        <div class="body" dir="auto">${repeat(entries, (entry) => entry.id, (entry) => this.#entry(entry))}</div>
        ${open ? nothing : this.#foot(last, entries)}
        ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}
      </div>
    </article>`;
  }

  #entry(entry: Entry): TemplateResult {
    const told = entry.kind === 'error' || entry.kind === 'limit';
    return html`${entry.thinking ? html`<details class="think"><summary>${entry.open && entry.pieces.length === 0 ? t('Thinking…') : t('Thinking')}</summary><div class="plain">${entry.thinking}</div></details>` : nothing}
      ${told ? html`<div class="card notice ${entry.kind}"><header>${icon('alert', 15)} ${entry.kind === 'limit' ? t('A limit was reached') : t('The reply failed')}</header><div class="in plain">${sentence(entry.content)}</div></div>` : html`<mj-reply data-id=${entry.id}></mj-reply>`}
      ${entry.open && entry.retrying && ((entry.pieces.length === 0 && !entry.thinking) || !isStreaming()) ? this.#retrying(entry.retrying) : nothing}
      ${entry.open ? html`<mj-silence .said=${entry.content.length + entry.thinking.length + entry.pieces.length + entry.seq}></mj-silence>` : nothing}
      ${entry.calls.map((id) => this.#call(id))}
      ${entry.stop_reason === 'length' ? html`<p class="hint">Cut off at the length limit. ${this.#mayContinue(entry) ? html`<button class="btn" @click=${() => this.conversation.send(t('Continue'), 'queue')}>Continue</button>` : nothing}</p>` : nothing}
      ${entry.stop_reason === 'cancelled' ? html`<p class="hint">Stopped.</p>` : nothing}`;
  }

  /** Only the end of the conversation, and while no reply is running. */
  #mayContinue(entry: Entry): boolean {
    return this.transcript.entries.at(-1)?.id === entry.id && !this.transcript.turn?.working;
  }

  /** The model did not answer: it is asked again, and Stop ends that. */
  #retrying({ attempt, of, why }: NonNullable<Entry['retrying']>): TemplateResult {
    return html`<p class="hint" role="status">${t('Retrying ({} of {}): the model did not answer.', attempt, of)} ${sentence(why)}</p>`;
  }

  #call(id: string): TemplateResult {
    const question = this.transcript.questions.find((one) => one.call_id === id);
    if (question) return html`<mj-question .question=${question}></mj-question>`;
    return html`<mj-call .call=${this.transcript.calls[id]}></mj-call>`;
  }

  #foot(last: Entry, entries: Entry[]): TemplateResult {
    const text = entries.map((entry) => entry.content).join('\n\n');
    const tokens = entries.reduce((sum, entry) => sum + (entry.usage ? entry.usage.input_tokens + entry.usage.output_tokens : 0), 0);
    const cost = entries.reduce((sum, entry) => sum + (entry.usage?.cost_microusd ?? 0), 0);
    const isLast = this.transcript.entries.at(-1)?.id === last.id;
    const failed = last.kind === 'error' || last.kind === 'limit';
    const still = !this.transcript.turn?.working;
    return html`<div class="acts">
      <button class="btn ghost icon" title="Copy message" aria-label="Copy message" @click=${(event: Event) => this.#copy(event, text)}>${icon('copy', 14)}</button>
      <button class="btn ghost icon" title="Copy the conversation up to here" aria-label="Copy the conversation up to here" @click=${() => void this.#fork(last.seq)}>${icon('fork', 14)}</button>
      ${isLast && failed && still ? html`<button class="btn" @click=${() => void this.conversation.retry()}>${icon('retry', 14)} Try again</button>` : nothing}
      ${isLast && !failed && still ? html`<button class="btn ghost icon" title="Try again in a copy of this conversation" aria-label="Try again" @click=${() => void this.#again(last)}>${icon('retry', 14)}</button>` : nothing}
      ${tokens > 0 ? html`<span class="hint">${t('{} tokens', short(tokens))} · ${money(cost)}</span>` : nothing}
    </div>`;
  }

  override updated(): void {
    for (const node of this.querySelectorAll<MjReply>('mj-reply')) {
      const entry = this.group.entries.find((one) => one.id === node.dataset['id']);
      if (entry && (!entry.open || isStreaming())) node.show(entry, this.transcript);
    }
  }

  #copy(event: Event, text: string): void {
    const button = event.currentTarget as HTMLElement;
    void navigator.clipboard.writeText(text).then(
      () => button.setAttribute('data-done', ''),
      () => void copyText(button, text),
    );
  }

  async #fork(after_seq: number): Promise<void> {
    await this.#attempt(async () => {
      const session = await api.fork(this.transcript.session_id, after_seq);
      house.sessions.take(session);
      go(session.id);
    });
  }

  /** What was said stays as it is; its new form goes on in a conversation of its own. */
  async #edit(entry: Entry): Promise<void> {
    await this.#attempt(async () => {
      const id = await this.#before(entry);
      keep(`draft-${id}`, entry.content);
      go(id);
    });
  }

  /** The same words again, where the answer to them was never given. */
  async #again(last: Entry): Promise<void> {
    const asked = this.transcript.entries.find((entry) => entry.role === 'user' && entry.turn_id === last.turn_id);
    if (!asked) return;
    await this.#attempt(async () => {
      const id = await this.#before(asked);
      go(id);
      house.show(id).send(asked.content, 'queue', asked.images);
    });
  }

  /** A conversation that goes as far as this one did before that was said. */
  async #before(entry: Entry): Promise<string> {
    const at = this.transcript.entries.findIndex((one) => one.id === entry.id);
    const before = this.transcript.entries[at - 1];
    if (!before && !this.transcript.more) return house.newSession(house.sessions.find(this.transcript.session_id)?.agent_id ?? '');
    const session = await api.fork(this.transcript.session_id, before?.seq ?? entry.seq - 1);
    house.sessions.take(session);
    return session.id;
  }

  async #attempt(deed: () => Promise<void>): Promise<void> {
    try {
      await deed();
      this.problem = '';
    } catch (error) {
      this.problem = words(error);
    }
  }
}

function callsOf(entry: Entry): string[] {
  const elements = Object.values(entry.elements).flatMap((element) => element.call_id ?? []);
  const pieces = entry.pieces.flatMap((piece) => (piece.type === 'call' ? piece.call_id : []));
  return [...entry.calls, ...elements, ...pieces];
}
customElements.define('mj-message', MjMessage);
