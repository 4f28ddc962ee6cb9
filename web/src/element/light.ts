/** A Lit element that shares the page's own style sheet, and follows what it shows. */
import { LitElement } from 'lit';
import type { Observable } from '../store/observable';

export class LightElement extends LitElement {
  #followed = new Map<Observable, () => void>();

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  /** Renders again whenever this changes; may be said as often as one likes. */
  protected follow(observable: Observable): void {
    if (this.#followed.has(observable)) return;
    this.#followed.set(observable, observable.subscribe(() => this.requestUpdate()));
  }

  protected unfollow(observable: Observable): void {
    this.#followed.get(observable)?.();
    this.#followed.delete(observable);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const stop of this.#followed.values()) stop();
    this.#followed.clear();
  }
}
