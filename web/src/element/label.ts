import { nothing } from 'lit';
import { words } from '../api/client';
import { api } from '../api/routes';
import type { Session } from '../api/schema';
import { house } from '../store/house';
import { html, t } from '../words/words';
import { confirmed } from './confirm';
import { LightElement } from './light';

/** Says when a conversation contains untrusted content; its person can mark it as trusted after reading it. */
export class MjLabel extends LightElement {
  static override properties = { session: { attribute: false }, seq: { attribute: false }, problem: { state: true } };
  declare session: Session | undefined;
  /** The newest event that is shown: a person marks as trusted only what they have seen. */
  declare seq: number;
  declare problem: string;

  constructor() {
    super();
    this.seq = 0;
    this.problem = '';
  }

  override render() {
    if (this.session?.label.integrity !== 'untrusted') return nothing;
    return html`<button class="chip warn" title="The agent has read web pages, files or messages from other people here. It asks you before it sends anything out. Mark as trusted after you have read it." @click=${() => void this.#trust()}>Contains web or third-party text</button>${this.problem ? html`<span class="told" role="alert">${this.problem}</span>` : nothing}`;
  }

  async #trust(): Promise<void> {
    if (!this.session || !confirm(t('Mark this conversation as trusted? Do this only after you have read what other people wrote in it. The agent then no longer asks you because of that text.'))) return;
    try {
      const [id, seq] = [this.session.id, this.seq];
      const after = await confirmed(() => api.trust(id, seq));
      house.sessions.take(after);
      this.problem = after.label.integrity === 'untrusted' ? t('More text came in meanwhile. It stays untrusted until you have read it and marked it as trusted, too.') : '';
    } catch (error) {
      this.problem = words(error);
    }
  }
}
customElements.define('mj-label', MjLabel);
