import { nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { repeat } from 'lit/directives/repeat.js';
import type { CapabilityRef, CapabilityView } from '../../api/schema';
import { LightElement } from '../../element/light';
import '../../element/schema-form';
import { capabilityName, capabilityWords, RISK_WORDS, RISKS } from '../pages/capabilities';
import { html, sentence, served, t } from '../../words/words';

/** Capabilities with switches, their order, and their settings. The order is that in which they enter the prompt. */
export class MjAgentCapabilities extends LightElement {
  static override properties = { known: { attribute: false }, chosen: { attribute: false } };
  declare known: CapabilityView[];
  declare chosen: CapabilityRef[];

  constructor() {
    super();
    this.known = [];
    this.chosen = [];
  }

  override render() {
    const ids = this.chosen.map(idOf);
    const off = this.known.filter((one) => !ids.includes(one.id));
    return html`<ol class="plainlist">${repeat(this.chosen, idOf, (one, at) => this.#on(one, at))}</ol>
      <ul class="plainlist">${repeat(off, (one) => one.id, (one) => html`<li class="row"><label><input type="checkbox" .checked=${live(false)} ?disabled=${one.status === 'coming_soon' || one.status === 'unavailable'} @change=${() => this.#set([...this.chosen, one.id])} /> <b>${capabilityName(one)}</b> <span class="hint">${capabilityWords(one)}${one.remedy ? html` <b>${sentence(served(one.remedy))}</b>` : ''}</span></label><span class="chip push ${RISKS[one.risk]}">${t(RISK_WORDS[one.risk])}</span></li>`)}</ul>`;
  }

  #on(one: CapabilityRef, at: number) {
    const id = idOf(one);
    const view = this.known.find((known) => known.id === id);
    const settings = typeof one === 'string' ? {} : (one.settings ?? {});
    const name = view ? capabilityName(view) : id;
    return html`<li>
      <div class="row"><label><input type="checkbox" .checked=${live(true)} @change=${() => this.#set(this.chosen.toSpliced(at, 1))} /> <b>${name}</b> ${view ? nothing : html`<span class="chip bad">not available</span>`}</label>
        <span class="push row"><button class="btn ghost icon" aria-label=${t('Move {} up', name)} ?disabled=${at === 0} @click=${() => this.#move(at, -1)}>↑</button><button class="btn ghost icon" aria-label=${t('Move {} down', name)} ?disabled=${at === this.chosen.length - 1} @click=${() => this.#move(at, 1)}>↓</button></span></div>
      ${view?.settings_schema ? html`<details class="more"><summary>Settings</summary><mj-schema-form .schema=${view.settings_schema as object} .values=${settings} @values=${(event: CustomEvent<Record<string, unknown>>) => this.#settings(at, id, event.detail)}></mj-schema-form></details>` : nothing}
    </li>`;
  }

  #settings(at: number, id: string, settings: Record<string, unknown>): void {
    this.#set(this.chosen.with(at, Object.keys(settings).length > 0 ? { id, settings } : id));
  }

  #move(at: number, by: number): void {
    const one = this.chosen[at];
    if (one) this.#set(this.chosen.toSpliced(at, 1).toSpliced(at + by, 0, one));
  }

  #set(chosen: CapabilityRef[]): void {
    this.chosen = chosen;
    this.dispatchEvent(new CustomEvent('chosen', { detail: chosen }));
  }
}

function idOf(one: CapabilityRef): string {
  return typeof one === 'string' ? one : one.id;
}
customElements.define('mj-agent-capabilities', MjAgentCapabilities);
