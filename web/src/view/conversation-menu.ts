import { nothing } from 'lit';
import { address, words } from '../api/client';
import { api } from '../api/routes';
import type { Session } from '../api/schema';
import { icon } from '../element/icon';
import { LightElement } from '../element/light';
import { house } from '../store/house';
import { knows } from './begin';
import { html, t } from '../words/words';

/** What can be done with a whole conversation: keep it as a file, print it, show it to others. */
export class MjConversationMenu extends LightElement {
  static override properties = { session: { attribute: false }, open: { state: true } };
  declare session: Session;
  declare open: boolean;
  print: () => Promise<void> = async () => undefined;

  constructor() {
    super();
    this.open = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('click', this.#outside);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('click', this.#outside);
  }

  #outside = (event: MouseEvent): void => {
    if (this.open && !event.composedPath().includes(this)) this.open = false;
  };

  override render() {
    const file = (format: string) => address(`v1/sessions/${this.session.id}/export?format=${format}`);
    const close = () => (this.open = false);
    return html`<div class="all-tabs" @keydown=${(event: KeyboardEvent) => event.key === 'Escape' && (event.stopPropagation(), close())}>
      <button class="btn ghost icon" aria-label="Share or download this conversation" title="Share or download this conversation" aria-expanded=${this.open} @click=${() => (this.open = !this.open)}>${icon('share', 15)}</button>
      ${this.open
        ? html`<div class="card drop" role="group" aria-label="Share or download this conversation">
            <button class="btn ghost" @click=${() => (close(), void this.#share())}>Share with people of this server</button>
            <a class="btn ghost" href=${file('markdown')} download @click=${close}>Download as Markdown</a>
            <a class="btn ghost" href=${file('json')} download @click=${close}>Download as JSON</a>
            <button class="btn ghost" @click=${() => (close(), void this.print())}>Print or save as PDF</button>
            ${this.#forgets()}
          </div>`
        : nothing}
    </div>`;
  }

  #forgets() {
    const { id, memory } = this.session;
    const agent = house.agentOf(id);
    if (memory !== false && !(agent && knows(agent))) return nothing;
    const change = async () => house.sessions.take(await api.changeSession(id, { memory: memory === false }));
    const turn = () => ((this.open = false), void change().catch((error: unknown) => house.complain(words(error))));
    return html`<button class="btn ghost" @click=${turn}>${memory === false ? t('Use memory in this conversation') : t('Continue without memory')}</button>`;
  }

  async #share(): Promise<void> {
    await import('./list/share');
    const dialog = Object.assign(document.createElement('mj-share'), { session: this.session });
    document.body.append(dialog);
  }
}
customElements.define('mj-conversation-menu', MjConversationMenu);
