import { nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { CapabilityRef, CapabilityView, Permission, ToolRule, ToolView } from '../../api/schema';
import { LightElement } from '../../element/light';
import { html, t } from '../../words/words';
import { toolWords } from '../pages/capabilities';

export interface ToolSettings {
  allowed_tools: string[];
  tool_rules: ToolRule[];
}

const CHOICES: [Permission | '', string][] = [
  ['', 'default of the tool'],
  ['allow', 'allow'],
  ['ask', 'ask'],
  ['ask_every_time', 'ask every time'],
  ['deny', 'deny'],
];

/** The tools that an agent's capabilities bring: which it has, and whether it asks before it uses them. */
export class MjAgentTools extends LightElement {
  static override properties = { known: { attribute: false }, chosen: { attribute: false }, settings: { attribute: false } };
  declare known: CapabilityView[];
  declare chosen: CapabilityRef[];
  declare settings: ToolSettings;

  constructor() {
    super();
    this.known = [];
    this.chosen = [];
    this.settings = { allowed_tools: ['*'], tool_rules: [] };
  }

  override render() {
    const tools = toolsOf(this.known, this.chosen);
    const { allowed_tools: allowed, tool_rules: rules } = this.settings;
    const all = allowed.includes('*');
    const finer = rules.filter((rule) => !isPlain(rule) || !tools.some((tool) => tool.name === rule.tool)).length;
    return html`<label><input type="checkbox" .checked=${live(all)} @change=${(event: Event) => this.#set({ allowed_tools: (event.currentTarget as HTMLInputElement).checked ? ['*'] : tools.map((tool) => tool.name) })} /> All tools of its capabilities</label>
      <ul class="plainlist">${tools.map((tool) => this.#tool(tool, all))}</ul>
      ${tools.length === 0 ? html`<p class="hint">The chosen capabilities have no tools.</p>` : html`<p class="hint">You can only make tools stricter here. To allow more, add a rule under Permissions.</p>`}
      ${finer > 0 ? html`<p class="hint">${t(finer === 1 ? '{} more specific rule stays unchanged.' : '{} more specific rules stay unchanged.', finer)}</p>` : nothing}`;
  }

  #tool(tool: ToolView, all: boolean): TemplateResult {
    const { allowed_tools: allowed, tool_rules: rules } = this.settings;
    const action = rules.find((rule) => isPlain(rule) && rule.tool === tool.name)?.action ?? '';
    return html`<li class="row tool"><label class="grow"><input type="checkbox" ?disabled=${all} .checked=${live(all || allowed.includes(tool.name))} @change=${(event: Event) => this.#toggle(tool.name, (event.currentTarget as HTMLInputElement).checked)} /> <code>${tool.name}</code> <span class="hint">${tool.description}</span></label>
      <select class="input" aria-label=${t('Permission for {}', tool.name)} @change=${(event: Event) => this.#rule(tool.name, (event.currentTarget as HTMLSelectElement).value as Permission | '')}>${CHOICES.map(([value, words]) => html`<option value=${value} ?selected=${value === action}>${t(words)}</option>`)}</select></li>`;
  }

  #toggle(name: string, on: boolean): void {
    const before = this.settings.allowed_tools;
    this.#set({ allowed_tools: on ? [...before, name] : before.filter((one) => one !== name) });
  }

  #rule(tool: string, action: Permission | ''): void {
    const others = this.settings.tool_rules.filter((rule) => !isPlain(rule) || rule.tool !== tool);
    this.#set({ tool_rules: action ? [...others, { tool, action }] : others });
  }

  #set(change: Partial<ToolSettings>): void {
    this.settings = { ...this.settings, ...change };
    this.dispatchEvent(new CustomEvent('settings', { detail: change }));
  }
}

/** About the tool as such, whatever its arguments are. */
function isPlain(rule: ToolRule): boolean {
  return !rule.arguments;
}

/** Also of capabilities that come along with the chosen ones. */
function toolsOf(known: CapabilityView[], chosen: CapabilityRef[]): ToolView[] {
  const wanted = chosen.map((one) => (typeof one === 'string' ? one : one.id));
  const seen = new Set<string>();
  const tools = new Map<string, ToolView>();
  for (let id = wanted.shift(); id !== undefined; id = wanted.shift()) {
    if (seen.has(id)) continue;
    seen.add(id);
    const view = known.find((one) => one.id === id);
    if (!view) continue;
    for (const tool of view.tools) tools.set(tool.name, { ...tool, description: toolWords(view, tool) });
    wanted.push(...view.dependencies);
  }
  return [...tools.values()];
}
customElements.define('mj-agent-tools', MjAgentTools);
