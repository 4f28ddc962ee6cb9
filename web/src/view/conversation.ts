import { nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { repeat } from 'lit/directives/repeat.js';
import { words } from '../api/client';
import type { QueuedAttachment, Session } from '../api/schema';
import { icon } from '../element/icon';
import { LightElement } from '../element/light';
import { money, short } from '../element/time';
import type { Conversation } from '../store/conversation';
import { groups, type Group } from '../store/group';
import { house } from '../store/house';
import { link, soughtIn, type Sought } from '../store/place';
import { hasMouse } from '../store/theme';
import type { Outgoing } from '../store/transcript';
import { Reach } from './reach';
import '../element/approval';
import { REMEMBERS } from '../element/call';
import '../element/label';
import type { MjReply } from '../element/reply';
import { mark, rangesOf, unfold, unmark } from '../element/search-highlight';
import { loadReader } from '../markdown/load';
import { takenBack } from './attach';
import { draftOf } from './draft';
import { html, t } from '../words/words';
import './composer';
import type { MjMessage } from './message';
import './conversation-menu';
import './message';
import './try';

/** How near the end is still the end. */
const NEAR = 48;
/** A reply that is drawn later than this is not searched any more. */
const STILL_DRAWN = 5_000;

/** One conversation: its head, what was said, and where to write. */
export class MjConversation extends LightElement {
  static override properties = { session: { type: String }, at: { type: String }, away: { state: true } };
  declare session: string;
  /** `m12`: the message to open at. */
  declare at: string;
  /** The reader is not at the end. */
  declare away: boolean;
  #conversation: Conversation | null = null;
  #reach = new Reach();
  #atEnd = true;
  /** Where the reader was last. */
  #top = 0;
  /** Up to here it had been read when it was opened. */
  #readTo = Infinity;
  /** Up to here it was at the end of the window, in sight. */
  #seenTo = 0;
  /** The requests whose beginning was shown. */
  readonly #begun = new WeakSet<Element>();
  /** Of this one it was asked what it is, if need be. */
  #known = '';
  #watch: ResizeObserver | null = null;
  #anchor: { node: Element; top: number } | null = null;

  /** What was searched for, until it was shown. */
  #wanted: (Sought & { in: string }) | null = null;
  /** Looks for the words while a reply is still being drawn. */
  #looking: MutationObserver | null = null;

  constructor() {
    super();
    this.at = '';
    this.away = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow(house);
    this.follow(house.sessions);
    document.addEventListener('visibilitychange', this.#turned);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('visibilitychange', this.#turned);
    this.#watch?.disconnect();
    this.#watch = null;
    this.#looking?.disconnect();
    unmark();
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('session')) this.#open();
    if (changed.has('session') || changed.has('at')) this.#want();
    if (house.sessions.loaded && this.#known !== this.session) {
      this.#known = this.session;
      void house.sessions.know(this.session);
    }
    const session = house.sessions.find(this.session);
    if (session) this.#conversation?.know(session);
    const scroll = this.#scroll;
    const first = scroll?.querySelector('mj-message');
    this.#anchor = first && !this.#atEnd ? { node: first, top: first.getBoundingClientRect().top } : null;
  }

  #open(): void {
    if (this.#conversation) this.unfollow(this.#conversation);
    this.#conversation = house.conversation(this.session);
    this.follow(this.#conversation);
    this.#reach = new Reach();
    this.#atEnd = true;
    this.#top = 0;
    this.away = false;
    this.#readTo = Infinity;
    this.#seenTo = 0;
  }

  #want(): void {
    const sought = soughtIn(this.at);
    this.#wanted = sought && { ...sought, in: this.session };
    this.#looking?.disconnect();
    unmark();
    if (this.#wanted) this.#atEnd = false;
  }

  /** Goes to the message that was searched for, once it is here. */
  async #jump(conversation: Conversation): Promise<void> {
    const wanted = this.#wanted;
    if (!wanted || wanted.in !== this.session || !conversation.transcript.loaded) return;
    this.#wanted = null;
    this.#atEnd = false;
    void house.showVersion(this.session).catch((error: unknown) => house.complain(words(error)));
    if (!(await conversation.loadBackTo(wanted.seq)) || this.#conversation !== conversation) return;
    const all = groups(conversation.transcript.entries);
    const at = all.findIndex((group) => (group.entries.at(-1)?.seq ?? 0) >= wanted.seq);
    if (at < 0) return;
    this.#reach.around(all, at);
    this.#anchor = null;
    this.away = true;
    this.requestUpdate();
    await this.updateComplete;
    const node = [...this.querySelectorAll<MjMessage>('mj-message')].find((one) => one.group.key === all[at]?.key);
    if (!node) return;
    await node.updateComplete;
    node.scrollIntoView({ block: 'center' });
    this.#top = this.#scroll?.scrollTop ?? 0;
    this.querySelector('.sought')?.classList.remove('sought');
    node.classList.add('sought');
    this.#find(node, wanted);
  }

  /** Marks the words and goes to the first of them; a reply may still be on its way to the page. */
  #find(node: MjMessage, { seq, search }: Sought): void {
    const entry = node.group.entries.find((one) => one.seq === seq);
    const reply = entry && node.querySelector<MjReply>(`mj-reply[data-id="${entry.id}"]`);
    const look = (): boolean => {
      reply?.wholly();
      const ranges = rangesOf(reply ?? node.querySelector('.body') ?? node, search);
      if (!ranges[0]) return false;
      mark(ranges);
      unfold(ranges[0]);
      this.#center(ranges[0]);
      return true;
    };
    if (look()) return;
    const looking = new MutationObserver(() => look() && looking.disconnect());
    looking.observe(node, { childList: true, subtree: true, characterData: true });
    this.#looking = looking;
    window.setTimeout(() => looking.disconnect(), STILL_DRAWN);
  }

  #center(range: Range): void {
    const scroll = this.#scroll;
    if (!scroll) return;
    const [word, box] = [range.getBoundingClientRect(), scroll.getBoundingClientRect()];
    scroll.scrollTop += word.top + word.height / 2 - (box.top + box.height / 2);
    this.#top = scroll.scrollTop;
  }

  /** All of it on paper, or in a PDF: the browser prints what is on the page. */
  print = async (): Promise<void> => {
    const conversation = this.#conversation;
    if (!conversation) return;
    await conversation.loadBackTo(0);
    if (this.#conversation !== conversation) return;
    if (conversation.transcript.more) {
      house.complain(t('Nothing was printed, because the earlier messages could not be loaded. Check that you are online, and print again.'));
      return;
    }
    const before = this.#reach;
    this.#reach = new Reach();
    this.#reach.everything(groups(conversation.transcript.entries));
    this.requestUpdate();
    await this.updateComplete;
    await Promise.all([...this.querySelectorAll<MjMessage>('mj-message')].map((one) => one.updateComplete));
    await loadReader().catch(() => undefined);
    for (const reply of this.querySelectorAll<MjReply>('mj-reply')) reply.wholly();
    const pictures = [...this.querySelectorAll<HTMLImageElement>('.scroll img')];
    await Promise.all(pictures.map((one) => ((one.loading = 'eager'), one.decode().catch(() => undefined))));
    // Some browsers go on at once, and print later what is there then.
    const printed = () => {
      if (this.#conversation === conversation) this.#reach = before;
      this.requestUpdate();
    };
    window.addEventListener('afterprint', printed, { once: true });
    window.print();
  };

  get #scroll(): HTMLElement | null {
    return this.querySelector('.scroll');
  }

  override render() {
    const conversation = this.#conversation;
    const session = house.sessions.find(this.session);
    if (!conversation) return nothing;
    if (conversation.problem && !conversation.transcript.loaded) return html`<div class="page"><p class="told" role="alert">${conversation.problem}</p></div>`;
    if (session && this.#readTo === Infinity && conversation.transcript.loaded) this.#readTo = session.read_seq;
    return html`${this.#head(conversation, session)}
      <div class="scroll" tabindex="0" role="log" aria-label="Conversation" aria-live="off" @scroll=${this.#scrolled}>
        <div class="col">${this.#body(conversation)}</div>
      </div>
      <div class="unseen" role="status" aria-live="polite">${this.#announce(conversation)}</div>
      ${this.away ? html`<div class="jumps"><button class="btn jump" @click=${this.#toEnd}>${icon('down', 14)} ${session && this.#hasNews(conversation) ? t('New messages below') : t('Go to the end')}</button></div>` : nothing}
      ${this.#closed(session)} ${house.sessions.gone.has(this.session) ? nothing : html`<mj-composer .conversation=${conversation} .session=${this.session}></mj-composer>`}`;
  }

  /** Nothing can be said here, at least for now; it may have been put away in another window. */
  #closed(session: Session | undefined): TemplateResult | typeof nothing {
    if (house.sessions.gone.has(this.session)) return html`<p class="closed" role="status">This conversation was deleted.</p>`;
    if (!session?.archived) return nothing;
    const restore = () => void house.sessions.unarchive(session.id).catch((error: unknown) => house.complain(words(error)));
    return html`<p class="closed" role="status">This conversation is archived. <button class="btn" @click=${restore}>Restore</button></p>`;
  }

  #head(conversation: Conversation, session: Session | undefined): TemplateResult {
    const agent = house.agentOf(this.session);
    const named = session?.model ?? agent?.model;
    const model = house.models.find((one) => (named ? one.id === named : one.default));
    const used = conversation.transcript.turn?.usage.input_tokens ?? 0;
    return html`<header class="head">
      <h1>${house.headOf(session)}</h1>
      ${session?.parent_id ? html`<a class="chip" title="Open the conversation this one was copied from" href=${link(session.parent_id)} data-place=${session.parent_id}>${icon('fork', 12)} copy</a>` : nothing}
      ${agent ? html`<span class="chip">${house.nameOf(agent)}</span>` : nothing}
      <span class="chip">${named ?? model?.id ?? t('Default model')}${model ? html` <span class="used">${fresh(`${short(used)} / ${short(model.window)}`)}</span>` : nothing}</span>
      ${session?.memory === false ? html`<span class="chip" title="The agent is told nothing of what it remembers of you here, and writes nothing down.">without memory</span>` : nothing}
      ${this.#state(session)}
      <mj-label .session=${session} .seq=${conversation.transcript.last_seq}></mj-label>
      <span class="hint push">${fresh((session ? `${t('{} tokens', short(session.usage.input_tokens + session.usage.output_tokens))} · ${money(session.usage.cost_microusd)}` : '') + this.#today())}</span>
      ${session ? html`<mj-conversation-menu .session=${session} .print=${this.print}></mj-conversation-menu>` : nothing}
    </header>`;
  }

  /** What was spent today of what may be. */
  #today(): string {
    const { budget } = house;
    return budget?.per_day_microusd ? ` · ${t('{} of {} today', money(budget.spent_microusd), money(budget.per_day_microusd))}` : '';
  }

  #state(session: Session | undefined): TemplateResult | typeof nothing {
    switch (session?.status) {
      case 'working':
        return html`<span class="chip ok">working</span>`;
      case 'input_required':
        return html`<span class="chip warn">needs your answer</span>`;
      case 'failed':
        return html`<span class="chip bad">failed</span>`;
      default:
        return nothing;
    }
  }

  #body(conversation: Conversation): TemplateResult {
    const { transcript } = conversation;
    if (!transcript.loaded) return html`<p class="empty">…</p>${this.#end(conversation)}`;
    const all = groups(transcript.entries);
    if (all.length === 0 && transcript.outgoing.length === 0) return html`<mj-try .session=${this.session}></mj-try>`;
    const { shown, before, after } = this.#reach.of(all);
    const waits = transcript.approvals.filter((approval) => approval.status === 'pending');
    return html`
      ${before || transcript.more ? html`<button class="btn ghost earlier" @click=${this.#earlier}>${conversation.loadingOlder ? t('Loading…') : t('Show earlier messages')}</button>` : nothing}
      ${repeat(shown, (group) => group.key, (group) => html`${this.#marker(group, all)}<mj-message .group=${group} .transcript=${transcript} .conversation=${conversation} .versions=${conversation.versions}></mj-message>`)}
      ${after ? html`<button class="btn ghost later" @click=${this.#later}>Show later messages</button>` : this.#end(conversation)}
      ${after ? nothing : repeat(waits, (approval) => approval.id, (approval) => html`<mj-approval .approval=${approval}></mj-approval>`)}
      ${after ? nothing : this.#proposed(conversation)}`;
  }

  /** What an agent wrote down here may wait for its person. */
  #proposed({ transcript }: Conversation): TemplateResult | typeof nothing {
    const wrote = Object.values(transcript.calls).filter((call) => call.name === REMEMBERS && call.status === 'ok');
    if (wrote.length === 0) return nothing;
    void import('../element/knowledge/proposed');
    return html`<mj-proposed .session=${this.session} .calls=${wrote.length}></mj-proposed>`;
  }

  #end(conversation: Conversation): TemplateResult {
    const { transcript } = conversation;
    const mine = new Set(transcript.outgoing.map((out) => out.turn_id));
    const steered = transcript.outgoing.filter((out) => out.mode === 'steer').map((out) => out.content);
    // What was sent from here is shown already: a turn has one message that waits for it, and as many that join it as were sent.
    const others = conversation.queue.filter((one) => (one.mode === 'steer' ? !steered.includes(one.content) : !mine.has(one.turn_id)));
    const listed = new Set(conversation.queue.map((one) => one.turn_id));
    const elsewhere = transcript.waiting.filter((turn) => !mine.has(turn) && !listed.has(turn)).length;
    return html`${transcript.outgoing.map(
      (out) => html`<article class="msg user outgoing"><div class="ava">${house.me?.name.slice(0, 1).toUpperCase()}</div><div>
        <div class="meta"><b>You</b> <span class="chip ${out.problem ? 'bad' : ''}">${out.problem ? t('not sent') : out.turn_id ? (out.mode === 'steer' ? t('will be used in the next step') : t('queued')) : t('sending')}</span></div>
        <div class="body plain">${out.content}</div>
        ${attachedNames(out.attached)}
        ${out.turn_id && out.mode === 'queue' && !out.problem ? this.#queued(conversation, out.turn_id) : nothing}
        ${out.problem ? html`<p class="told" role="alert">${out.problem} <button class="btn ghost" @click=${() => this.#takeBack(conversation, out)}>Edit message</button><button class="btn ghost" @click=${() => conversation.forget(out.key)}>Delete unsent message</button></p>` : nothing}
      </div></article>`,
    )}
    ${others.map((one) => html`<article class="msg user outgoing"><div class="ava">${house.me?.name.slice(0, 1).toUpperCase()}</div><div>
        <div class="meta"><b>You</b> <span class="chip">${one.mode === 'steer' ? t('will be used in the next step') : t('queued')}</span></div>
        <div class="body plain">${one.content}</div>
        ${attachedNames(one.attachments)}
        ${one.mode === 'steer' ? nothing : this.#queued(conversation, one.turn_id)}
      </div></article>`)}
    ${elsewhere > 0 ? html`<p class="hint">${t(elsewhere === 1 ? '{} more message is queued. It was sent by another agent or a bridge.' : '{} more messages are queued. They were sent by other agents or bridges.', elsewhere)}</p>` : nothing}
    ${conversation.problem ? html`<p class="told" role="alert">${conversation.problem}</p>` : nothing}`;
  }

  /** A message that waits can be changed or taken out, as long as the agent has not begun with it. */
  #queued(conversation: Conversation, turn: string): TemplateResult {
    const back = (edit: boolean) => {
      if (edit && !isFree(conversation)) return;
      conversation.takeBack(turn).then(
        (message) => edit && this.#rewrite(conversation, message.content, message.attachments, message.model),
        (error: unknown) => house.complain(words(error)),
      );
    };
    return html`<div class="acts"><button class="btn ghost" @click=${() => back(true)}>Edit</button><button class="btn ghost" @click=${() => back(false)}>Remove from queue</button></div>`;
  }

  /** Words that were refused go back to where they were written, if there is room. */
  #takeBack(conversation: Conversation, out: Outgoing): void {
    if (!isFree(conversation)) return;
    conversation.forget(out.key);
    this.#rewrite(conversation, out.content, out.attached, out.model);
  }

  /** Into the draft of the conversation that they came from, whichever is shown by now and whatever is written there. */
  #rewrite(conversation: Conversation, content: string, attached: QueuedAttachment[], model: string | null): void {
    draftOf(conversation.id).takeBack(content, takenBack(attached), model);
    if (this.session === conversation.id) this.querySelector<HTMLElement>('mj-composer textarea')?.focus();
  }

  #marker(group: Group, all: Group[]): TemplateResult | typeof nothing {
    const first = all.find((one) => one.role === 'assistant' && (one.entries.at(-1)?.seq ?? 0) > this.#readTo);
    if (first?.key !== group.key || all[0]?.key === group.key || this.#readTo === 0) return nothing;
    return html`<div class="news" role="separator"><span>New</span></div>`;
  }

  /** What arrived, once it is whole: every word while it comes would be too much to listen to. */
  #announce(conversation: Conversation): string {
    const last = conversation.transcript.entries.at(-1);
    if (!last || last.role !== 'assistant' || last.open) return conversation.working ? t('The agent is writing') : '';
    return last.pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join(' ').slice(0, 500);
  }

  #hasNews(conversation: Conversation): boolean {
    const seen = Math.max(this.#seenTo, this.#readTo === Infinity ? 0 : this.#readTo);
    return conversation.working || (conversation.transcript.entries.at(-1)?.seq ?? 0) > seen;
  }

  override updated(): void {
    const scroll = this.#scroll;
    const column = scroll?.firstElementChild;
    if (!scroll || !column) return;
    if (!this.#watch) {
      this.#watch = new ResizeObserver(() => this.#stick());
      this.#watch.observe(column);
      this.#watch.observe(scroll);
    }
    // What comes in above moves nothing of what is being read.
    if (this.#anchor?.node.isConnected) scroll.scrollTop += this.#anchor.node.getBoundingClientRect().top - this.#anchor.top;
    this.#stick();
    this.#seen();
    if (this.#conversation) void this.#jump(this.#conversation);
  }

  #stick(): void {
    const scroll = this.#scroll;
    if (!scroll || !this.#atEnd) return;
    const head = this.#newRequest(scroll);
    const isHigh = head < scroll.scrollHeight - scroll.clientHeight;
    scroll.scrollTop = isHigh ? head : scroll.scrollHeight;
    this.#top = scroll.scrollTop;
    // Its person reads on from there; its buttons count when they have been in view.
    if (isHigh) [this.#atEnd, this.away] = [false, true];
  }

  /** Where a request begins that was not shown yet. One that is higher than the view is shown from its title on, not from its foot. */
  #newRequest(scroll: HTMLElement): number {
    const cards = [...scroll.querySelectorAll('mj-approval')].filter((card) => !this.#begun.has(card) && card.querySelector('header'));
    for (const card of cards) this.#begun.add(card);
    const top = scroll.scrollTop - scroll.getBoundingClientRect().top;
    return Math.min(...cards.map((card) => card.getBoundingClientRect().top + top));
  }

  #scrolled = (): void => {
    const scroll = this.#scroll;
    if (!scroll) return;
    const left = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight;
    // Only who goes up leaves the end: what grows below a reader who is there is followed, however much it is at once.
    const up = scroll.scrollTop < this.#top - 1;
    this.#top = scroll.scrollTop;
    if (left < NEAR && !this.#reach.cutShort) this.#atEnd = true;
    else if (up || this.#reach.cutShort) this.#atEnd = false;
    if (this.away !== !this.#atEnd) this.away = !this.#atEnd;
    // Who is at the end of what is still small wants nothing earlier.
    if (scroll.scrollTop < 300 && !this.#atEnd) this.#earlier();
    else if (left < 300 && this.#reach.cutShort) this.#later();
    if (this.#atEnd) this.#seen();
  };

  #earlier = (): void => {
    const conversation = this.#conversation;
    if (!conversation) return;
    const reach = (): boolean => {
      const more = this.#reach.earlier(groups(conversation.transcript.entries));
      if (more) this.requestUpdate();
      return more;
    };
    if (!reach() && conversation.transcript.more) void conversation.loadOlder().then(reach);
  };

  #later = (): void => {
    this.#reach.later(groups(this.#conversation?.transcript.entries ?? []));
    this.requestUpdate();
  };

  #toEnd = (): void => {
    this.#reach = new Reach();
    this.#atEnd = true;
    this.away = false;
    this.requestUpdate();
    (hasMouse() ? this.querySelector('textarea') : this.#scroll)?.focus();
  };

  /** What comes while the window is hidden is marked. */
  #turned = (): void => {
    if (document.hidden && this.#atEnd) this.#readTo = this.#conversation?.transcript.last_seq ?? Infinity;
    this.#seen();
  };

  /** Read is what was at the end of a window that is in sight. */
  #seen = (): void => {
    const last = this.#conversation?.transcript.entries.findLast((entry) => !entry.open)?.seq;
    if (!last || !this.#atEnd || document.hidden) return;
    this.#seenTo = Math.max(this.#seenTo, last);
    house.sessions.read(this.session, last);
  };
}
/** False, and said so, where something is being written that would be in the way. */
function isFree(conversation: Conversation): boolean {
  const { free } = draftOf(conversation.id);
  if (!free) house.complain(t('Send or delete what you are writing first.'));
  return free;
}

function attachedNames(attached: QueuedAttachment[]): TemplateResult | typeof nothing {
  if (attached.length === 0) return nothing;
  return html`<ul class="uploads">${attached.map((one) => html`<li class="chip">${one.name || t('Picture')}</li>`)}</ul>`;
}

/** Words at the right that change are new words, not words that moved. */
function fresh(text: string): unknown {
  return keyed(text, html`<span>${text}</span>`);
}
customElements.define('mj-conversation', MjConversation);
