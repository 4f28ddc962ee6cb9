import { nothing } from 'lit';
import { house } from '../store/house';
import { link } from '../store/place';
import { icon } from './icon';
import { LightElement } from './light';
import { approvalTitle } from '../words/approval';
import { html } from '../words/words';

/** Everything that waits for this person, whatever conversation it is in. */
export class MjTray extends LightElement {
  override connectedCallback(): void {
    super.connectedCallback();
    this.follow(house);
    this.follow(house.sessions);
  }

  override render() {
    const waiting = [
      ...house.approvals.map((one) => ({ session_id: one.session_id, words: approvalTitle(one) })),
      ...house.questions.map((one) => ({ session_id: one.session_id, words: one.question })),
    ];
    if (waiting.length === 0) return nothing;
    return html`<section class="tray" aria-label="Needs your answer">
      <h2 class="group">${icon('bell', 12)} Needs your answer</h2>
      <ul>${waiting.map((one) => html`<li class="item"><a href=${link(one.session_id)} data-place=${one.session_id}><span class="t"><i class="dot needs"></i>${house.titleOf(house.sessions.find(one.session_id))}</span><span class="p">${one.words}</span></a></li>`)}</ul>
    </section>`;
  }
}
customElements.define('mj-tray', MjTray);
