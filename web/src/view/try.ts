import { LightElement } from '../element/light';
import { house } from '../store/house';
import { html, t } from '../words/words';

const TRY = ['What can you do?', 'What time is it in Lisbon?', 'Show me what you can do'];

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
    const capabilities = (agent?.capabilities ?? []).map((one) => (typeof one === 'string' ? one : one.id));
    return html`<div class="try">
      <div class="ava">${(agent?.name ?? 'A').slice(0, 1).toUpperCase()}</div>
      <h2>${agent ? house.nameOf(agent) : t('Your agent')}</h2>
      <p class="quiet">${capabilities.length > 0 ? t('This agent can use: {}.', capabilities.join(', ').replaceAll('_', ' ')) : t('This agent has no tools yet. You can add capabilities to it under Agents.')}</p>
      <div class="row">${TRY.map((text) => html`<button class="btn" @click=${() => house.conversation(this.session).send(t(text), 'queue')}>${t(text)}</button>`)}</div>
    </div>`;
  }
}
customElements.define('mj-try', MjTry);
