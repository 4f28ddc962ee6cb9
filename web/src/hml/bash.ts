import { callOutput, callResult, callState } from '../element/call';
import { HmlBase } from './base';
import { html } from '../words/words';

/** `<bash>`: the command, and what came of it. */
export class HmlBash extends HmlBase {
  override render() {
    return html`<section class="card bash">
      <header>Command ${callState(this.call, this.element.done)}</header>
      <div class="in">
        <div class="term"><pre tabindex="0"><b>$</b> ${this.element.content.trim()}</pre></div>
        ${callOutput(this.call)} ${callResult(this.call)}
      </div>
    </section>`;
  }
}
customElements.define('hml-bash', HmlBash);
