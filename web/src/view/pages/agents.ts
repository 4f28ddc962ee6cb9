import { nothing } from 'lit';
import { api } from '../../api/routes';
import type { AgentFile, AgentView } from '../../api/schema';
import { confirmed } from '../../element/confirm';
import { house, offer } from '../../store/house';
import { go, link } from '../../store/place';
import { isAtLeast } from '../../store/role';
import { newSession } from '../list/new-session';
import { fieldsOf, PlaceView } from '../place-view';
import { html, t } from '../../words/words';
import '../agent/editor';

/** The agents of this person, and those that are shared with them. */
export class MjAgents extends PlaceView {
  static override properties = { ...PlaceView.properties, agent: { type: String } };
  declare agent: string;

  constructor() {
    super();
    this.agent = '';
  }

  protected override load(): Promise<void> {
    return house.loadAgents();
  }

  override render() {
    if (this.agent) return html`<mj-agent-editor .agent=${this.agent}></mj-agent-editor>`;
    return this.frame(t('Agents'), t('Each agent has a model, instructions and tools. Give each agent one job.'), html`
      ${house.agents.map((agent) => html`<section class="card"><header><span class="ava">${agent.name.slice(0, 1).toUpperCase()}</span>${house.nameOf(agent)}
          ${offer(agent) ? html`<span class="chip warn">${t('{} offers you this agent', offer(agent)?.by ?? '')}</span>` : 'shared_by' in agent && agent.shared_by ? html`<span class="chip">shared with you</span>` : nothing}${agent.status === 'archived' ? html`<span class="chip">archived</span>` : nothing}
          <span class="push row"><span class="hint">${agent.model ?? house.defaultModel}</span>
          ${this.#talk(agent)}${'system_prompt' in agent ? html`<a class="btn" href=${link(agent.id)} data-place=${agent.id}>Edit</a>` : nothing}</span></header></section>`)}
      ${this.loaded && house.agents.length === 0 ? html`<p class="empty">No agent is shared with you yet. Ask the owner or an admin to share one.</p>` : nothing}
      ${isAtLeast(house.me?.role, 'member') ? this.#new() : nothing}`);
  }

  /** What another person offers is used once it was accepted. */
  #talk(agent: AgentView) {
    const reload = (deed: () => Promise<unknown>, told: string) => () => void this.attempt(async () => (await deed(), await house.loadAgents()), told);
    if (offer(agent)) return html`<button class="btn primary" @click=${reload(() => api.acceptAgent(agent.id), t('You can now use this agent.'))}>Accept this agent</button>`;
    const shared = 'shared_by' in agent && agent.shared_by;
    return html`<button class="btn" @click=${() => newSession(agent.id)}>Start conversation</button>
      ${shared && shared !== house.me?.id ? html`<button class="btn ghost" @click=${reload(() => api.declineAgent(agent.id), t('You no longer use this agent.'))}>Stop using this agent</button>` : nothing}`;
  }

  #new() {
    return html`<section class="card"><header>New agent</header><form class="in row" @submit=${this.#create}><input class="input grow" name="name" aria-label="Name of the new agent" placeholder="gardener" maxlength="200" required autocomplete="off" /><button class="btn primary">Create agent</button>
        <label class="btn">Import agent file<input class="unseen" type="file" accept="application/json,.json" @change=${this.#import} /></label></form></section>`;
  }

  #create = (event: Event): void => {
    const { name = '' } = fieldsOf(event);
    void this.attempt(async () => {
      const agent = await api.createAgent({ name });
      await house.loadAgents();
      if (this.isConnected) go(agent.id);
    });
  };

  #import = (event: Event): void => {
    const input = event.currentTarget as HTMLInputElement;
    const file = input.files?.[0];
    if (!file) return;
    void this.attempt(async () => {
      const wanted = fileOf(await file.text());
      const agent = await confirmed(() => api.importAgent(wanted));
      await house.loadAgents();
      if (this.isConnected) go(agent.id);
    });
    input.value = '';
  };
}

function fileOf(text: string): AgentFile {
  try {
    return JSON.parse(text) as AgentFile;
  } catch {
    throw new Error(t('This is not an agent file. Choose a file that was exported from an agent.'));
  }
}
customElements.define('mj-agents', MjAgents);
