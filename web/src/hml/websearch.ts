import { callResult, callState } from '../element/call';
import { HmlBase } from './base';
import { html } from '../words/words';

/** `<websearch>`: what was looked for, and what was found. */
export class HmlWebsearch extends HmlBase {
  override render() {
    const words = this.element.content.trim();
    return html`<section class="card websearch">
      <header>Web search <span class="push">${words ? `“${words}”` : ''}</span> ${callState(this.call, this.element.done)}</header>
      ${this.call?.content ? html`<details class="more in"><summary>Sources</summary>${callResult(this.call)}</details>` : ''}
    </section>`;
  }
}
customElements.define('hml-websearch', HmlWebsearch);
