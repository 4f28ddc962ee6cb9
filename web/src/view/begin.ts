import { nothing, type TemplateResult } from 'lit';
import { words } from '../api/client';
import { api } from '../api/routes';
import type { AgentView } from '../api/schema';
import { icon } from '../element/icon';
import { LightElement } from '../element/light';
import '../element/model-menu';
import '../element/said';
import type { MjModelMenu } from '../element/model-menu';
import { house } from '../store/house';
import { keep, kept } from '../store/kept';
import { go } from '../store/place';
import { hasMouse } from '../store/theme';
import { attach, together, TYPED_CHARS, uploadProblem, type Attached } from './attach';
import { commandName, obey } from './commands';
import { beginning } from './new-session';
import { html, t } from '../words/words';

const TRY = ['What can you do?', 'What time is it in Lisbon?', 'Show me what you can do'];

/** Where a conversation begins: words, an agent, a model and files. Nothing is stored before it is sent. */
export class MjBegin extends LightElement {
  static override properties = { text: { state: true }, files: { state: true }, problem: { state: true }, busy: { state: true }, told: { state: true } };
  declare text: string;
  declare files: File[];
  declare problem: string;
  declare busy: boolean;
  /** What a command had to say, in Markdown. */
  declare told: string;
  /** Characters that were not seen being typed. */
  #pasted = 0;

  constructor() {
    super();
    Object.assign(this, { text: kept('draft-new', ''), files: [], problem: '', busy: false, told: '' });
    this.#pasted = this.text.length;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow(house);
    this.follow(beginning);
    window.addEventListener('dragover', this.#dragOver);
    window.addEventListener('drop', this.#drop);
    if (hasMouse()) void this.updateComplete.then(() => this.#field?.focus());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('dragover', this.#dragOver);
    window.removeEventListener('drop', this.#drop);
  }

  get #field(): HTMLTextAreaElement | null {
    return this.querySelector('textarea');
  }

  /** The one that was chosen, or the one that each person has. */
  get #agent(): AgentView | undefined {
    const { usable } = house;
    return usable.find((agent) => agent.id === beginning.agent) ?? usable.find((agent) => agent.name === 'main' && !agent.shared_by) ?? usable[0];
  }

  override render(): TemplateResult | typeof nothing {
    const agent = this.#agent;
    if (!agent) return nothing;
    return html`<form class="compose begin" @submit=${this.#submit}>
      ${this.told ? html`<section class="card help" aria-label="Result of the command"><header>Command <button class="btn ghost icon push" type="button" aria-label="Close" @click=${() => (this.told = '')}>${icon('x', 13)}</button></header><mj-said class="in said" .text=${this.told}></mj-said></section>` : nothing}
      <div class="boxed">
        ${this.files.length > 0 ? html`<ul class="uploads">${this.files.map((file, at) => html`<li class="chip">${file.name} <button type="button" class="x" aria-label=${t('Remove {}', file.name)} @click=${() => (this.files = this.files.toSpliced(at, 1))}>${icon('x', 11)}</button></li>`)}</ul>` : nothing}
        <textarea rows="3" placeholder=${t('Write to {}. Type / for commands.', agent.name)} aria-label="Message" .value=${this.text} @input=${this.#input} @keydown=${this.#key} @paste=${this.#paste}></textarea>
        ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}
        <div class="row">
          <label class="btn ghost icon" title="Attach files"><input class="unseen" type="file" multiple aria-label="Attach files" @change=${this.#attach} />${icon('clip')}</label>
          ${this.#agents(agent)}
          <mj-model-menu .session=${''} .agent=${agent}></mj-model-menu>
          <span class="row push"><button class="btn primary" ?disabled=${this.busy}>Send</button></span>
        </div>
      </div>
      <div class="row tries">${TRY.map((text) => html`<button class="btn" type="button" ?disabled=${this.busy} @click=${() => void this.#begin(t(text))}>${t(text)}</button>`)}</div>
    </form>`;
  }

  #agents(chosen: AgentView): TemplateResult | typeof nothing {
    if (house.usable.length < 2) return nothing;
    const choose = (event: Event) => beginning.choose((event.currentTarget as HTMLSelectElement).value);
    return html`<select class="models" aria-label="Agent" title="The agent that answers" @change=${choose}>${house.usable.map((agent) => html`<option value=${agent.id} ?selected=${agent.id === chosen.id}>${house.nameOf(agent)}</option>`)}</select>`;
  }

  #input = (event: Event): void => {
    this.text = (event.currentTarget as HTMLTextAreaElement).value;
    this.problem = '';
    keep('draft-new', this.text);
    if (!this.text) this.#pasted = 0;
  };

  #key = (event: KeyboardEvent): void => {
    // On a telephone Enter begins a line, and the button sends.
    if (event.isComposing || event.key !== 'Enter' || event.shiftKey || !hasMouse()) return;
    event.preventDefault();
    void this.#begin(this.text.trim());
  };

  #submit = (event: Event): void => {
    event.preventDefault();
    void this.#begin(this.text.trim());
  };

  async #begin(text: string): Promise<void> {
    const agent = this.#agent;
    if (this.busy || !agent || (!text && this.files.length === 0)) return;
    this.busy = true;
    try {
      if (text.startsWith('/') && this.files.length === 0 && commandName(text)) this.#answered(await obey(text, null));
      else await this.#send(agent.id, text);
    } catch (error) {
      this.problem = words(error);
      // It may be that there is no such agent any more.
      void house.loadAgents();
    }
    this.busy = false;
  }

  #answered(told: string): void {
    this.told = told;
    this.#clear();
  }

  async #send(agent: string, text: string): Promise<void> {
    const model = this.querySelector<MjModelMenu>('mj-model-menu')?.fresh;
    const id = await house.newSession(agent, model ? { model } : {});
    if (beginning.folder) house.sessions.take(await api.changeSession(id, { folder_id: beginning.folder }));
    const attached: Attached[] = [];
    for (const file of this.files) {
      try {
        attached.push(await attach(id, file, this.#agent));
      } catch (error) {
        // The conversation exists by now: it is opened, with what was written, and says what is missing.
        keep(`draft-${id}`, text);
        this.#clear();
        go(id);
        house.complain(uploadProblem(file, error));
        return;
      }
    }
    const typed = this.#pasted <= TYPED_CHARS;
    const { content, pictures } = together(text || t('Look at this.'), attached);
    this.#clear();
    go(id);
    house.show(id).send(content, 'queue', pictures, null, typed);
  }

  #clear(): void {
    Object.assign(this, { text: '', files: [], problem: '' });
    this.#pasted = 0;
    keep('draft-new', '');
  }

  #attach = (event: Event): void => {
    const input = event.currentTarget as HTMLInputElement;
    this.files = [...this.files, ...(input.files ?? [])];
    input.value = '';
  };

  #paste = (event: ClipboardEvent): void => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) this.#pasted += event.clipboardData?.getData('text').length ?? 0;
    else {
      event.preventDefault();
      this.files = [...this.files, ...files];
    }
  };

  #dragOver = (event: DragEvent): void => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  };

  #drop = (event: DragEvent): void => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    this.files = [...this.files, ...event.dataTransfer.files];
  };
}

customElements.define('mj-begin', MjBegin);
