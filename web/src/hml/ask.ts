import '../element/question';
import { HmlBase } from './base';
import { html } from '../words/words';

/** `<ask>`: the question while it is written; once the server asks it, the question itself. */
export class HmlAsk extends HmlBase {
  override render() {
    if (this.question) return html`<mj-question .question=${this.question}></mj-question>`;
    return html`<section class="card ask">
      <header>Question</header>
      <div class="in"><p>${this.element.content}</p>${this.call?.content ? html`<p class="quiet">Your answer: ${this.call.content}</p>` : ''}</div>
    </section>`;
  }
}
customElements.define('hml-ask', HmlAsk);
