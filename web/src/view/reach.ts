/**
 * Which part of a long conversation is on the page. The rest is held as data: a conversation of thousands of messages
 * costs as many nodes as one of a hundred.
 */
import type { Group } from '../store/group';

const MOST = 90;
const STEP = 30;

export class Reach {
  /** The first and the last group shown, by key; null = from or to the end. */
  #first: string | null = null;
  #last: string | null = null;
  #whole = false;

  get cutShort(): boolean {
    return this.#last !== null;
  }

  of(all: Group[]): { shown: Group[]; before: boolean; after: boolean } {
    const [from, to] = this.#range(all);
    return { shown: all.slice(from, to), before: from > 0, after: to < all.length };
  }

  /** False when there is nothing earlier at hand. */
  earlier(all: Group[]): boolean {
    const [from, to] = this.#range(all);
    if (from === 0) return false;
    const first = Math.max(0, from - STEP);
    this.#set(all, first, Math.min(to, first + MOST));
    return true;
  }

  /** Shows what is around this one. */
  around(all: Group[], at: number): void {
    const from = Math.max(0, at - STEP / 2);
    this.#set(all, from, Math.min(all.length, from + MOST));
  }

  /** Shows everything, for paper. */
  everything(all: Group[]): void {
    this.#whole = true;
    this.#set(all, 0, all.length);
  }

  later(all: Group[]): void {
    const [from, to] = this.#range(all);
    const last = Math.min(all.length, to + STEP);
    this.#set(all, Math.max(from, last - MOST), last);
  }

  #range(all: Group[]): [number, number] {
    if (this.#whole) return [0, all.length];
    const last = this.#last === null ? -1 : all.findIndex((group) => group.key === this.#last);
    const to = last < 0 ? all.length : last + 1;
    const first = this.#first === null ? -1 : all.findIndex((group) => group.key === this.#first);
    const from = first < 0 ? Math.max(0, to - STEP) : Math.max(first, to - MOST);
    return [Math.min(from, to), to];
  }

  #set(all: Group[], from: number, to: number): void {
    this.#first = all[from]?.key ?? null;
    this.#last = to >= all.length ? null : (all[to - 1]?.key ?? null);
  }
}
