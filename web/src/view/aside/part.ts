import { LightElement } from '../../element/light';
import type { Conversation } from '../../store/conversation';
import { house } from '../../store/house';

/** A part of the right column: it follows the conversation that is looked at. */
export class AsidePart extends LightElement {
  static override properties = { session: { type: String } };
  declare session: string;
  protected conversation!: Conversation;

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.conversation) this.follow(this.conversation);
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (!changed.has('session')) return;
    if (this.conversation) this.unfollow(this.conversation);
    this.conversation = house.conversation(this.session);
    this.follow(this.conversation);
    this.opened();
  }

  /** Another conversation is looked at now. */
  protected opened(): void {}
}
