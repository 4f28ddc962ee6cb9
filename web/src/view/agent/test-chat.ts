import { words } from '../../api/client';
import { LightElement } from '../../element/light';
import { house } from '../../store/house';
import { html, t } from '../../words/words';
import '../conversation';

/** A conversation beside the editor, with the agent as it is saved. It is archived when it is no longer needed. */
export class MjTestChat extends LightElement {
  static override properties = { agent: { type: String }, name: { type: String }, session: { state: true }, problem: { state: true } };
  declare agent: string;
  declare name: string;
  declare session: string;
  declare problem: string;

  constructor() {
    super();
    Object.assign(this, { agent: '', name: '', session: '', problem: '' });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    void this.#putAway();
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('agent')) void this.#begin();
  }

  override render() {
    if (this.problem) return html`<p class="told" role="alert">${this.problem}</p>`;
    if (!this.session) return html`<p class="empty">…</p>`;
    return html`<div class="test-chat">
      <div class="row in"><span class="hint">This tests the agent as last saved.</span><button class="btn ghost push" @click=${() => void this.#begin()}>Start over</button></div>
      <mj-conversation .session=${this.session}></mj-conversation>
    </div>`;
  }

  async #begin(): Promise<void> {
    await this.#putAway();
    try {
      const session = await house.newSession(this.agent, { name: t('Test of {}', this.name).slice(0, 200) });
      if (this.isConnected) this.session = session;
      else await house.sessions.archive(session);
    } catch (error) {
      this.problem = words(error);
    }
  }

  async #putAway(): Promise<void> {
    const { session } = this;
    if (!session) return;
    this.session = '';
    const { entries, outgoing } = house.conversation(session).transcript;
    const empty = entries.length + outgoing.length === 0;
    house.closeTab(session);
    await (empty ? house.sessions.remove(session) : house.sessions.archive(session)).catch(() => undefined);
  }
}
customElements.define('mj-test-chat', MjTestChat);
