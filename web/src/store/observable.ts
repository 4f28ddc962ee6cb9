/** Something that tells when it changed. */
export class Observable {
  readonly #listeners = new Set<() => void>();

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  protected changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
