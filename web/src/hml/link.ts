import { outside } from '../markdown/link';
import { HmlBase } from './base';

/** `<link href="…">words</link>`, in the middle of a line; asked about before it is followed. */
export class HmlLink extends HmlBase {
  #anchor: HTMLAnchorElement | null = null;

  override render() {
    return this.fields();
  }

  override update(changed: Map<PropertyKey, unknown>): void {
    super.update(changed);
    if (!this.#anchor) {
      this.#anchor = document.createElement('a');
      this.prepend(this.#anchor);
    }
    outside(this.#anchor, this.attribute('href'));
    this.#anchor.textContent = this.words.trim() || this.attribute('href');
  }
}
customElements.define('hml-link', HmlLink);
