import { nothing, type TemplateResult } from 'lit';
import type { CommandHelp } from '../api/schema';
import { html } from '../words/words';
import { allCommands } from './commands';

/** The commands that fit to what is being typed, below the field that it is typed in. */
export class Completion {
  #known: CommandHelp[] = [];
  #chosen = 0;
  #shown = false;

  /** `write` puts the line of a command into the field, `changed` draws the list again. */
  constructor(
    private readonly write: (line: string) => void,
    private readonly changed: () => void,
  ) {}

  /** The list lies over the conversation, so it is there only while its person is at the field. */
  readonly show = (): void => this.#show(true);

  /** A click into the list leaves the field, too. */
  readonly hide = (event: FocusEvent): void => {
    if ((event.relatedTarget as Element | null)?.id !== 'completion') this.#show(false);
  };

  /** Other letters were typed. */
  begin(): void {
    this.#chosen = 0;
  }

  #show(shown: boolean): void {
    this.#shown = shown;
    this.changed();
  }

  render(text: string): TemplateResult | typeof nothing {
    const matches = this.#matches(text);
    if (matches.length === 0) return this.#usage(text);
    return html`<ul class="completion card" id="completion" role="listbox" tabindex="0" aria-label="Commands">${matches.map(
      (command, at) => html`<li role="option" id="completion-${at}" aria-selected=${at === this.#chosen} @mousedown=${(event: Event) => (event.preventDefault(), this.#complete(command))}><code>${command.usage}</code> <span class="hint">${command.description}</span></li>`,
    )}</ul>`;
  }

  /** Which entry of the list the field is at; null where there is no list. */
  active(text: string): string | null {
    return this.#matches(text).length > 0 ? `completion-${this.#chosen}` : null;
  }

  /** True when the key was for the list. */
  key(event: KeyboardEvent, text: string): boolean {
    const matches = this.#matches(text);
    const chosen = matches[this.#chosen];
    if (!chosen) return false;
    if (event.key === 'ArrowDown') this.#chosen = (this.#chosen + 1) % matches.length;
    else if (event.key === 'ArrowUp') this.#chosen = (this.#chosen + matches.length - 1) % matches.length;
    else if (event.key === 'Tab' || (event.key === 'Enter' && `/${chosen.name}` !== text)) this.#complete(chosen);
    else return false;
    event.preventDefault();
    this.changed();
    return true;
  }

  /** How the command is written whose arguments are being typed. */
  #usage(text: string): TemplateResult | typeof nothing {
    const name = /^\/(\w+)\s/.exec(text)?.[1];
    const command = this.#shown && name && this.#all().find((one) => one.name === name);
    if (!command) return nothing;
    return html`<div class="completion card in" role="note"><code>${command.usage}</code> <span class="hint">${command.description}</span></div>`;
  }

  #complete(command: CommandHelp): void {
    this.write(`/${command.name}${/\s/.test(command.usage) ? ' ' : ''}`);
  }

  #matches(text: string): CommandHelp[] {
    if (!this.#shown || !/^\/\w*$/.test(text)) return [];
    return this.#all().filter((command) => `/${command.name}`.startsWith(text));
  }

  #all(): CommandHelp[] {
    allCommands().then(
      (known) => {
        if (this.#known === known) return;
        this.#known = known;
        this.changed();
      },
      () => undefined,
    );
    return this.#known;
  }
}
