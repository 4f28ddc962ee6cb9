import { nothing } from 'lit';
import { root, words } from '../../api/client';
import { api } from '../../api/routes';
import type { Session, SessionLink } from '../../api/schema';
import { copyText } from '../../element/clipboard';
import { LightElement } from '../../element/light';
import { moment } from '../../element/time';
import { html, t } from '../../words/words';

/** The links that show a conversation to other people of this server. */
export class MjShare extends LightElement {
  static override properties = { session: { attribute: false }, links: { state: true }, problem: { state: true } };
  declare session: Session;
  declare links: SessionLink[] | null;
  declare problem: string;

  constructor() {
    super();
    this.links = null;
    this.problem = '';
  }

  override firstUpdated(): void {
    this.querySelector('dialog')?.showModal();
    void this.#attempt(async () => (this.links = (await api.sessionLinks(this.session.id)).items));
  }

  override render() {
    return html`<dialog class="card wide-dialog" aria-labelledby="share-title" @close=${() => this.remove()}>
      <header id="share-title">Share this conversation</header>
      <div class="in">
        <p>Everyone with an account on this server who has the link can read what was said until now. They do not see files, what tools returned, or messages that you send later. They see that you shared it.</p>
        ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}
        <ul class="plainlist">${(this.links ?? []).map((link) => this.#row(link))}</ul>
        <div class="row"><button class="btn ${this.links?.length ? '' : 'primary'}" @click=${() => void this.#attempt(() => this.#make())}>Create link</button><button class="btn" @click=${() => this.querySelector('dialog')?.close()}>Close</button></div>
      </div>
    </dialog>`;
  }

  #row(link: SessionLink) {
    const url = `${root()}shared_${link.secret}`;
    return html`<li class="row shared-link"><span class="grow"><input class="input" readonly aria-label="Link" .value=${url} @focus=${(event: Event) => (event.currentTarget as HTMLInputElement).select()} /><small class="hint">${t('Created {}', moment(link.created_at))}</small></span>
      <button class="btn" @click=${(event: Event) => void copyText(event.currentTarget as HTMLElement, url)}>Copy link</button>
      <button class="btn ghost danger" @click=${() => void this.#attempt(() => this.#revoke(link))}>Revoke</button></li>`;
  }

  async #make(): Promise<void> {
    this.links = [...(this.links ?? []), await api.share(this.session.id)];
  }

  async #revoke(link: SessionLink): Promise<void> {
    await api.unshare(link.id);
    this.links = (this.links ?? []).filter((one) => one.id !== link.id);
  }

  async #attempt(deed: () => Promise<unknown>): Promise<void> {
    this.problem = '';
    await deed().catch((error: unknown) => (this.problem = words(error)));
  }
}
customElements.define('mj-share', MjShare);
