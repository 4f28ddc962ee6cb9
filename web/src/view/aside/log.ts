import { repeat } from 'lit/directives/repeat.js';
import { clock } from '../../element/time';
import { AsidePart } from './part';
import { html } from '../../words/words';

const MOST = 200;

/** The log as it is stored, event by event. */
export class MjLog extends AsidePart {
  override render() {
    const events = this.conversation.events.slice(-MOST).reverse();
    if (events.length === 0) return html`<p class="empty">The technical log of this conversation appears here.</p>`;
    return html`<div class="feed log"><ol reversed>${repeat(events, (event) => event.seq, (event) => html`<li><details><summary><code>${event.seq}</code> ${event.type}<time class="push hint">${clock(event.at, true)}</time></summary><pre tabindex="0">${JSON.stringify(event.data, null, 2)}</pre></details></li>`)}</ol></div>`;
  }
}
customElements.define('mj-log', MjLog);
