import { LightElement } from '../element/light';
import { house } from '../store/house';
import { go } from '../store/place';
import { placesFor } from '../store/role';
import { setTheme } from '../store/theme';
import { newSession } from './list/new-session';
import { html, t } from '../words/words';

export interface Choice {
  label: string;
  kind: string;
  act(): void;
}

/** Everything there is to go to or to do, by its name; or other choices that it is given. */
export class MjPalette extends LightElement {
  static override properties = { text: { state: true }, chosen: { state: true } };
  declare text: string;
  declare chosen: number;
  asks = t('Find a conversation, page or action');
  choices: Choice[] | null = null;

  constructor() {
    super();
    this.text = '';
    this.chosen = 0;
  }

  #all(): Choice[] {
    return [
      { label: t('Start a new conversation'), kind: t('action'), act: () => newSession() },
      ...house.usable.map((agent) => ({ label: t('Start a conversation with {}', house.nameOf(agent)), kind: t('action'), act: () => newSession(agent.id) })),
      ...house.sessions.items.map((session) => ({ label: house.titleOf(session), kind: t('conversation'), act: () => go(session.id) })),
      ...placesFor(house.me?.role).map(([name, label]) => ({ label, kind: t('page'), act: () => go(name) })),
      { label: t('Use the light theme'), kind: t('action'), act: () => setTheme('light') },
      { label: t('Use the dark theme'), kind: t('action'), act: () => setTheme('dark') },
      { label: t('Use the theme of the system'), kind: t('action'), act: () => setTheme('system') },
    ];
  }

  #matches(): Choice[] {
    const parts = this.text.toLowerCase().split(/\s+/).filter(Boolean);
    return (this.choices ?? this.#all()).filter((choice) => parts.every((part) => choice.label.toLowerCase().includes(part))).slice(0, this.choices ? 50 : 12);
  }

  #taken: Choice | null = null;

  override render() {
    const matches = this.#matches();
    return html`<dialog class="card palette" aria-label=${this.asks} @close=${this.#closed}>
      <input class="input" placeholder=${this.asks} aria-label=${this.asks} role="combobox" aria-expanded="true" aria-controls="palette-list" .value=${this.text} @input=${(event: Event) => ((this.text = (event.currentTarget as HTMLInputElement).value), (this.chosen = 0))} @keydown=${this.#key} autofocus />
      <ul role="listbox" id="palette-list" aria-label="Results">${matches.map((choice, at) => html`<li role="option" aria-selected=${at === this.chosen} @click=${() => this.#take(choice)}>${choice.label}<span class="hint push">${choice.kind}</span></li>`)}</ul>
    </dialog>`;
  }

  override firstUpdated(): void {
    this.querySelector('dialog')?.showModal();
  }

  #key = (event: KeyboardEvent): void => {
    const matches = this.#matches();
    if (event.key === 'ArrowDown') this.chosen = Math.min(matches.length - 1, this.chosen + 1);
    else if (event.key === 'ArrowUp') this.chosen = Math.max(0, this.chosen - 1);
    else if (event.key === 'Enter' && matches[this.chosen]) this.#take(matches[this.chosen]!);
    else return;
    event.preventDefault();
  };

  #take(choice: Choice): void {
    this.#taken = choice;
    this.querySelector('dialog')?.close();
  }

  /** Only now, when the focus is where it was before, can it go elsewhere. */
  #closed = (): void => {
    this.remove();
    this.#taken?.act();
  };
}
customElements.define('mj-palette', MjPalette);
