/**
 * Whether a person can have read a request before they decide it. THREAT[page-05]: a hand that presses twice, or a key that was
 * meant for something else, decides what its person has not read. So a request is deaf until its head and its buttons have been in view
 * and a second has passed since then, again when another one was decided beside it, and its buttons keep away from where the last
 * decision was made.
 */

/** How long a request that came into view is deaf. */
const DEAF_MS = 1000;
/** How long it counts where the last decision was made. */
const PLACE_MS = 60_000;
/** So much of a part has been in view that nothing of it is left to read: a view ends between two pixels, and a part with it. */
const IN_VIEW = 0.95;
/** Room on both sides of it; only below it where the two sides moved it by the same length in opposite directions. */
const MOVES = ['apart', 'apart-up'];

/** Where on the screen the last decision was made, and when. */
let last: { place: DOMRect; at: number } | null = null;
const all = new Set<Attention>();

export class Attention {
  readonly #card: HTMLElement;
  readonly #changed: () => void;
  readonly #observer = new IntersectionObserver((entries) => this.#look(entries), { threshold: IN_VIEW });
  /** What has not been in view yet. */
  readonly #unseen = new Set<Element>();
  #timer = 0;
  #moves = 0;
  /** It takes an answer. */
  awake = false;

  constructor(card: HTMLElement, changed: () => void) {
    this.#card = card;
    this.#changed = changed;
  }

  /** Follows the parts that must have been in view; what is followed already is left alone. */
  follow(parts: (Element | null)[]): void {
    if (all.has(this)) return;
    all.add(this);
    for (const part of parts) {
      if (!part) continue;
      this.#unseen.add(part);
      this.#observer.observe(part);
    }
  }

  /** Part of it is out of sight and was never in view. */
  get hidden(): boolean {
    return !this.awake && this.#unseen.size > 0;
  }

  /** It was decided; the others are deaf before anything moves. */
  decided(): void {
    const place = this.#buttons?.getBoundingClientRect();
    if (place) last = { place, at: Date.now() };
    for (const other of all) {
      if (other === this) continue;
      other.#moves = 0;
      other.#doze();
    }
  }

  end(): void {
    all.delete(this);
    this.#observer.disconnect();
    clearTimeout(this.#timer);
  }

  get #buttons(): Element | null {
    return this.#card.querySelector('.row');
  }

  #look(entries: IntersectionObserverEntry[]): void {
    for (const entry of entries) if (entry.isIntersecting) this.#unseen.delete(entry.target);
    if (this.#unseen.size === 0) this.#observer.disconnect();
    this.#keepAway();
    this.#doze();
  }

  #doze(): void {
    this.awake = false;
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#wake(), DEAF_MS);
    this.#changed();
  }

  #wake(): void {
    if (this.#unseen.size > 0 || !this.#card.isConnected) return;
    if (this.#keepAway()) return this.#doze();
    this.awake = true;
    this.#changed();
  }

  /** What came or slid to where the last decision was made moves away from there. */
  #keepAway(): boolean {
    const now = this.#buttons?.getBoundingClientRect();
    const there = last && Date.now() - last.at < PLACE_MS ? last.place : null;
    const moves = !!now && !!there && now.top < there.bottom && now.bottom > there.top && this.#moves < MOVES.length;
    if (moves) {
      this.#card.classList.remove(...MOVES);
      this.#card.classList.add(MOVES[this.#moves] ?? '');
      this.#moves += 1;
    }
    return moves;
  }
}
