import { nothing } from 'lit';
import { words } from '../../api/client';
import { api } from '../../api/routes';
import type { FolderFile } from '../../api/schema';
import { icon } from '../../element/icon';
import { LightElement } from '../../element/light';
import { size } from '../../element/time';
import { html, t } from '../../words/words';
import { readWords, uploadProblem } from '../attach';

/** The files of a folder, of which agents are told in every conversation there: listed, added and removed at once, without Save. */
export class MjFolderFiles extends LightElement {
  static override properties = { folder: { type: String }, files: { state: true }, problems: { state: true }, own: { state: true }, busy: { state: true } };
  declare folder: string;
  /** Null until they are known. */
  declare files: FolderFile[] | null;
  declare problems: string[];
  /** Those that are added next were made by their person. */
  declare own: boolean;
  declare busy: boolean;

  constructor() {
    super();
    this.folder = '';
    this.files = null;
    this.problems = [];
    this.own = false;
    this.busy = false;
  }

  override render() {
    return html`<section class="field" aria-labelledby="folder-files">
      <span id="folder-files">Files</span>
      ${this.files && this.files.length > 0 ? html`<ul class="folder-files">${this.files.map((file) => this.#file(file))}</ul>` : nothing}
      <div class="row"><label class="btn">Add files<input class="unseen" type="file" multiple ?disabled=${this.busy} @change=${this.#add} /></label><label class="hint"><input type="checkbox" .checked=${this.own} @change=${(event: Event) => (this.own = (event.currentTarget as HTMLInputElement).checked)} /> I made the files that I add now</label></div>
      ${this.problems.map((problem) => html`<p class="told" role="alert">${problem}</p>`)}
      <small>The agent reads these files in every conversation of the folder. What a file says is untrusted unless you made the file.</small>
    </section>`;
  }

  #file(file: FolderFile) {
    const about = [file.text ? readWords(file.text) : '', size(file.size), file.own ? t('made by you') : ''].filter(Boolean).join(' · ');
    return html`<li class="row"><span>${file.name}</span><span class="hint">${about}</span><button class="btn ghost icon push" type="button" aria-label=${t('Remove {}', file.name)} title=${t('Remove {}', file.name)} @click=${() => void this.#remove(file)}>${icon('x', 13)}</button></li>`;
  }

  override firstUpdated(): void {
    void this.#load();
  }

  async #load(): Promise<void> {
    try {
      this.files = (await api.folderFiles(this.folder)).items;
    } catch (error) {
      this.problems = [words(error)];
    }
  }

  #add = async (event: Event): Promise<void> => {
    const field = event.currentTarget as HTMLInputElement;
    const chosen = [...(field.files ?? [])];
    field.value = '';
    this.busy = true;
    this.problems = [];
    for (const file of chosen) {
      try {
        // What a browser says of a file is a guess by its name; the server looks at its bytes.
        const { id } = await api.upload(new File([file], file.name));
        await api.addFolderFile(this.folder, { upload_id: id, own: this.own });
      } catch (error) {
        this.problems = [...this.problems, uploadProblem(file, error)];
      }
    }
    this.busy = false;
    await this.#load();
  };

  async #remove(file: FolderFile): Promise<void> {
    try {
      await api.removeFolderFile(this.folder, file.id);
    } catch (error) {
      this.problems = [words(error)];
    }
    await this.#load();
  }
}
customElements.define('mj-folder-files', MjFolderFiles);
