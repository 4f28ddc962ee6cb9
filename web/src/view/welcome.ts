import { nothing } from 'lit';
import { LightElement } from '../element/light';
import { mark } from '../element/mark';
import { house, offer } from '../store/house';
import { link } from '../store/place';
import { newSession } from './new-session';
import { html, t } from '../words/words';

/** What there is when nothing is open: with whom to talk. */
export class MjWelcome extends LightElement {
  override connectedCallback(): void {
    super.connectedCallback();
    this.follow(house);
    this.follow(house.sessions);
  }

  override render() {
    const [mine, offered] = [house.usable, house.agents.filter(offer)];
    const demo = house.models.length > 0 && house.models.every((model) => model.provider === 'demo');
    return html`<div class="page"><div class="wide welcome">
      <div class="brand">${mark()}</div>
      <h1>Good to see you, ${house.me?.name}</h1>
      <p class="quiet">${mine.length > 0 ? t('Start a conversation with one of your agents.') : t('No agent is shared with you yet. Ask the owner or an admin to share one.')}</p>
      <div class="agents">${mine.map((agent) => html`<button class="card agent" @click=${() => void newSession(agent.id)}><span class="ava">${agent.name.slice(0, 1).toUpperCase()}</span><span><b>${house.nameOf(agent)}</b><span class="hint">${agent.model ?? house.defaultModel}</span></span></button>`)}</div>
      ${offered.length > 0 ? html`<p>${t('Other people offer you agents: {}.', offered.map((agent) => `${agent.name} (${offer(agent)?.by ?? ''})`).join(', '))} <a href=${link('agents')} data-place="agents">Review the offers</a></p>` : nothing}
      ${demo ? html`<p class="hint">Only the built-in demo model answers. To use a real model, <a href=${link('settings', 'models')} data-place="settings#models">add a provider</a>.</p>` : nothing}
      <p class="hint"><kbd>?</kbd> shows the keyboard shortcuts, <kbd>Ctrl K</kbd> finds conversations, pages and actions.</p>
    </div></div>`;
  }
}
customElements.define('mj-welcome', MjWelcome);
