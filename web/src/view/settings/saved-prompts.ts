import { nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { api } from '../../api/routes';
import type { SavedPrompt, SavedPromptText } from '../../api/schema';
import { house } from '../../store/house';
import { gistOf } from '../../store/gist';
import { fieldsOf, PlaceView } from '../place-view';
import { html, t } from '../../words/words';

const PLACE = '{{text}}';

/** Prompts that are used again and again, sent by a slash and their name. */
export class MjPrompts extends PlaceView {
  static override properties = { ...PlaceView.properties, prompts: { state: true }, editing: { state: true } };
  declare prompts: SavedPrompt[];
  /** The id of the one that is changed. */
  declare editing: string;

  constructor() {
    super();
    this.prompts = [];
    this.editing = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener('prompts-elsewhere', this.#again);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('prompts-elsewhere', this.#again);
  }

  /** When the one that is changed was saved last, as far as its person was told. */
  #known = '';

  #again = (): void => void this.load().catch(() => undefined);

  protected override async load(): Promise<void> {
    const { items } = await api.savedPrompts();
    // What is written in a form stays, whatever was changed elsewhere.
    this.prompts = items.map((one) => this.prompts.find((old) => old.id === one.id && old.id === this.editing) ?? one);
    // The list of commands below the message box has them, too.
    window.dispatchEvent(new Event('prompts'));
  }

  override render() {
    return this.frame(t('Prompts'), t('Texts that you send often. Type a slash and the name in a conversation, for instance /translate good morning.'), html`
      ${repeat(this.prompts, (prompt) => prompt.id, (prompt) => html`<section class="card"><header><code>/${prompt.name}</code> <span class="hint">${prompt.description}</span><span class="row push"><button class="btn ghost" @click=${() => this.#edit(prompt)}>Edit</button><button class="btn ghost danger" @click=${() => void this.#delete(prompt)}>Delete</button></span></header>
        ${this.editing === prompt.id ? this.#form(prompt) : html`<div class="in plain">${prompt.content}</div>`}</section>`)}
      ${this.loaded && this.prompts.length === 0 ? html`<p class="empty">You have no prompts yet.</p>` : nothing}
      <section class="card"><header>New prompt</header>${this.#form(null)}</section>`);
  }

  #form(prompt: SavedPrompt | null) {
    return html`<form class="in" @submit=${(event: Event) => this.#save(event, prompt)}>
      <label class="field"><span>Name</span><input class="input" name="name" required maxlength="40" pattern="[a-z][a-z0-9_]*" autocapitalize="off" autocomplete="off" .value=${prompt?.name ?? ''} /><small>Small letters, digits and underscores.</small></label>
      <label class="field"><span>Text</span><textarea class="input" name="content" rows="4" required maxlength="20000" placeholder=${PLACE} .value=${prompt?.content ?? ''}></textarea><small>${t('{} stands for what you type behind the name. With several, each takes one word and the last takes the rest.', PLACE)}</small></label>
      <label class="field"><span>Description</span><input class="input" name="description" maxlength="200" .value=${prompt?.description ?? ''} /></label>
      <button class="btn ${prompt ? '' : 'primary'}">Save prompt</button>
    </form>`;
  }

  #edit(prompt: SavedPrompt): void {
    this.editing = this.editing === prompt.id ? '' : prompt.id;
    this.#known = prompt.updated_at;
  }

  /** What another window saved meanwhile is told first; what is typed here stays, and a second Save replaces the other. */
  async #refuseStale({ id }: SavedPrompt): Promise<void> {
    const now = (await api.savedPrompts()).items.find((one) => one.id === id);
    if (!now || now.updated_at === this.#known) return;
    this.#known = now.updated_at;
    throw new Error(t('This prompt was changed in another window. It says “{}” there now. Save again to replace that with what you see here.', gistOf(now.content)));
  }

  #save(event: Event, prompt: SavedPrompt | null): void {
    const form = event.currentTarget as HTMLFormElement;
    const { name = '', content = '', description = '' } = fieldsOf(event);
    const text: SavedPromptText = { name, content, description: description.trim() };
    void this.attempt(async () => {
      if (prompt) await this.#refuseStale(prompt);
      await (prompt ? api.putPrompt(prompt.id, text) : api.savePrompt(text));
      if (prompt) this.editing = '';
      else form.reset();
      await this.load();
    }, t('Saved.'));
  }

  #delete(prompt: SavedPrompt): Promise<boolean> {
    return this.attempt(async () => {
      await api.deletePrompt(prompt.id);
      const { name, content, description } = prompt;
      // The server tells every window of it, this one as well.
      house.sessions.deleted(prompt.id, `/${name}`, async () => void (await api.savePrompt({ name, content, description })));
      await this.load();
    });
  }
}
customElements.define('mj-prompts', MjPrompts);
