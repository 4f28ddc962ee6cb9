/** What links and notes of a reply are called, and which blocks asked for a name before it was given. */
import type { References } from './parser';

/** A name that a block asked for, and what it was given then. */
export type Asked = Map<string, unknown>;

export class Names<B extends { asked: Asked }> {
  /** Of blocks that are finished; the first definition counts. */
  readonly #kept = Object.create(null) as References;
  /** Of the block that is not: as it was read last. */
  #own = Object.create(null) as References;
  readonly #askers = new Map<string, Set<B>>();

  /** The text is read anew. */
  begin(): void {
    this.#own = Object.create(null) as References;
  }

  /** To look names up in, and to define them. */
  table(asked: Asked): References {
    const own = this.#own;
    return new Proxy(own, {
      get: (_, name: string) => {
        if (!this.#kept[name]) asked.set(name, own[name]);
        return this.#find(name);
      },
    });
  }

  #find(name: string) {
    return this.#kept[name] ?? this.#own[name];
  }

  /** This name is in a finished block. Gives the blocks that ought to be read again. */
  keep(name: string): B[] {
    if (this.#kept[name]) return [];
    const given = this.#own[name];
    if (given) this.#kept[name] = given;
    return given ? this.#stale(name) : [];
  }

  /** Those that asked for what is known by now, and were told something else. */
  stale(): Set<B> {
    return new Set(Object.keys(this.#own).flatMap((name) => this.#stale(name)));
  }

  #stale(name: string): B[] {
    return [...(this.#askers.get(name) ?? [])].filter(({ asked }) => asked.get(name) !== this.#find(name));
  }

  /** It may have to be read again when a name is given. */
  remember(block: B): void {
    for (const name of block.asked.keys()) {
      const askers = this.#askers.get(name);
      if (askers) askers.add(block);
      else this.#askers.set(name, new Set([block]));
    }
  }

  forget(block: B): void {
    for (const name of block.asked.keys()) this.#askers.get(name)?.delete(block);
  }
}
