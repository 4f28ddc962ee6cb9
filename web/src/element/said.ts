import { loadReader, readerNow } from '../markdown/load';

/** Words of the server in Markdown, shown once the reader is here. */
export class MjSaid extends HTMLElement {
  #text = '';

  set text(text: string) {
    if (text === this.#text) return;
    this.#text = text;
    void loadReader().then(() => this.#show(text));
  }

  #show(text: string): void {
    const Reader = readerNow();
    if (!Reader || text !== this.#text) return;
    this.replaceChildren();
    const writer = new Reader(this);
    writer.text(text);
    writer.end();
  }
}
customElements.define('mj-said', MjSaid);
