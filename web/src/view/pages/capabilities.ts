import { nothing } from 'lit';
import { api } from '../../api/routes';
import type { CapabilityView, ToolView } from '../../api/schema';
import { PlaceView } from '../place-view';
import { html, served, t } from '../../words/words';
import './abilities';

/** What an agent can be given. */
export class MjCapabilities extends PlaceView {
  static override properties = { ...PlaceView.properties, items: { state: true }, search: { state: true } };
  declare items: CapabilityView[];
  declare search: string;

  constructor() {
    super();
    this.items = [];
    this.search = '';
  }

  protected override async load(): Promise<void> {
    this.items = (await api.capabilities()).items;
  }

  override render() {
    const words = this.search.toLowerCase();
    const found = this.items.filter((one) => `${one.id} ${capabilityName(one)} ${capabilityWords(one)} ${one.category} ${one.tools.map((tool) => tool.name).join(' ')}`.toLowerCase().includes(words));
    return this.frame(t('Capabilities'), t('A capability gives an agent tools and explains how to use them. Switch capabilities on in each agent, under Agents.'), html`
      <input class="input" type="search" placeholder="Search capabilities" aria-label="Search capabilities" .value=${this.search} @input=${(event: Event) => (this.search = (event.currentTarget as HTMLInputElement).value)} />
      ${found.map(card)}
      ${this.loaded && found.length === 0 ? html`<p class="empty">${t('No capability matches “{}”.', this.search)}</p>` : nothing}
      <mj-abilities></mj-abilities>`);
  }
}

const SOURCES: Record<CapabilityView['source'], string> = { builtin: 'built in', system: 'from this server', user: 'written by you', plugin: 'plugin', mcp: 'MCP server', skill: 'skill' };
const STATES: Record<CapabilityView['status'], string> = { available: 'available', coming_soon: 'coming soon', unavailable: 'not available', deprecated: 'outdated' };
export const RISK_WORDS: Record<CapabilityView['risk'], string> = { low: 'low risk', medium: 'medium risk', high: 'high risk' };
export const RISKS: Record<CapabilityView['risk'], string> = { low: 'ok', medium: 'warn', high: 'bad' };

/** What comes with the program is told in the person's language; what people and others wrote is quoted. */
function comesAlong(one: CapabilityView): boolean {
  return one.source === 'builtin' || one.source === 'system';
}

export function capabilityName(one: CapabilityView): string {
  return comesAlong(one) ? served(one.name) : one.name;
}

export function capabilityWords(one: CapabilityView): string {
  return comesAlong(one) ? served(one.description) : one.description;
}

/** What is told of a tool; what the model is told of it is told to people in a line where we know it. */
export function toolWords(one: CapabilityView, { description }: ToolView): string {
  return comesAlong(one) ? served(description) : description;
}

function card(one: CapabilityView) {
  return html`<section class="card capability">
    <header>${capabilityName(one)} <code class="quiet">${one.id}</code><span class="push row"><span class="chip">${t(SOURCES[one.source])}</span><span class="chip ${RISKS[one.risk]}">${t(RISK_WORDS[one.risk])}</span>${one.status === 'available' ? nothing : html`<span class="chip">${t(STATES[one.status])}</span>`}</span></header>
    <div class="in"><p>${capabilityWords(one)}</p>
      ${one.dependencies.length > 0 ? html`<p class="hint">${t('Also switches on: {}.', one.dependencies.join(', '))}</p>` : nothing}
      ${one.tools.length > 0 ? html`<details class="more"><summary>${one.tools.length === 1 ? t('1 tool') : t('{} tools', one.tools.length)}</summary><dl class="facts">${one.tools.map((tool) => html`<dt><code>${tool.name}</code></dt><dd>${toolWords(one, tool)}</dd>`)}</dl></details>` : nothing}
    </div>
  </section>`;
}
customElements.define('mj-capabilities', MjCapabilities);
