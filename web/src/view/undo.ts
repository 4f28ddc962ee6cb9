import { nothing } from 'lit';
import { words } from '../api/client';
import { icon } from '../element/icon';
import { LightElement } from '../element/light';
import { house } from '../store/house';
import { html, t } from '../words/words';

/** What was deleted a moment ago, and the way back. */
export class MjUndo extends LightElement {
  override connectedCallback(): void {
    super.connectedCallback();
    this.follow(house.sessions);
  }

  override render() {
    const { undo } = house.sessions;
    if (!undo) return nothing;
    const told = undo.ids.length > 1 ? t('{} conversations were deleted.', undo.ids.length) : t('“{}” was deleted.', undo.name ?? t('New conversation'));
    const back = () => void house.sessions.takeBack().catch((error: unknown) => house.complain(words(error)));
    return html`<div class="undo card" role="status">${told} <button class="btn" @click=${back}>Undo</button><button class="btn ghost icon" aria-label="Close" @click=${() => house.sessions.forgetUndo()}>${icon('x', 13)}</button></div>`;
  }
}
customElements.define('mj-undo', MjUndo);
