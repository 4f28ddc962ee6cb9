import { nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { words } from '../../api/client';
import { icon } from '../../element/icon';
import { LightElement } from '../../element/light';
import { house } from '../../store/house';
import type { Deletion } from '../../store/sessions';
import { html, t } from '../../words/words';

/** What was deleted a moment ago, and the way back. */
export class MjUndo extends LightElement {
  override connectedCallback(): void {
    super.connectedCallback();
    this.follow(house.sessions);
  }

  override render() {
    const { deletions } = house.sessions;
    if (deletions.length === 0) return nothing;
    return repeat(deletions, (one) => one.ids[0], (one) => this.#one(one));
  }

  /** Each deletion has a way back of its own. */
  #one(deletion: Deletion) {
    const told = deletion.ids.length > 1 ? t('{} conversations were deleted.', deletion.ids.length) : t('“{}” was deleted.', deletion.name ?? t('New conversation'));
    const back = () =>
      void house.sessions.takeBack(deletion).then(
        (missing) => missing > 0 && house.complain(t(missing === 1 ? '{} conversation could not be restored: it is deleted for good.' : '{} conversations could not be restored: they are deleted for good.', missing)),
        (error: unknown) => house.complain(words(error)),
      );
    return html`<div class="undo card" role="status">${told} <button class="btn" @click=${back}>Undo</button><button class="btn ghost icon" aria-label="Close" @click=${() => house.sessions.forget(deletion)}>${icon('x', 13)}</button></div>`;
  }
}
customElements.define('mj-undo', MjUndo);
