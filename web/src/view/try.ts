import { LightElement } from '../element/light';
import { house } from '../store/house';
import { html, t } from '../words/words';

/** To begin with. */
export const TRY = ['What can you do?', 'What time is it in Lisbon?', 'Show me what you can do'];

/** Capabilities that come with the program, in a word or two; others have the name that a person gave them. */
export const CAPABILITIES: Record<string, string> = {
  attachments: 'attached files',
  colleagues: 'other agents',
  commands: 'commands',
  current_time: 'the time',
  knowledge: 'memory',
  noop: 'nothing',
  prompt_response_handler: 'answers to fields',
  research: 'research',
  sandbox: 'programs in a sandbox',
  schedules: 'schedules',
  search: 'your conversations',
  session_file_system: 'files',
  stateless_todo_list: 'a task list',
  test_math: 'arithmetic',
  test_weather: 'invented weather',
  web_fetch: 'web pages',
  web_search: 'web search',
  _decision: 'help with decisions',
  _handover: 'handing over',
  _onstart_household: 'work for a household',
  _weekly_review: 'weekly review',
};

function nameOf(id: string): string {
  return Object.hasOwn(CAPABILITIES, id) ? t(CAPABILITIES[id]!) : id.replaceAll('_', ' ');
}

/** A conversation that has not begun: what this agent can do, and three things to try. */
export class MjTry extends LightElement {
  static override properties = { session: { type: String } };
  declare session: string;

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow(house);
  }

  override render() {
    const agent = house.agentOf(this.session);
    const capabilities = (agent?.capabilities ?? []).map((one) => nameOf(typeof one === 'string' ? one : one.id));
    return html`<div class="try">
      <div class="ava">${(agent?.name ?? 'A').slice(0, 1).toUpperCase()}</div>
      <h2>${agent ? house.nameOf(agent) : t('Your agent')}</h2>
      <p class="quiet">${capabilities.length > 0 ? t('This agent can use: {}.', capabilities.join(', ')) : t('This agent has no tools yet. You can add capabilities to it under Agents.')}</p>
      <div class="row">${TRY.map((text) => html`<button class="btn" @click=${() => house.conversation(this.session).send(t(text), 'queue')}>${t(text)}</button>`)}</div>
    </div>`;
  }
}
customElements.define('mj-try', MjTry);
