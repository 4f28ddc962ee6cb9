import { nothing } from 'lit';
import { words } from '../../api/client';
import { api } from '../../api/routes';
import type { FileInfo } from '../../api/schema';
import { icon } from '../../element/icon';
import { ago, size } from '../../element/time';
import { save, uploadProblem } from '../attach';
import { AsidePart } from './part';
import { html, t } from '../../words/words';

/** More of a text than this is for another program. */
const MOST_SHOWN = 100_000;

/** The session's files: look, read, bring, take, delete. */
export class MjFiles extends AsidePart {
  static override properties = { ...AsidePart.properties, path: { state: true }, items: { state: true }, open: { state: true }, problem: { state: true } };
  declare path: string;
  declare items: FileInfo[] | null;
  declare open: { path: string; text: string } | null;
  declare problem: string;
  #seen = 0;

  constructor() {
    super();
    this.path = '/';
    this.items = null;
    this.open = null;
    this.problem = '';
  }

  protected override opened(): void {
    this.path = '/';
    this.open = null;
    void this.#load();
  }

  /** What an agent does to files is seen when its call has ended. */
  override updated(): void {
    const results = this.conversation.events.filter((event) => event.type === 'tool_result').length;
    if (results === this.#seen) return;
    this.#seen = results;
    void this.#load();
  }

  async #load(): Promise<void> {
    try {
      this.items = (await api.files(this.session, this.path)).items;
      this.problem = '';
    } catch (error) {
      this.problem = words(error);
    }
  }

  override render() {
    return html`<div class="feed files">
      <div class="row">
        ${this.path === '/' ? html`<span class="hint">/</span>` : html`<button class="btn ghost" @click=${() => this.#enter(this.path.slice(0, this.path.lastIndexOf('/')) || '/')}>↑ ${this.path}</button>`}
        <label class="btn push">Upload files<input class="unseen" type="file" multiple @change=${this.#bring} /></label>
      </div>
      ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}
      ${this.items?.length === 0 ? html`<p class="empty">No files yet. Upload one, or ask an agent that has the file system to write one.</p>` : nothing}
      <ul>${(this.items ?? []).map((file) => html`<li class="row file">
        <button class="btn ghost" @click=${() => (file.is_directory ? this.#enter(file.path) : void this.#read(file))}>${icon(file.is_directory ? 'folder' : 'file', 14)} ${file.name}</button>
        <span class="hint push">${file.is_directory ? '' : size(file.size_bytes)} ${ago(file.updated_at)}</span>
        ${file.is_directory ? nothing : html`<button class="btn ghost icon" aria-label=${t('Download {}', file.name)} @click=${() => void this.#take(file)}>${icon('down', 13)}</button>`}
        <button class="btn ghost icon" aria-label=${t('Delete {}', file.name)} @click=${() => void this.#remove(file)}>${icon('trash', 13)}</button>
      </li>`)}</ul>
      ${this.open ? html`<section class="card"><header>${this.open.path}<button class="btn ghost icon push" aria-label="Close" @click=${() => (this.open = null)}>${icon('x', 13)}</button></header><div class="in"><pre tabindex="0">${this.open.text}</pre></div></section>` : nothing}
    </div>`;
  }

  #enter(path: string): void {
    this.path = path;
    this.open = null;
    void this.#load();
  }

  async #read(file: FileInfo): Promise<void> {
    try {
      const answer = await api.readFile(this.session, trimmed(file.path));
      const bytes = new Uint8Array(await answer.arrayBuffer());
      const text = new TextDecoder().decode(bytes.subarray(0, MOST_SHOWN));
      const more = bytes.length > MOST_SHOWN ? `\n${t('… {} more. Download the file to see all of it.', size(bytes.length - MOST_SHOWN))}` : '';
      this.open = { path: file.path, text: text.includes('\u0000') ? t('This file is not text. Download it to open it.') : text + more };
    } catch (error) {
      this.problem = words(error);
    }
  }

  async #take(file: FileInfo): Promise<void> {
    const answer = await api.readFile(this.session, trimmed(file.path)).catch((error: unknown) => void (this.problem = words(error)));
    if (!answer) return;
    const url = URL.createObjectURL(await answer.blob());
    const anchor = document.createElement('a');
    Object.assign(anchor, { href: url, download: file.name });
    anchor.click();
    URL.revokeObjectURL(url);
  }

  async #remove(file: FileInfo): Promise<void> {
    if (!confirm(t('Delete {}? This cannot be undone.', file.path))) return;
    await api.deleteFile(this.session, trimmed(file.path), file.is_directory).catch((error: unknown) => (this.problem = words(error)));
    void this.#load();
  }

  #bring = async (event: Event): Promise<void> => {
    const input = event.currentTarget as HTMLInputElement;
    let problem = '';
    for (const file of input.files ?? []) {
      await save(this.session, file, this.path).catch((error: unknown) => (problem = uploadProblem(file, error)));
    }
    input.value = '';
    await this.#load();
    if (problem) this.problem = problem;
  };
}

function trimmed(path: string): string {
  return path.replace(/^\//, '');
}
customElements.define('mj-files', MjFiles);
