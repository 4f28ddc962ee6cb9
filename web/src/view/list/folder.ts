import { nothing } from 'lit';
import { Problem, words } from '../../api/client';
import { api } from '../../api/routes';
import type { Folder } from '../../api/schema';
import { LightElement } from '../../element/light';
import { house } from '../../store/house';
import { html, t } from '../../words/words';
import './folder-files';

/** Asks for the name and the instructions of a folder; a new one without one. Gives the folder, or null. */
export function editFolder(folder: Folder | null): Promise<Folder | null> {
  const dialog = document.createElement('mj-folder') as MjFolder;
  dialog.folder = folder;
  document.body.append(dialog);
  return dialog.done;
}

/** A folder: its name, and what agents are told in every conversation of it. */
export class MjFolder extends LightElement {
  static override properties = { folder: { attribute: false }, problem: { state: true }, busy: { state: true } };
  declare folder: Folder | null;
  declare problem: string;
  declare busy: boolean;
  #settle: (folder: Folder | null) => void = () => undefined;
  readonly done: Promise<Folder | null>;

  constructor() {
    super();
    this.folder = null;
    this.problem = '';
    this.busy = false;
    this.done = new Promise((resolve) => (this.#settle = resolve));
  }

  override render() {
    return html`<dialog class="card wide-dialog" aria-labelledby="folder-title" @close=${this.#closed}>
      <header id="folder-title">${this.folder ? t('Folder') : t('New folder')}</header>
      <form class="in" @submit=${this.#save}>
        <label class="field"><span>Name</span><input class="input" name="name" maxlength="200" required autofocus .value=${this.folder?.name ?? ''} /></label>
        <label class="field"><span>Instructions</span><textarea class="input" name="instructions" rows="7" maxlength="20000" .value=${this.folder?.instructions ?? ''}></textarea><small>The agent is told this in every conversation of the folder.</small></label>
        ${this.folder ? html`<mj-folder-files folder=${this.folder.id}></mj-folder-files>` : html`<p class="hint">You can add files to the folder once it is saved.</p>`}
        ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}
        <div class="row"><button class="btn primary" ?disabled=${this.busy}>Save folder</button><button class="btn" type="button" @click=${() => this.querySelector('dialog')?.close()}>Cancel</button></div>
      </form>
    </dialog>`;
  }

  override firstUpdated(): void {
    this.querySelector('dialog')?.showModal();
  }

  #save = async (event: Event): Promise<void> => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const text = { name: String(data.get('name')).trim(), instructions: String(data.get('instructions')) };
    this.busy = true;
    this.problem = '';
    try {
      const saved = this.folder ? await api.changeFolder(this.folder.id, { ...text, version: this.folder.version }) : await api.createFolder(text);
      this.#settle(saved);
      this.querySelector('dialog')?.close();
    } catch (error) {
      this.problem = words(error);
      if (error instanceof Problem && error.code === 'folder_changed') await this.#again();
    }
    this.busy = false;
  };

  /** What another window saved is known now; what is typed here stays, and a second Save replaces the other. */
  async #again(): Promise<void> {
    await house.sessions.loadFolders().catch(() => undefined);
    const now = house.sessions.folders.find((one) => one.id === this.folder?.id);
    if (!now || !this.folder) return;
    this.folder = { ...this.folder, version: now.version };
    this.problem = t('This folder was changed in another window. It is called “{}” there now. Save again to replace that with what you see here.', now.name);
  }

  #closed = (): void => {
    this.#settle(null);
    this.remove();
  };
}
customElements.define('mj-folder', MjFolder);
