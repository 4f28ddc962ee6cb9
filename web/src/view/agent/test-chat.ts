import { address, Problem } from '../../api/client';
import type { Session } from '../../api/schema';
import { LightElement } from '../../element/light';
import type { Conversation } from '../../store/conversation';
import { house } from '../../store/house';
import { keep, kept } from '../../store/browser-storage';
import { html } from '../../words/words';
import type { TestBegun } from '../begin';
import { moveDraft } from '../draft';
import '../begin';
import type { MjConversation } from '../conversation';
import '../conversation';

/** What a window that was closed in the middle left behind; one that is younger may still be open elsewhere. */
const LEFT = 'test-chats';
const OLD_MS = 24 * 60 * 60 * 1000;
/** A reply that is running, and what waits behind it. */
const MOST_STOPS = 20;

interface Left {
  id: string;
  at: number;
}

/** A conversation beside the editor, with the agent as it is saved. It is in no list, and is deleted when it is no longer needed. */
export class MjTestChat extends LightElement {
  static override properties = { agent: { type: String }, session: { state: true } };
  declare agent: string;
  /** Empty before anything was said. */
  declare session: string;
  /** Made, and its first message is on its way. */
  #made = '';

  constructor() {
    super();
    Object.assign(this, { agent: '', session: '' });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener('pagehide', this.#leave);
    for (const { id, at } of kept<Left[]>(LEFT, [])) if (Date.now() - at > OLD_MS) void remove(id);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('pagehide', this.#leave);
    this.#over();
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('agent')) this.#over();
  }

  override render() {
    return html`<div class="test-chat">
      <div class="row in"><span class="hint">This tests the agent as last saved. The conversation is deleted afterwards.</span>${this.session ? html`<button class="btn ghost push" @click=${this.#over}>Start over</button>` : ''}</div>
      ${this.session ? html`<mj-conversation .session=${this.session} @version=${this.#version}></mj-conversation>` : html`<mj-begin .trying=${this.agent} @made=${this.#note} @begun=${this.#begun}></mj-begin>`}
    </div>`;
  }

  /** The others are deleted with the one that is shown. */
  #version = (event: CustomEvent<Session>): void => {
    const before = (event.currentTarget as MjConversation).session;
    house.sessions.take(event.detail);
    keepLeft(event.detail.id);
    if (!this.isConnected || before !== this.session) return void remove(event.detail.id);
    house.conversation(event.detail.id);
    moveDraft(before, event.detail.id);
    this.session = event.detail.id;
    house.closeTab(before);
  };

  #note = (event: CustomEvent<TestBegun>): void => {
    this.#made = event.detail.session;
    keepLeft(this.#made);
  };

  /** Where its person has left the agent meanwhile, it is needed no longer. */
  #begun = (event: CustomEvent<TestBegun>): void => {
    const { agent, session } = event.detail;
    this.#made = '';
    if (this.isConnected && agent === this.agent) this.session = session;
    else void remove(session);
  };

  #over = (): void => {
    const { session } = this;
    this.session = '';
    if (session) void remove(session);
  };

  /** The window closes: nothing can be waited for. */
  #leave = (): void => {
    for (const session of [this.session, this.#made]) if (session) void fetch(address(`v1/sessions/${session}`), { method: 'DELETE', keepalive: true });
  };
}

/** Until it is deleted. */
function keepLeft(id: string): void {
  keep(LEFT, [...kept<Left[]>(LEFT, []).filter((one) => one.id !== id), { id, at: Date.now() }]);
}

/** Stops what runs in it, and deletes it. What cannot be deleted now is left for another day. */
async function remove(session: string): Promise<void> {
  const conversation = house.conversation(session);
  for (let stops = 0; stops < MOST_STOPS && !(await isGone(session)); stops += 1) {
    const ended = end(conversation);
    conversation.stop();
    await ended;
  }
  house.closeTab(session);
}

/** False while a reply is running in it. */
async function isGone(session: string): Promise<boolean> {
  try {
    await house.sessions.remove(session);
  } catch (error) {
    const { status, code } = error instanceof Problem ? error : { status: 0, code: '' };
    if (code === 'session_busy') return false;
    if (status !== 404) return true;
  }
  keep(LEFT, kept<Left[]>(LEFT, []).filter((one) => one.id !== session));
  return true;
}

function end(conversation: Conversation): Promise<void> {
  return new Promise((resolve) => {
    const unsubscribe = conversation.subscribe(() => {
      if (conversation.working) return;
      unsubscribe();
      resolve();
    });
  });
}
customElements.define('mj-test-chat', MjTestChat);
