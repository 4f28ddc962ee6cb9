import { nothing, type TemplateResult } from 'lit';
import { Problem, words } from '../api/client';
import type { AgentView, NewSession, Session } from '../api/schema';
import { icon } from '../element/icon';
import { LightElement } from '../element/light';
import '../element/model/model-menu';
import '../element/said';
import { house } from '../store/house';
import { go } from '../store/place';
import { hasMouse } from '../store/theme';
import { together } from './attach';
import { commandName, isPrompt, obey, sendPrompt } from './commands';
import { Completion } from './completion';
import { draftOf, type Draft } from './draft';
import { dropConversation, makeConversation } from './first';
import { beginning } from './list/new-session';
import { TRY } from './try';
import { html, t } from '../words/words';

/** A conversation to try this agent. */
export interface TestBegun {
  agent: string;
  session: string;
}

/**
 * Where a conversation begins: words, an agent, a model and files. Nothing is stored before it is sent. Of a conversation to try an
 * agent it tells by `made`, and by `begun` when its first message is there, and leads nowhere.
 */
export class MjBegin extends LightElement {
  static override properties = { trying: { type: String }, problem: { state: true }, told: { state: true } };
  /** The agent that is tried; empty on the first page. */
  declare trying: string;
  declare problem: string;
  /** What a command had to say, in Markdown. */
  declare told: string;
  #draft: Draft = draftOf('new');
  readonly #completion = new Completion(
    (line) => {
      this.#draft.write(line);
      this.#field?.focus();
    },
    () => this.requestUpdate(),
  );

  constructor() {
    super();
    Object.assign(this, { trying: '', problem: '', told: '' });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow(house);
    this.follow(house.sessions);
    this.follow(beginning);
    this.follow(this.#draft);
    window.addEventListener('dragover', this.#dragOver);
    window.addEventListener('drop', this.#drop);
    if (hasMouse()) void this.updateComplete.then(() => this.#field?.focus());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('dragover', this.#dragOver);
    window.removeEventListener('drop', this.#drop);
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (!changed.has('trying')) return;
    this.unfollow(this.#draft);
    this.#draft = draftOf(this.trying ? `try-${this.trying}` : 'new');
    this.follow(this.#draft);
  }

  override updated(): void {
    // The owner of a shared agent has decided which model it uses.
    if (this.#draft.model && this.#agent?.shared_by) this.#draft.model = null;
  }

  get #field(): HTMLTextAreaElement | null {
    return this.querySelector('textarea');
  }

  /** The one that was chosen, or the one that each person has. */
  get #agent(): AgentView | undefined {
    const { usable } = house;
    if (this.trying) return usable.find((agent) => agent.id === this.trying);
    return usable.find((agent) => agent.id === beginning.agent) ?? usable.find((agent) => agent.name === 'main' && !agent.shared_by) ?? usable[0];
  }

  override render(): TemplateResult | typeof nothing {
    const agent = this.#agent;
    if (!agent) return nothing;
    const { text, files, busy } = this.#draft;
    const active = this.#completion.active(text);
    return html`<form class="compose begin" @submit=${this.#submit}>
      ${this.#completion.render(text)} ${this.told ? html`<section class="card help" aria-label="Result of the command"><header>Command <button class="btn ghost icon push" type="button" aria-label="Close" @click=${() => (this.told = '')}>${icon('x', 13)}</button></header><mj-said class="in said" .text=${this.told}></mj-said></section>` : nothing}
      <div class="boxed">
        ${this.#folder()}${this.#draft.memory ? nothing : html`<ul class="uploads" aria-label="Memory"><li class="chip">Without memory <button type="button" class="x" aria-label="With memory" @click=${this.#remember}>${icon('x', 11)}</button></li></ul>`}${files.length > 0 ? html`<ul class="uploads">${files.map((file, at) => html`<li class="chip">${file.name} <button type="button" class="x" aria-label=${t('Remove {}', file.name)} @click=${() => (this.#draft.files = files.toSpliced(at, 1))}>${icon('x', 11)}</button></li>`)}</ul>` : nothing}${this.#whose()}
        <textarea rows="3" placeholder=${t('Write to {}. Type / for commands.', house.nameOf(agent))} aria-label="Message" .value=${text} @input=${this.#input} @keydown=${this.#key} @paste=${this.#paste} @focus=${this.#completion.show} @blur=${this.#completion.hide} aria-autocomplete="list" aria-controls=${active ? 'completion' : nothing} aria-activedescendant=${active ?? nothing}></textarea>
        ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}
        <div class="row">
          <label class="btn ghost icon" title="Attach files"><input class="unseen" type="file" multiple aria-label="Attach files" @change=${this.#attach} />${icon('clip')}</label>
          ${this.#agents(agent)}
          ${this.#memory(agent)}
          <mj-model-menu .session=${''} .agent=${agent} .draft=${this.#draft} .chosen=${this.#draft.model}></mj-model-menu>
          <span class="row push"><span class="hint" role="status">${busy ? t('Sending…') : nothing}</span><button class="btn primary" ?disabled=${busy}>Send</button></span>
        </div>
      </div>
      ${text || files.length > 0 ? nothing : html`<div class="row tries">${TRY.map((one) => html`<button class="btn" type="button" ?disabled=${busy} @click=${() => void this.#begin(t(one))}>${t(one)}</button>`)}</div>`}
    </form>`;
  }

  /** Where the conversation will be kept. */
  #folder(): TemplateResult | typeof nothing {
    const folder = !this.trying && house.sessions.folders.find((one) => one.id === beginning.folder);
    if (!folder) return nothing;
    return html`<ul class="uploads" aria-label="Folder"><li class="chip">${t('In the folder {}', folder.name)} <button type="button" class="x" aria-label=${t('Not in the folder {}', folder.name)} @click=${() => beginning.leaveFolder()}>${icon('x', 11)}</button></li></ul>`;
  }

  /** Asked where it makes a difference, as in a conversation that has begun. */
  #whose(): TemplateResult | typeof nothing {
    if (this.#draft.files.length === 0 && this.#draft.untyped.typed) return nothing;
    return html`<label class="hint"><input type="checkbox" .checked=${this.#draft.own} @change=${(event: Event) => (this.#draft.own = (event.currentTarget as HTMLInputElement).checked)} /> I wrote the files and long texts of this conversation myself. Otherwise the agent asks you before it sends anything out.</label>`;
  }

  /** Where the agent remembers something, a conversation can be without it. */
  #memory(agent: AgentView): TemplateResult | typeof nothing {
    if (this.#draft.memory && !knows(agent)) return nothing;
    return html`<button class="btn ghost icon" type="button" aria-pressed=${!this.#draft.memory} aria-label="Without memory" title="Without memory: the agent is told nothing of what it remembers of you, and writes nothing down." @click=${this.#remember}>${icon('brain')}</button>`;
  }

  #remember = (): void => {
    this.#draft.memory = !this.#draft.memory;
    this.requestUpdate();
  };

  #agents(chosen: AgentView): TemplateResult | typeof nothing {
    if (this.trying || house.usable.length < 2) return nothing;
    const choose = (event: Event) => beginning.choose((event.currentTarget as HTMLSelectElement).value, beginning.folder);
    return html`<select class="models" aria-label="Agent" title="The agent that answers" @change=${choose}>${house.usable.map((agent) => html`<option value=${agent.id} ?selected=${agent.id === chosen.id}>${house.nameOf(agent)}</option>`)}</select>`;
  }

  #input = (event: Event): void => {
    this.problem = '';
    this.#completion.begin();
    this.#draft.write((event.currentTarget as HTMLTextAreaElement).value, (event as InputEvent).inputType);
  };

  #key = (event: KeyboardEvent): void => {
    if (event.isComposing || this.#completion.key(event, this.#draft.text)) return;
    // On a telephone Enter begins a line, and the button sends.
    if (event.key !== 'Enter' || event.shiftKey || !hasMouse()) return;
    event.preventDefault();
    void this.#begin(this.#draft.text.trim());
  };

  #submit = (event: Event): void => {
    event.preventDefault();
    void this.#begin(this.#draft.text.trim());
  };

  async #begin(text: string): Promise<void> {
    const agent = this.#agent;
    const draft = this.#draft;
    if (draft.busy || !agent || (!text && draft.files.length === 0)) return;
    draft.busy = true;
    this.problem = '';
    try {
      if (!commandName(text)) await this.#send(draft, agent, text);
      else if (await isPrompt(text)) await this.#sendPrompt(draft, agent, text);
      else {
        this.told = await obey(text, null);
        draft.sent(text);
      }
    } catch (error) {
      this.#failed(error);
    }
    draft.busy = false;
  }

  #failed(error: unknown): void {
    let problem = words(error);
    if (error instanceof Problem && error.code === 'unknown_folder') {
      problem = t('The folder does not exist any more. Send again to begin the conversation outside of folders.');
      beginning.leaveFolder();
      void house.sessions.loadFolders().catch(() => undefined);
    } else {
      // It may be that there is no such agent any more.
      void house.loadAgents();
    }
    // Its person may be elsewhere by now.
    if (this.isConnected) this.problem = problem;
    else house.complain(problem);
  }

  async #send(draft: Draft, agent: AgentView, text: string): Promise<void> {
    const { typed } = draft.untyped;
    const { files } = draft;
    const { session, attached, key } = await this.#start(draft, agent, text);
    const said = together(text || t('Look at this.'), attached);
    const conversation = house.conversation(session.id);
    const refused = await conversation.answered(conversation.send(said.content, 'queue', said.attached, null, typed, null, key));
    if (refused) {
      // Otherwise words that the server was too busy for would be sent by themselves, later and once more.
      conversation.forget(key);
      house.closeTab(session.id);
      await dropConversation(draft);
      throw new Error(refused);
    }
    conversation.begin(said.content);
    this.#begun(draft, agent, session, text, files);
  }

  /** A prompt of one's own is sent by the server, which may refuse it: then there is no conversation. */
  async #sendPrompt(draft: Draft, agent: AgentView, text: string): Promise<void> {
    const { files } = draft;
    const { session, attached, key } = await this.#start(draft, agent, text);
    const said = together(text, attached);
    try {
      await sendPrompt(said.content, session.id, said.attached.map((one) => one.upload_id), null, key);
    } catch (error) {
      await dropConversation(draft);
      throw error;
    }
    this.#begun(draft, agent, session, text, files);
  }

  async #start(draft: Draft, agent: AgentView, text: string): ReturnType<typeof makeConversation> {
    const begun = await makeConversation(draft, agent, this.#fields(agent), text);
    if (begun.session.hidden) this.#tell('made', agent, begun.session);
    return begun;
  }

  #fields(agent: AgentView): NewSession {
    const fields: NewSession = { agent_id: agent.id, own_files: this.#draft.own };
    const { model } = this.#draft;
    if (!this.#draft.memory) fields.memory = false;
    if (model && !agent.shared_by) fields.model = model;
    if (this.trying) Object.assign(fields, { hidden: true, name: t('Test of {}', house.nameOf(agent)).slice(0, 200) });
    else if (beginning.folder) fields.folder_id = beginning.folder;
    return fields;
  }

  #begun(draft: Draft, agent: AgentView, session: Session, text: string, files: File[]): void {
    house.sessions.take(session);
    draft.attempt = null;
    draft.sent(text, files);
    Object.assign(draft, { own: false, model: null, memory: true });
    if (this.isConnected && draft === this.#draft && draft.text) {
      // What was written meanwhile goes along to where its person is led.
      draftOf(session.id).takeBack(draft.text, [], null);
      draft.sent(draft.text);
    }
    if (session.hidden) return this.#tell('begun', agent, session);
    if (beginning.folder === session.folder_id) beginning.leaveFolder();
    house.show(session.id);
    if (this.isConnected) go(session.id);
  }

  #tell(what: 'made' | 'begun', agent: AgentView, session: Session): void {
    this.dispatchEvent(new CustomEvent<TestBegun>(what, { detail: { agent: agent.id, session: session.id } }));
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
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  };

  #drop = (event: DragEvent): void => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    this.#take([...event.dataTransfer.files]);
  };

  #take(files: File[]): void {
    this.#draft.files = [...this.#draft.files, ...files];
    // What to do with them is said next.
    if (hasMouse()) this.#field?.focus();
  }
}

/** Does this agent remember what its person wants remembered? */
export function knows(agent: AgentView): boolean {
  return agent.capabilities.some((one) => (typeof one === 'string' ? one : one.id) === 'knowledge');
}

customElements.define('mj-begin', MjBegin);
