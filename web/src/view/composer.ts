import { nothing, type TemplateResult } from 'lit';
import { words } from '../api/client';
import type { QueuedAttachment } from '../api/schema';
import type { MjApproval } from '../element/approval';
import { icon } from '../element/icon';
import { LightElement } from '../element/light';
import '../element/model/model-menu';
import '../element/said';
import type { Conversation } from '../store/conversation';
import { gistOf } from '../store/gist';
import { house } from '../store/house';
import { stepping } from '../store/place';
import { hasMouse } from '../store/theme';
import type { Approval } from '../store/transcript';
import { bare, shownAs, waits, type Waits } from '../store/waits';
import type { Answers } from '../stream/frames';
import { attach, describe, isPending, sayWhose, together, uploadProblem, type Attached } from './attach';
import { commandName, isPrompt, obey, sendPrompt } from './commands';
import { Completion } from './completion';
import { arrived, draftOf, type Draft } from './draft';
import { html, t } from '../words/words';

/** Where words, pictures and commands are written. */
export class MjComposer extends LightElement {
  static override properties = {
    session: { type: String },
    conversation: { attribute: false },
    problem: { state: true },
    told: { state: true },
    dropping: { state: true },
    unsure: { state: true },
  };
  declare session: string;
  declare conversation: Conversation;
  declare problem: string;
  /** What a command had to say, in Markdown. */
  declare told: string;
  declare dropping: boolean;
  /** Words that were not sent, because it is not clear what they are meant for. */
  declare unsure: { open: Waits; content: string; attached: QueuedAttachment[] } | null;
  #draft: Draft = draftOf('');
  /** The words that the field is as high as. */
  #grown = '';
  /** What was shown when the person began to write. */
  #shown: string | null = null;
  readonly #completion = new Completion(
    (line) => {
      this.#draft.write(line);
      this.#field?.focus();
    },
    () => this.requestUpdate(),
  );

  constructor() {
    super();
    Object.assign(this, { session: '', problem: '', told: '', dropping: false, unsure: null });
  }

  /** A file may be dropped anywhere: unless it is stopped, the browser leaves the page to show it. */
  override connectedCallback(): void {
    super.connectedCallback();
    this.follow(house);
    this.follow(this.#draft);
    window.addEventListener('dragover', this.#dragOver);
    window.addEventListener('dragleave', this.#dragLeave);
    window.addEventListener('drop', this.#drop);
    window.addEventListener('attention', this.#attention);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('dragover', this.#dragOver);
    window.removeEventListener('dragleave', this.#dragLeave);
    window.removeEventListener('drop', this.#drop);
    window.removeEventListener('attention', this.#attention);
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('session')) {
      this.unfollow(this.#draft);
      this.#draft = draftOf(this.session);
      this.follow(this.#draft);
      Object.assign(this, { problem: '', told: '', unsure: null });
      this.#shown = null;
    }
    if (changed.has('conversation')) {
      const before = changed.get('conversation') as Conversation | undefined;
      if (before) this.unfollow(before);
      this.follow(this.conversation);
    }
  }

  override updated(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('session') && hasMouse() && !stepping.on) this.#field?.focus();
    if (this.#grown !== this.#draft.text) this.#grow();
  }

  get #field(): HTMLTextAreaElement | null {
    return this.querySelector('textarea');
  }

  override render() {
    const answering = house.agentOf(this.session);
    const agent = answering ? house.nameOf(answering) : t('the agent');
    const { text, uploads } = this.#draft;
    const active = this.#completion.active(text);
    const uploading = uploads.some(isPending);
    return html`<form class="compose" @submit=${this.#submit}>
      ${this.#completion.render(text)} ${this.told ? this.#answer() : nothing}
      <div class="boxed ${this.dropping ? 'dropping' : ''}">
        ${uploads.length > 0 ? html`<ul class="uploads">${uploads.map((upload, at) => html`<li class="chip ${isPending(upload) ? 'pending' : ''}">${upload.name}${isPending(upload) ? ' …' : upload.kind === 'file' ? html` <span class="hint">${describe(upload)}</span>` : nothing} <button type="button" class="x" aria-label=${t('Remove {}', upload.name)} @click=${() => this.#remove(upload, at)}>${icon('x', 11)}</button></li>`)}</ul>` : nothing}${this.#whose()}
        <textarea rows="2" placeholder=${t('Write to {}. Type / for commands.', agent)} aria-label="Message" .value=${text} @input=${this.#input} @keydown=${this.#key} @paste=${this.#paste} @focus=${this.#completion.show} @blur=${this.#completion.hide} aria-autocomplete="list" aria-controls=${active ? 'completion' : nothing} aria-activedescendant=${active ?? nothing}></textarea>
        ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing} ${this.#ask()}
        <div class="row">
          <label class="btn ghost icon" title="Attach files"><input class="unseen" type="file" multiple aria-label="Attach files" @change=${this.#attach} />${icon('clip')}</label>
          <mj-model-menu .session=${this.session} .agent=${house.agentOf(this.session)} .draft=${this.#draft} .chosen=${this.#draft.model}></mj-model-menu>
          <span class="hint">${this.#becomes()}</span>
          <span class="row push"><span class="hint" role="status">${uploading ? t('Uploading…') : nothing}</span>
            <button class="btn stop" type="button" ?disabled=${!this.conversation?.active} @click=${() => this.conversation.stop()}>Stop</button>
            <button class="btn primary" ?disabled=${uploading}>Send</button>
          </span>
        </div>
      </div>
    </form>`;
  }

  /** Asked where it makes a difference: who wrote what is added decides whether an agent may act on it unasked. */
  #whose(): TemplateResult | typeof nothing {
    if (this.#draft.uploads.length === 0 && this.#draft.untyped.typed) return nothing;
    const own = house.sessions.find(this.session)?.own_files ?? false;
    return html`<label class="hint"><input type="checkbox" .checked=${own} @change=${this.#sayWhose} /> I wrote the files and long texts of this conversation myself. Otherwise the agent asks you before it sends anything out.</label>`;
  }

  #sayWhose = (event: Event): void => {
    const box = event.currentTarget as HTMLInputElement;
    const { session } = this;
    sayWhose(session, box.checked, this.#draft.uploads).catch((error: unknown) => {
      box.checked = !box.checked;
      if (this.session === session) this.problem = words(error);
    });
  };

  /** What becomes of the words when they are sent. What waits for its person comes first: Enter is for that, whatever else is running. */
  #becomes(): TemplateResult | string | typeof nothing {
    const purpose = this.#purpose();
    if (!this.conversation?.working) return purpose;
    if (hasMouse()) return html`${purpose ? html`${purpose} · ` : html`<b>Enter</b>: queue it · `}<b>Tab</b>: tell it now`;
    const now = this.#draft.text.trim() ? html`<button class="btn ghost" type="button" @click=${() => void this.#send('steer')}>Tell it now</button>` : nothing;
    return purpose ? html`<span>${purpose}</span> ${now}` : now;
  }

  /** What words are meant for that are written now. */
  #purpose(): string {
    const open = this.conversation ? waits(this.conversation.transcript) : null;
    if (!open) return '';
    if ('question' in open) return t('Your message will answer “{}”', gistOf(open.question.question));
    const [approval] = open.approvals;
    if (!approval) return '';
    const next = this.#readable(open.approvals);
    if (!next) return t('Read the whole request. Then type y to approve it once, or n to deny it.');
    if (open.approvals.length === 1) return t('Type y to approve {} once, or n to deny it', approval.tool);
    return t('{} requests need your approval. Type y or n to be asked about {}.', open.approvals.length, next.tool);
  }

  /** Whether words that were not sent are an answer, a reason to deny, or a message for later. */
  #ask(): TemplateResult | typeof nothing {
    if (!this.unsure) return nothing;
    const { open } = this.unsure;
    return html`<section class="unsure" role="alert">
      <p>${'question' in open ? t('The agent asks: “{}”', gistOf(open.question.question)) : t('The agent asks for your approval.')} Your message was not sent yet.</p>
      <div class="row">
        ${'question' in open
          ? html`<button class="btn" type="button" @click=${() => this.#settle({ question_id: open.question.id })}>Send it as the answer</button>`
          : this.#answers(open.approvals)}
        <button class="btn" type="button" @click=${() => this.#settle(null)}>Queue it as a message</button>
        <button class="btn ghost" type="button" @click=${() => (this.unsure = null)}>Keep editing</button>
      </div>
    </section>`;
  }

  /** What the words can be to what waits: a bare yes or no is offered for the oldest request that was read. */
  #answers(shown: Approval[]): TemplateResult | TemplateResult[] | typeof nothing {
    const pending = this.conversation.transcript.approvals.filter((one) => one.status === 'pending' && shown.some((other) => other.id === one.id));
    const decision = this.unsure && this.unsure.attached.length === 0 ? bare(this.unsure.content) : null;
    if (!decision) return pending.map((approval) => html`<button class="btn" type="button" @click=${() => this.#settle({ approval_id: approval.id })}>${t('Deny {} with this reason', approval.tool)}</button>`);
    const next = this.#readable(pending);
    if (!next) return html`<span class="hint">Read the whole request first.</span>`;
    return html`<button class="btn" type="button" @click=${() => void this.#decide(next, decision)}>${t(decision === 'approve' ? 'Approve {} once' : 'Deny {}', next.tool)}</button>`;
  }

  /** The oldest that its person can have read: it was in view, and a second has passed. */
  #readable(approvals: Approval[]): Approval | undefined {
    return approvals.find((one) => this.#card(one)?.awake);
  }

  #card(approval: Approval): MjApproval | undefined {
    const cards = this.closest('mj-conversation')?.querySelectorAll<MjApproval>('mj-approval') ?? [];
    return [...cards].find((card) => card.approval.id === approval.id);
  }

  #attention = (): void => this.requestUpdate();

  /** As its own buttons do: the card says what went wrong, and the others are deaf for a second. */
  async #decide(approval: Approval, decision: 'approve' | 'deny'): Promise<void> {
    const card = this.#card(approval);
    if (!card?.awake) return;
    this.unsure = null;
    this.#shown = null;
    this.#draft.clear();
    await card.decide(decision);
  }

  #settle(answers: Answers | null): void {
    if (!this.unsure) return;
    const { content, attached } = this.unsure;
    this.#sent(content, 'queue', attached, answers);
  }

  #sent(content: string, mode: 'queue' | 'steer', attached: QueuedAttachment[], answers: Answers | null = null): void {
    this.conversation.send(content, mode, attached, answers, this.#draft.untyped.typed, this.#model());
    this.#done();
  }

  /** The model that was chosen for this message alone. */
  #model(): string | null {
    const { model } = this.#draft;
    this.#draft.model = null;
    return model;
  }

  #done(): void {
    this.unsure = null;
    this.#shown = null;
    this.#draft.clear();
  }

  /** Words answer what was shown when they were begun, by its name. What came up since is asked about. */
  #reply(open: Waits, content: string, attached: QueuedAttachment[]): void {
    const wasShown = this.#shown === shownAs(open);
    if (wasShown && 'question' in open) return this.#sent(content, 'queue', attached, { question_id: open.question.id });
    const [approval, ...more] = 'approvals' in open ? open.approvals : [];
    const decision = attached.length === 0 ? bare(content) : null;
    // A yes to what cannot have been read is no yes.
    if (wasShown && approval && decision && more.length === 0 && this.#card(approval)?.awake) void this.#decide(approval, decision);
    else this.unsure = { open, content, attached };
  }

  #answer(): TemplateResult {
    return html`<section class="card help" aria-label="Result of the command"><header>Command <button class="btn ghost icon push" type="button" aria-label="Close" @click=${() => (this.told = '')}>${icon('x', 13)}</button></header><mj-said class="in said" .text=${this.told}></mj-said></section>`;
  }

  #input = (event: Event): void => {
    if (this.#draft.free) this.#shown = shownAs(waits(this.conversation.transcript));
    this.#completion.begin();
    this.problem = '';
    this.unsure = null;
    this.#draft.write((event.currentTarget as HTMLTextAreaElement).value, (event as InputEvent).inputType);
  };

  #key = (event: KeyboardEvent): void => {
    if (event.isComposing || this.#completion.key(event, this.#draft.text)) return;
    // On a telephone Enter begins a line, and the button sends.
    if (event.key === 'Enter' && !event.shiftKey && hasMouse()) {
      event.preventDefault();
      void this.#send('queue');
    } else if (event.key === 'Tab' && !event.shiftKey && this.conversation.working && this.#draft.text.trim()) {
      event.preventDefault();
      void this.#send('steer');
    } else if (event.key === 'Escape' && !this.conversation.active) {
      this.told = '';
      this.#field?.blur();
    }
  };

  #submit = (event: Event): void => {
    event.preventDefault();
    void this.#send('queue');
  };

  async #send(mode: 'queue' | 'steer'): Promise<void> {
    const text = this.#draft.text.trim();
    const { uploads } = this.#draft;
    if (commandName(text)) return this.#command(text);
    if (uploads.some(isPending)) return;
    if (!text && !uploads.some((upload) => upload.kind === 'file')) {
      if (uploads.length > 0) this.problem = t('Write a message to send with the picture.');
      return;
    }
    const { content, attached } = together(text, uploads);
    const open = mode === 'queue' ? waits(this.conversation.transcript) : null;
    if (open) this.#reply(open, content, attached);
    else this.#sent(content, mode, attached);
  }

  /** A prompt of one's own takes the files along; with every other command they stay where they are. */
  async #command(text: string): Promise<void> {
    const { session } = this;
    const draft = this.#draft;
    if (draft.busy) return;
    draft.busy = true;
    try {
      let told = '';
      if (await isPrompt(text)) {
        const { uploads } = draft;
        if (uploads.some(isPending)) return;
        const { content, attached } = together(text, uploads);
        await sendPrompt(content, session, attached.map((one) => one.upload_id), this.#model());
        draft.sent(text, uploads);
      } else {
        told = await obey(text, this.conversation);
        draft.sent(text);
      }
      // A command may have led elsewhere.
      if (this.session === session) this.told = told;
    } catch (error) {
      if (this.session === session) this.problem = words(error);
      else house.complain(words(error));
    } finally {
      draft.busy = false;
    }
  }

  #attach = (event: Event): void => {
    const input = event.currentTarget as HTMLInputElement;
    this.#take([...(input.files ?? [])]);
    input.value = '';
  };

  #paste = (event: ClipboardEvent): void => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    this.#take(files);
  };

  #dragOver = (event: DragEvent): void => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    this.dropping = true;
  };

  #dragLeave = (event: DragEvent): void => {
    if (!event.relatedTarget) this.dropping = false;
  };

  #drop = (event: DragEvent): void => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    this.dropping = false;
    this.#take([...event.dataTransfer.files]);
  };

  /** They are of this conversation, whichever is shown when they have arrived. */
  #take(files: File[]): void {
    const { session } = this;
    const draft = this.#draft;
    // What to do with them is said next.
    if (hasMouse()) this.#field?.focus();
    for (const file of files) {
      const stop = new AbortController();
      const waiting: Attached = { kind: 'pending', name: file.name, stop };
      draft.uploads = [...draft.uploads, waiting];
      attach(session, file, house.agentOf(session), stop.signal).then(
        (attached) => arrived(waiting, session, attached),
        (error: unknown) => {
          if (!arrived(waiting, session, null)) return;
          if (this.session === session) this.problem = uploadProblem(file, error);
          else house.complain(uploadProblem(file, error));
        },
      );
    }
  }

  #remove(upload: Attached, at: number): void {
    this.#draft.uploads = this.#draft.uploads.toSpliced(at, 1);
    if (upload.kind === 'pending') upload.stop?.abort();
  }

  /** As high as its words, up to a third of the window. */
  #grow(): void {
    const field = this.#field;
    if (!field) return;
    this.#grown = this.#draft.text;
    field.style.height = 'auto';
    field.style.height = `${Math.min(field.scrollHeight, window.innerHeight / 3)}px`;
  }
}
customElements.define('mj-composer', MjComposer);
