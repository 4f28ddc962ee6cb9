import { nothing, type TemplateResult } from 'lit';
import { words } from '../../api/client';
import { api } from '../../api/routes';
import type { EntryVersion, KnowledgeEntry, VersionState } from '../../api/schema';
import '../../element/knowledge/origin';
import { asWritten } from '../../element/knowledge/words';
import { LightElement } from '../../element/light';
import { date } from '../../element/time';
import { html, t } from '../../words/words';

const STATES: Record<VersionState, string> = { kept: '', proposed: 'waits for you', discarded: 'discarded' };

/** Every version of an entry: who made it, in which conversation, when, and what it said. */
export class MjEntryHistory extends LightElement {
  static override properties = { entry: { attribute: false }, versions: { state: true }, problem: { state: true } };
  declare entry: KnowledgeEntry;
  declare versions: EntryVersion[] | null;
  declare problem: string;
  #shown = '';

  constructor() {
    super();
    this.versions = null;
    this.problem = '';
  }

  override willUpdate(): void {
    const { id, version, proposal, updated_at } = this.entry;
    const shown = `${id} ${version} ${proposal} ${updated_at}`;
    if (shown === this.#shown) return;
    this.#shown = shown;
    void api.entryHistory(id).then(
      ({ items }) => (this.versions = items),
      (error: unknown) => (this.problem = words(error)),
    );
  }

  override render() {
    if (this.problem) return html`<p class="told" role="alert">${this.problem}</p>`;
    if (!this.versions) return html`<p class="hint">…</p>`;
    return html`<h2 class="what">Versions, newest first</h2><ol class="plainlist versions-of" reversed>${this.versions.map((one) => this.#version(one))}</ol>`;
  }

  #version(one: EntryVersion): TemplateResult {
    const isNow = one.version === this.entry.version;
    return html`<li><div class="row"><b>${t('Version {}', one.version)}</b>
        ${isNow ? html`<span class="chip ok">newest</span>` : nothing}${one.action === 'delete' ? html`<span class="chip">deleted</span>` : nothing}${STATES[one.state] ? html`<span class="chip ${one.state === 'proposed' ? 'warn' : ''}">${t(STATES[one.state])}</span>` : nothing}
        ${one.label.integrity === 'untrusted' ? html`<span class="chip warn">words of others had a say</span>` : nothing}
        ${one.pinned ? html`<span class="chip">pinned</span>` : nothing}${one.until ? html`<span class="chip">${t('until {}', date(one.until))}</span>` : nothing}
        ${one.state === 'kept' && !isNow && one.action === 'write' ? html`<button class="btn push" aria-label=${t('Go back to this: version {}', one.version)} @click=${() => this.dispatchEvent(new CustomEvent('back', { detail: one.version }))}>Go back to this</button>` : nothing}</div>
      <p class="hint"><mj-origin .origin=${one.origin}></mj-origin></p>
      ${one.title ? html`<p class="plain" dir="auto"><b>${asWritten(one.title)}</b></p>` : nothing}
      <div class="plain entry-words" tabindex="0" role="group" aria-label=${t('Version {}', one.version)} dir="auto">${asWritten(one.body)}</div></li>`;
  }
}
customElements.define('mj-entry-history', MjEntryHistory);
