import { nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { address, words } from '../api/client';
import { api } from '../api/routes';
import type { MessageVersions, Session } from '../api/schema';
import { copyText } from '../element/clipboard';
import { icon } from '../element/icon';
import { noticeCard } from '../element/notice';
import { openSheet } from '../element/sheet';
import { LightElement } from '../element/light';
import '../element/question';
import '../element/reply';
import '../element/silence';
import type { MjReply } from '../element/reply';
import { lastedMs, moment, money, said, short } from '../element/time';
import type { Conversation } from '../store/conversation';
import { isTold, type Group } from '../store/group';
import { house } from '../store/house';
import { go } from '../store/place';
import { hasMouse } from '../store/theme';
import { askedMs, isRead, type Entry, type Transcript } from '../store/transcript';
import { TYPED_CHARS, Untyped } from '../store/untyped';
import { toldWords } from './attach';
import { draftOf, written, type Draft } from './draft';
import { mayChoose, SEARCH, searchModels, searchOption } from '../element/model/model-menu';
import { about } from '../element/model/model-words';
import { isStreaming } from './commands';
import { html, problemWords, sentence, t } from '../words/words';

/** What one person said, or what an agent did in one turn. */
export class MjMessage extends LightElement {
  static override properties = { group: { attribute: false }, transcript: { attribute: false }, problem: { state: true }, editing: { state: true }, busy: { state: true }, versions: { attribute: false } };
  declare group: Group;
  declare transcript: Transcript;
  declare problem: string;
  /** What is written in the place of the words; null where they stand as they are. */
  declare editing: string | null;
  /** What was asked of the server is on its way: it is asked once. */
  declare busy: boolean;
  /** Those of this conversation's messages. */
  declare versions: MessageVersions[];
  conversation!: Conversation;
  #shown: unknown[] = [];

  constructor() {
    super();
    this.problem = '';
    this.editing = null;
    this.busy = false;
    this.versions = [];
  }

  /** What is written in the place of the words, and the model that answers it. It stays when the conversation is left. */
  get #draft(): Draft {
    return draftOf(editOf(this.group));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.editing = written(editOf(this.group)) || null;
  }

  #endEdit(): void {
    this.#draft.clear();
    this.editing = null;
  }

  /** Most of a conversation is as it was: only what concerns this message counts. */
  override shouldUpdate(changed: Map<PropertyKey, unknown>): boolean {
    if (changed.has('problem') || changed.has('editing') || changed.has('busy') || changed.has('versions')) return true;
    const concerns: unknown[] = [...this.group.entries, this.conversation.active, house.agents, house.models];
    for (const entry of this.group.entries) {
      for (const call of callsOf(entry)) concerns.push(this.transcript.calls[call]);
    }
    if (this.group.role === 'assistant') concerns.push(this.transcript.questions, ...this.group.entries.map((entry) => isRead(entry, this.transcript)));
    const same = concerns.length === this.#shown.length && concerns.every((one, at) => one === this.#shown[at]);
    this.#shown = concerns;
    return !same;
  }

  override render() {
    return this.group.role === 'assistant' ? this.#agent() : this.#person();
  }

  #person(): TemplateResult {
    const entry = this.group.entries[0]!;
    const name = entry.kind === 'reminder' ? t('Reminder') : entry.role === 'system' ? t('Server') : (entry.author ?? t('You'));
    return html`<article class="msg user" @longpress=${this.#pressed} aria-label="${name}, ${said(entry.created_at)}">
      <div class="ava" aria-hidden="true">${(entry.role === 'system' ? name : (entry.author ?? house.me?.name ?? 'Y')).slice(0, 1).toUpperCase()}</div>
      <div>
        <div class="meta"><b>${name}</b><time datetime=${entry.created_at} title=${moment(entry.created_at)}>${said(entry.created_at)}</time>${entry.kind === 'answer' ? html` · answer` : nothing}</div>
        ${this.editing === null ? html`<div class="body plain" dir="auto">${entry.content}</div>` : this.#editor(entry)}
        ${entry.images.map((id) => html`<img class="picture" src=${address(`v1/uploads/${id}`)} alt="Attached picture" loading="lazy" width="320" height="240" />`)}
        ${entry.files.map((file) => html`<p class="hint"><a href=${address(`v1/uploads/${file.upload_id}`)} download=${file.name}>${file.name}</a>${toldWords(file) ? html` · ${toldWords(file)}` : nothing}</p>`)}
        <div class="acts">
          <button class="btn ghost icon" title="Copy message" aria-label="Copy message" @click=${(event: Event) => this.#copy(event, entry.content)}>${icon('copy', 14)}</button>
          ${own(entry) && this.editing === null ? html`<button class="btn ghost icon" title="Edit and send again" aria-label="Edit" @click=${() => this.#edit(entry)}>${icon('pen', 14)}</button>` : nothing}
          ${this.#versions(entry)}
        </div>
        ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}
      </div>
    </article>`;
  }

  #agent(): TemplateResult {
    const { entries } = this.group;
    const first = entries[0]!;
    const last = entries.at(-1)!;
    const name = this.#nameOf(first.agent_name);
    const open = entries.some((entry) => entry.open);
    const asked = this.transcript.entries.find((entry) => entry.role === 'user' && entry.turn_id === first.turn_id);
    return html`<article class="msg" @longpress=${this.#pressed} aria-label="${name}, ${said(first.created_at)}" aria-busy=${open}>
      <div class="ava" aria-hidden="true">${name.slice(0, 1).toUpperCase()}</div>
      <div>
        <div class="meta"><b>${name}</b><time datetime=${first.created_at} title=${moment(first.created_at)}>${said(first.created_at)}</time>${entries.length > 1 ? ` · ${t('{} steps', entries.length)}` : nothing}${!open && asked && last.ended_at ? ` · ${lastedMs(this.#took(asked.created_at, last.ended_at))}` : nothing}</div>
        <div class="body" dir="auto">${repeat(entries, (entry) => entry.id, (entry) => this.#entry(entry))}</div>
        ${open ? nothing : this.#foot(last, entries)}
        ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}
      </div>
    </article>`;
  }

  /** The name that the agent had when it wrote this; while it still has it, told apart from another agent of that name. */
  #nameOf(written: string | null): string {
    const agent = house.agentOf(this.transcript.session_id);
    if (agent && (written ?? agent.name) === agent.name) return house.nameOf(agent);
    return written ?? t('Agent');
  }

  /** Without the time in which the agent waited for a person. */
  #took(from: string, to: string): number {
    const calls = this.group.entries.flatMap(callsOf).flatMap((id) => this.transcript.calls[id] ?? []);
    return Date.parse(to) - Date.parse(from) - askedMs(calls);
  }

  #entry(entry: Entry): TemplateResult {
    return html`${entry.thinking ? html`<details class="think"><summary>${entry.open && entry.pieces.length === 0 ? t('Thinking…') : t('Thinking')}</summary><div class="plain">${entry.thinking}</div></details>` : nothing}
      ${isTold(entry) ? noticeCard(entry.kind ?? '', entry.content) : this.#reply(entry)}
      ${entry.open ? this.#begunAgain(entry) : nothing}
      ${entry.open ? html`<mj-silence .said=${entry.content.length + entry.thinking.length + entry.pieces.length + entry.seq}></mj-silence>` : nothing}
      ${entry.calls.map((id) => this.#call(id))}
      ${entry.stop_reason === 'length' ? html`<p class="hint">Cut off at the length limit. ${this.#mayContinue(entry) ? html`<button class="btn" @click=${() => this.conversation.send(t('Continue'), 'queue')}>Continue</button>` : nothing}</p>` : nothing}
      ${entry.stop_reason === 'cancelled' ? html`<p class="hint">Stopped.</p>` : nothing}`;
  }

  /** Only the end of the conversation, and while no reply is running. */
  #mayContinue(entry: Entry): boolean {
    return this.transcript.entries.at(-1)?.id === entry.id && !this.conversation.active;
  }

  /** One that began again is written over what was there, which is grey for as long as it reaches further. */
  #reply(entry: Entry): TemplateResult {
    const old = entry.discarded && isStreaming() ? html`<mj-reply class="discarded" data-id=${entry.id} inert aria-hidden="true"></mj-reply>` : nothing;
    return html`<div class=${old === nothing ? '' : 'rewritten'}>${old}<mj-reply data-id=${entry.id}></mj-reply></div>`;
  }

  /** Why it is written again: the model did not answer and is asked once more, which Stop ends, or the server was restarted. */
  #begunAgain(entry: Entry): TemplateResult | typeof nothing {
    const { retrying, discarded } = entry;
    const isBlank = entry.pieces.length === 0 && !entry.thinking;
    if (!discarded && !(retrying && (isBlank || !isStreaming()))) return nothing;
    const why = retrying ? `${t('Retrying ({} of {}): the model did not answer.', retrying.attempt, retrying.of)} ${sentence(problemWords(retrying.code, retrying.why))}` : t('The server restarted. The agent writes this reply again.');
    return html`<p class="hint" role="status">${why}</p>`;
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
    const failed = isTold(last);
    const still = !this.conversation.active;
    return html`<div class="acts">
      <button class="btn ghost icon" title="Copy message" aria-label="Copy message" @click=${(event: Event) => this.#copy(event, text)}>${icon('copy', 14)}</button>
      <button class="btn ghost icon" title="Copy the conversation up to here" aria-label="Copy the conversation up to here" @click=${() => void this.#fork(last.seq)}>${icon('fork', 14)}</button>
      ${isLast && failed && still ? html`<button class="btn" @click=${() => void this.conversation.retry()}>${icon('retry', 14)} Try again</button>` : nothing}
      ${isLast && !failed && still ? html`<button class="btn ghost icon" title="Try again" aria-label="Try again" @click=${() => void this.#again(last)}>${icon('retry', 14)}</button>` : nothing}
      ${isLast && still ? this.#models(t('Answer with another model'), t('Try again with…'), (model, select) => {
        select.value = '';
        if (model) void this.#again(last, model);
      }) : nothing}
      ${last.model ? html`<span class="hint wrote" title=${t('The model that wrote this reply')}>${last.model}</span>` : nothing}
      ${tokens > 0 ? html`<span class="hint">${t('{} tokens', short(tokens))} · ${money(cost)}</span>` : nothing}
    </div>`;
  }

  /** A model to choose; empty for a person who may not, or where there is only one. */
  #models(label: string, first: string, choose: (model: string, select: HTMLSelectElement) => void, chosen: string | null = null): TemplateResult | typeof nothing {
    if (!mayChoose(house.agentOf(this.transcript.session_id)) || house.models.length < 2) return nothing;
    const change = (event: Event) => {
      const select = event.currentTarget as HTMLSelectElement;
      const take = (model: string) => ((select.value = model), choose(model, select));
      if (select.value !== SEARCH) return take(select.value);
      select.value = chosen ?? '';
      void searchModels(take);
    };
    return html`<select class="models" aria-label=${label} @change=${change}>
      <option value="">${first}</option>${searchOption()}${house.models.map((model) => html`<option value=${model.id} ?selected=${model.id === chosen}>${model.id} · ${about(model)}</option>`)}
    </select>`;
  }

  override updated(): void {
    for (const node of this.querySelectorAll<MjReply>('mj-reply')) {
      const entry = this.group.entries.find((one) => one.id === node.dataset['id']);
      if (!entry || (entry.open && !isStreaming())) continue;
      if (!node.classList.contains('discarded')) node.show(entry, this.transcript);
      else if (entry.discarded) node.show({ ...entry, ...entry.discarded, open: false }, this.transcript);
    }
  }

  /** A long press on its words selects them, as everywhere; beside them it opens what can be done with the message. */
  #pressed = (event: Event): void => {
    const actions = this.querySelector('.msg > div > .acts');
    if (!actions || (event.target as Element).closest('.body, .told, .hint, a, button')) return;
    event.preventDefault();
    openSheet(actions);
  };

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
      if (this.isConnected) go(session.id);
    });
  }

  #edit(entry: Entry): void {
    this.editing = entry.content;
    // A long text that is trusted was typed; of any other that is not known.
    const typed = entry.content.length > TYPED_CHARS && !entry.untrusted;
    const draft = this.#draft;
    draft.untyped = typed ? new Untyped(entry.content, 0) : new Untyped(entry.content);
    draft.write(entry.content);
    draft.model = null;
    void this.updateComplete.then(() => {
      const field = this.querySelector<HTMLTextAreaElement>('.edit textarea');
      field?.focus();
      field?.setSelectionRange(field.value.length, field.value.length);
    });
  }

  #editor(entry: Entry): TemplateResult {
    const send = (event?: Event) => {
      event?.preventDefault();
      const content = (this.editing ?? '').trim();
      if (content) void this.#version(entry.seq, content, this.#draft.model ?? '');
    };
    const input = (event: Event) => {
      this.editing = (event.currentTarget as HTMLTextAreaElement).value;
      this.#draft.write(this.editing, (event as InputEvent).inputType);
    };
    const key = (event: KeyboardEvent) => {
      if (event.isComposing) return;
      if (event.key === 'Enter' && !event.shiftKey && hasMouse()) send(event);
      else if (event.key === 'Escape') {
        // It ends the editing, and not the reply that may be running.
        event.stopPropagation();
        this.#endEdit();
      }
    };
    return html`<form class="edit" @submit=${send}>
      <textarea class="input" rows="3" aria-label="Edit your message" .value=${this.editing ?? ''} ?readonly=${this.busy} @input=${input} @keydown=${key}></textarea>
      <div class="row"><span class="hint">The conversation goes on from here. The earlier version is kept.</span><span class="row push">${this.#models(t('Model'), t('Model of this conversation'), (model) => (this.#draft.model = model), this.#draft.model)}<button class="btn ghost" type="button" @click=${() => this.#endEdit()}>Cancel</button><button class="btn primary" ?disabled=${this.busy}>${this.busy ? t('Sending…') : t('Send')}</button></span></div>
    </form>`;
  }

  /** The same words again, for another answer in their place. */
  async #again(last: Entry, model = ''): Promise<void> {
    const asked = this.transcript.entries.find((entry) => entry.role === 'user' && entry.turn_id === last.turn_id);
    if (asked) await this.#version(asked.seq, null, model);
  }

  /** Goes on in another version of the conversation from that message on; what was there is kept. */
  async #version(seq: number, content: string | null, model: string): Promise<void> {
    await this.#attempt(async () => {
      const { session } = await api.createVersion(this.transcript.session_id, { seq, ...(content !== null && { content, typed: this.#draft.untyped.typed }), ...(model && { model }) }, crypto.randomUUID());
      if (content !== null) this.#endEdit();
      this.#goTo(session);
    });
  }

  /** A conversation to try an agent is in no list and no tab: what shows it goes there. */
  #goTo(version: Session): void {
    if (version.hidden) this.dispatchEvent(new CustomEvent('version', { detail: version, bubbles: true }));
    else house.replaceTab(this.transcript.session_id, version);
  }

  /** ‹ 2/3 › where there are others in the place of this message. */
  #versions(entry: Entry): TemplateResult | typeof nothing {
    const here = this.versions.find((one) => one.seq === entry.seq);
    if (!here || here.sessions.length < 2) return nothing;
    const to = (at: number) => () =>
      void this.#attempt(async () => {
        const id = here.sessions[at];
        if (id) this.#goTo(await api.showVersion(id));
      });
    const { current, sessions } = here;
    return html`<span class="versions" role="group" aria-label="Versions of this message">
      <button class="btn ghost icon" aria-label="Earlier version" ?disabled=${current === 0} @click=${to(current - 1)}>‹</button>
      <span class="hint">${current + 1}/${sessions.length}</span>
      <button class="btn ghost icon" aria-label="Later version" ?disabled=${current === sessions.length - 1} @click=${to(current + 1)}>›</button>
    </span>`;
  }

  async #attempt(deed: () => Promise<void>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    try {
      await deed();
      this.problem = '';
    } catch (error) {
      this.problem = words(error);
    }
    this.busy = false;
  }
}

function editOf(group: Group): string {
  return `edit-${group.entries[0]!.id}`;
}

/** What this person wrote here themselves; an answer is part of another message. */
function own(entry: Entry): boolean {
  return entry.role === 'user' && !entry.author && entry.kind === null;
}

function callsOf(entry: Entry): string[] {
  const elements = Object.values(entry.elements).flatMap((element) => element.call_id ?? []);
  const pieces = entry.pieces.flatMap((piece) => (piece.type === 'call' ? piece.call_id : []));
  return [...entry.calls, ...elements, ...pieces];
}
customElements.define('mj-message', MjMessage);
