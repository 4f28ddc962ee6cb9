import { nothing, type TemplateResult } from 'lit';
import { words } from '../api/client';
import { api } from '../api/routes';
import type { CommandHelp } from '../api/schema';
import { icon } from '../element/icon';
import { LightElement } from '../element/light';
import '../element/model-menu';
import '../element/said';
import type { MjModelMenu } from '../element/model-menu';
import type { Conversation } from '../store/conversation';
import { gistOf } from '../store/gist';
import { house } from '../store/house';
import { keep, kept } from '../store/kept';
import { hasMouse } from '../store/theme';
import { bare, shownAs, waits, type Waits } from '../store/waits';
import type { Answers } from '../stream/frames';
import { attach, describe, sayWhose, together, TYPED_CHARS, uploadProblem, type Attached } from './attach';
import { commandName, obey } from './commands';
import { html, t } from '../words/words';

/** Where words, pictures and commands are written. */
export class MjComposer extends LightElement {
  static override properties = {
    session: { type: String },
    conversation: { attribute: false },
    text: { state: true },
    uploads: { state: true },
    problem: { state: true },
    chosen: { state: true },
    told: { state: true },
    dropping: { state: true },
    unsure: { state: true },
  };
  declare session: string;
  declare conversation: Conversation;
  declare text: string;
  declare uploads: Attached[];
  declare problem: string;
  declare chosen: number;
  /** What a command had to say, in Markdown. */
  declare told: string;
  declare dropping: boolean;
  /** Characters of the draft that were not seen being typed. */
  #pasted = 0;
  /** Words that were not sent, because it is not clear what they are meant for. */
  declare unsure: { open: Waits; content: string; pictures: string[] } | null;
  /** What was shown when the person began to write. */
  #shown: string | null = null;
  static #commands: CommandHelp[] | null = null;

  static {
    // Prompts of one's own are among the commands.
    window.addEventListener('prompts', () => (MjComposer.#commands = null));
  }


  constructor() {
    super();
    Object.assign(this, { text: '', uploads: [], problem: '', chosen: 0, told: '', dropping: false, unsure: null });
  }

  /** A file may be dropped anywhere: unless it is stopped, the browser leaves the page to show it. */
  override connectedCallback(): void {
    super.connectedCallback();
    this.follow(house);
    window.addEventListener('dragover', this.#dragOver);
    window.addEventListener('dragleave', this.#dragLeave);
    window.addEventListener('drop', this.#drop);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('dragover', this.#dragOver);
    window.removeEventListener('dragleave', this.#dragLeave);
    window.removeEventListener('drop', this.#drop);
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('session')) {
      Object.assign(this, { text: kept(`draft-${this.session}`, ''), uploads: [], problem: '', told: '', unsure: null });
      this.#shown = null;
      this.#pasted = this.text.length;
    }
    if (changed.has('conversation')) {
      const before = changed.get('conversation') as Conversation | undefined;
      if (before) this.unfollow(before);
      this.follow(this.conversation);
    }
  }

  override updated(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('session') && hasMouse()) this.#field?.focus();
    if (changed.has('text')) this.#grow();
  }

  get #field(): HTMLTextAreaElement | null {
    return this.querySelector('textarea');
  }

  override render() {
    const working = this.conversation?.working;
    const agent = house.agentOf(this.session)?.name ?? t('the agent');
    const matches = this.#matches();
    return html`<form class="compose" @submit=${this.#submit}>
      ${matches.length > 0 ? this.#completion(matches) : this.#usage()} ${this.told ? this.#answer() : nothing}
      <div class="boxed ${this.dropping ? 'dropping' : ''}">
        ${this.uploads.length > 0 ? html`<ul class="uploads">${this.uploads.map((upload, at) => html`<li class="chip">${upload.name}${upload.kind === 'pending' ? ' …' : html`${upload.kind === 'file' ? html` <span class="hint">${describe(upload)}</span>` : nothing} <button type="button" class="x" aria-label=${t('Remove {}', upload.name)} @click=${() => (this.uploads = this.uploads.toSpliced(at, 1))}>${icon('x', 11)}</button>`}</li>`)}</ul>` : nothing}${this.#whose()}
        <textarea rows="2" placeholder=${t('Write to {}. Type / for commands.', agent)} aria-label="Message" .value=${this.text} @input=${this.#input} @keydown=${this.#key} @paste=${this.#paste} aria-autocomplete="list" aria-controls=${matches.length > 0 ? 'completion' : nothing} aria-activedescendant=${matches.length > 0 ? `completion-${this.chosen}` : nothing}></textarea>
        ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing} ${this.#ask()}
        <div class="row">
          <label class="btn ghost icon" title="Attach files"><input class="unseen" type="file" multiple aria-label="Attach files" @change=${this.#attach} />${icon('clip')}</label>
          <mj-model-menu .session=${this.session} .agent=${house.agentOf(this.session)}></mj-model-menu>
          <span class="hint">${working ? (hasMouse() ? html`<b>Enter</b>: queue it · <b>Tab</b>: tell it now` : html`<button class="btn ghost" type="button" ?disabled=${!this.text.trim()} @click=${() => void this.#send('steer')}>Tell it now</button>`) : this.#purpose()}</span>
          <span class="row push">
            <button class="btn stop" type="button" ?disabled=${!working} @click=${() => this.conversation.stop()}>Stop</button>
            <button class="btn primary">Send</button>
          </span>
        </div>
      </div>
    </form>`;
  }

  /** Asked where it makes a difference: who wrote what is added decides whether an agent may act on it unasked. */
  #whose(): TemplateResult | typeof nothing {
    if (this.uploads.length === 0 && this.#pasted <= TYPED_CHARS) return nothing;
    const own = house.sessions.find(this.session)?.own_files ?? false;
    return html`<label class="hint"><input type="checkbox" .checked=${own} @change=${this.#sayWhose} /> I wrote these files and long texts myself</label>`;
  }

  #sayWhose = (event: Event): void => {
    const box = event.currentTarget as HTMLInputElement;
    const { session } = this;
    sayWhose(session, box.checked, this.uploads).catch((error: unknown) => {
      box.checked = !box.checked;
      if (this.session === session) this.problem = words(error);
    });
  };

  /** What words are meant for that are written now. */
  #purpose(): string {
    const open = this.conversation ? waits(this.conversation.transcript) : null;
    if (!open) return '';
    if ('question' in open) return t('Your message will answer “{}”', gistOf(open.question.question));
    const [approval, ...more] = open.approvals;
    return approval && more.length === 0 ? t('Type y to approve {} once, or n to deny it', approval.tool) : t('{} requests need your approval', open.approvals.length);
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
          : open.approvals.map((approval) => html`<button class="btn" type="button" @click=${() => this.#settle({ approval_id: approval.id })}>${t('Deny {} with this reason', approval.tool)}</button>`)}
        <button class="btn" type="button" @click=${() => this.#settle(null)}>Queue it as a message</button>
        <button class="btn ghost" type="button" @click=${() => (this.unsure = null)}>Keep editing</button>
      </div>
    </section>`;
  }

  #settle(answers: Answers | null): void {
    if (!this.unsure) return;
    const { content, pictures } = this.unsure;
    this.#sent(content, 'queue', pictures, answers);
  }

  #sent(content: string, mode: 'queue' | 'steer', pictures: string[], answers: Answers | null = null): void {
    const model = this.querySelector<MjModelMenu>('mj-model-menu')?.take() ?? null;
    this.conversation.send(content, mode, pictures, answers, this.#pasted <= TYPED_CHARS, model);
    this.uploads = [];
    this.unsure = null;
    this.#shown = null;
    this.#pasted = 0;
    this.#write('');
  }

  /** Words answer what was shown when they were begun, by its name. What came up since is asked about. */
  async #reply(open: Waits, content: string, pictures: string[]): Promise<void> {
    const wasShown = this.#shown === shownAs(open);
    if (wasShown && 'question' in open) return this.#sent(content, 'queue', pictures, { question_id: open.question.id });
    const [approval, ...more] = 'approvals' in open ? open.approvals : [];
    const decision = bare(content);
    if (!wasShown || !approval || !decision || more.length > 0) {
      this.unsure = { open, content, pictures };
      return;
    }
    try {
      await api.decide(approval.id, { decision, scope: 'once', digest: approval.digest });
      this.#shown = null;
      this.#write('');
    } catch (error) {
      this.problem = words(error);
    }
  }

  #completion(matches: CommandHelp[]): TemplateResult {
    return html`<ul class="completion card" id="completion" role="listbox" tabindex="0" aria-label="Commands">${matches.map(
      (command, at) => html`<li role="option" id="completion-${at}" aria-selected=${at === this.chosen} @mousedown=${(event: Event) => (event.preventDefault(), this.#complete(command))}><code>${command.usage}</code> <span class="hint">${command.description}</span></li>`,
    )}</ul>`;
  }

  /** How the command is written whose arguments are being typed. */
  #usage(): TemplateResult | typeof nothing {
    const name = /^\/(\w+)\s/.exec(this.text)?.[1];
    const command = name && this.#known().find((one) => one.name === name);
    if (!command) return nothing;
    return html`<div class="completion card in" role="note"><code>${command.usage}</code> <span class="hint">${command.description}</span></div>`;
  }

  #answer(): TemplateResult {
    return html`<section class="card help" aria-label="Result of the command"><header>Command <button class="btn ghost icon push" type="button" aria-label="Close" @click=${() => (this.told = '')}>${icon('x', 13)}</button></header><mj-said class="in said" .text=${this.told}></mj-said></section>`;
  }

  #matches(): CommandHelp[] {
    if (!/^\/\w*$/.test(this.text)) return [];
    return this.#known().filter((command) => `/${command.name}`.startsWith(this.text));
  }

  #known(): CommandHelp[] {
    if (!MjComposer.#commands) {
      MjComposer.#commands = [];
      void this.#loadCommands();
    }
    return MjComposer.#commands;
  }

  async #loadCommands(): Promise<void> {
    const help = await api.help();
    const here = { name: 'stream', usage: '/stream on|off', description: t('Show replies while they are written, or only when they are complete'), category: 'page' };
    const prompts = (help.prompts ?? []).map((prompt) => ({ ...prompt, category: 'prompts' }));
    MjComposer.#commands = [...(help.commands ?? []).filter((command) => command.name !== 'quit'), here, ...prompts];
    this.requestUpdate();
  }

  #complete(command: CommandHelp): void {
    this.#write(`/${command.name}${/\s/.test(command.usage) ? ' ' : ''}`);
    this.#field?.focus();
  }

  /** Nothing is written there that would be in the way. */
  get free(): boolean {
    return !this.text;
  }

  /** False where something is written there already, which stays. `pictures` are ids of uploads. */
  write(text: string, pictures: string[] = []): boolean {
    const { free } = this;
    if (free) {
      this.uploads = [...this.uploads, ...pictures.map((id) => ({ kind: 'picture' as const, name: t('Picture'), id }))];
      this.#write(text);
      this.#pasted = text.length;
    }
    this.#field?.focus();
    return free;
  }

  #write(text: string): void {
    this.text = text;
    keep(`draft-${this.session}`, text);
  }

  #input = (event: Event): void => {
    if (!this.text) this.#shown = shownAs(waits(this.conversation.transcript));
    this.chosen = 0;
    this.problem = '';
    this.unsure = null;
    this.#write((event.currentTarget as HTMLTextAreaElement).value);
    if (!this.text) this.#pasted = 0;
  };

  #key = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const matches = this.#matches();
    if (matches.length > 0 && this.#choose(event, matches)) return;
    // On a telephone Enter begins a line, and the button sends.
    if (event.key === 'Enter' && !event.shiftKey && hasMouse()) {
      event.preventDefault();
      void this.#send('queue');
    } else if (event.key === 'Tab' && !event.shiftKey && this.conversation.working && this.text.trim()) {
      event.preventDefault();
      void this.#send('steer');
    } else if (event.key === 'Escape' && !this.conversation.working) {
      this.told = '';
      this.#field?.blur();
    }
  };

  #choose(event: KeyboardEvent, matches: CommandHelp[]): boolean {
    const chosen = matches[this.chosen];
    if (event.key === 'ArrowDown') this.chosen = (this.chosen + 1) % matches.length;
    else if (event.key === 'ArrowUp') this.chosen = (this.chosen + matches.length - 1) % matches.length;
    else if (event.key === 'Tab' && chosen) this.#complete(chosen);
    else if (event.key === 'Enter' && chosen && `/${chosen.name}` !== this.text) this.#complete(chosen);
    else return false;
    event.preventDefault();
    return true;
  }

  #submit = (event: Event): void => {
    event.preventDefault();
    void this.#send('queue');
  };

  async #send(mode: 'queue' | 'steer'): Promise<void> {
    const text = this.text.trim();
    if (this.uploads.some((upload) => upload.kind === 'pending')) return;
    if (!text && !this.uploads.some((upload) => upload.kind === 'file')) {
      if (this.uploads.length > 0) this.problem = t('Write a message to send with the picture.');
      return;
    }
    if (text.startsWith('/') && this.uploads.length === 0) {
      const done = await this.#command(text);
      if (done) return;
    }
    const { content, pictures } = together(text, this.uploads);
    const open = mode === 'queue' ? waits(this.conversation.transcript) : null;
    if (open) await this.#reply(open, content, pictures);
    else this.#sent(content, mode, pictures);
  }

  /** False when it is none and is to be said. */
  async #command(text: string): Promise<boolean> {
    if (!commandName(text)) return false;
    const { session } = this;
    try {
      const told = await obey(text, this.conversation);
      keep(`draft-${session}`, '');
      // A command may have led elsewhere.
      if (this.session === session) Object.assign(this, { told, text: '' });
    } catch (error) {
      this.problem = words(error);
    }
    return true;
  }

  #attach = (event: Event): void => {
    const input = event.currentTarget as HTMLInputElement;
    this.#take([...(input.files ?? [])]);
    input.value = '';
  };

  #paste = (event: ClipboardEvent): void => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) {
      this.#pasted += event.clipboardData?.getData('text').length ?? 0;
      return;
    }
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

  #take(files: File[]): void {
    const { session } = this;
    for (const file of files) {
      const waiting: Attached = { kind: 'pending', name: file.name };
      this.uploads = [...this.uploads, waiting];
      const replace = (by: Attached[]) => {
        const at = this.uploads.indexOf(waiting);
        if (at >= 0) this.uploads = this.uploads.toSpliced(at, 1, ...by);
      };
      attach(session, file, house.agentOf(session)).then(
        (attached) => replace([attached]),
        (error: unknown) => {
          replace([]);
          if (this.session === session) this.problem = uploadProblem(file, error);
        },
      );
    }
  }

  /** As high as its words, up to a third of the window. */
  #grow(): void {
    const field = this.#field;
    if (!field) return;
    field.style.height = 'auto';
    field.style.height = `${Math.min(field.scrollHeight, window.innerHeight / 3)}px`;
  }
}
customElements.define('mj-composer', MjComposer);
