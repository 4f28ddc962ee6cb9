import { nothing, type TemplateResult } from 'lit';
import { words } from '../../api/client';
import { api } from '../../api/routes';
import type { NodeView, Preview, Role } from '../../api/schema';
import { short } from '../../element/time';
import { gistOf } from '../../store/gist';
import { house } from '../../store/house';
import { AsidePart } from './part';
import { html, served, t } from '../../words/words';

/** What the model would be told now: as a tree with sources and token counts, flat, and as the exact request. */
export class MjPromptPreview extends AsidePart {
  static override properties = { ...AsidePart.properties, preview: { state: true }, problem: { state: true }, form: { state: true } };
  declare preview: Preview | null;
  declare problem: string;
  declare form: 'tree' | 'flat' | 'request';

  constructor() {
    super();
    this.preview = null;
    this.problem = '';
    this.form = 'tree';
  }

  protected override opened(): void {
    void this.#load();
  }

  async #load(): Promise<void> {
    const agent = house.sessions.find(this.session)?.agent_id;
    if (!agent) return;
    try {
      this.preview = await api.preview(agent, { session_id: this.session, text: '' });
      this.problem = '';
    } catch (error) {
      this.problem = words(error);
    }
  }

  override render() {
    return html`<div class="feed">
      <div class="row">
        <select class="input" aria-label="View as" @change=${(event: Event) => (this.form = (event.currentTarget as HTMLSelectElement).value as typeof this.form)}><option value="tree">Tree</option><option value="flat">Text</option><option value="request">Request</option></select>
        <button class="btn ghost" @click=${() => void this.#load()}>Refresh</button>
      </div>
      ${this.problem ? html`<p class="told" role="alert">${this.problem}</p>` : nothing}
      ${this.preview ? showPreview(this.preview, this.form) : nothing}
    </div>`;
  }
}

export const ROLES: Record<Role, string> = { system: 'system', user: 'user', assistant: 'assistant', tool: 'tool' };

/** Where a part of the prompt comes from; what follows are names in it. */
const SOURCES: Record<string, string> = {
  about_me: 'about me',
  capabilities: 'capabilities',
  conditions: 'conditional abilities',
  current_turn: 'the current message',
  folder: 'folder',
  folder_files: 'files of the folder',
  history: 'the conversation so far',
  house: 'text added by the server',
  markup: 'explanation of the elements',
  modifiers: 'modifiers',
  names: 'names',
  prompt_tree: 'prompt tree',
  reminders: 'reminders',
  startup: 'start-up text',
  system_prompt: 'instructions (system prompt)',
  time_zone: 'time zone',
};

/** Also shown beside the editor of an agent. */
export function showPreview(preview: Preview, form: 'tree' | 'flat' | 'request'): TemplateResult {
  const share = t('{} of {} tokens · {}', short(preview.tokens), short(preview.window), preview.model);
  return html`<p class="hint">${share}</p>
    ${preview.warnings.map((warning) => html`<p class="chip warn">${served(warning)}</p>`)}
    ${form === 'tree' ? html`<ul class="tree">${preview.nodes.map(node)}</ul>` : nothing}
    ${form === 'flat' ? preview.messages.map((message) => html`<details class="more" open><summary>${t(ROLES[message.role])}</summary><pre tabindex="0">${message.content}</pre></details>`) : nothing}
    ${form === 'request' ? html`<pre tabindex="0">${preview.request ? pretty(preview.request) : t('The demo model sends no request.')}</pre>` : nothing}`;
}

function node(one: NodeView): TemplateResult {
  return html`<li class=${one.enabled ? '' : 'off'}><details><summary>${titleOf(one)} <span class="hint">${one.role ? t(ROLES[one.role]) : ''} ${t('{} tokens', short(one.tokens))}</span></summary>
    ${one.source.length > 0 ? html`<p class="hint">Source: ${sourceOf(one)}</p>` : nothing}${one.text ? html`<pre tabindex="0">${one.text}</pre>` : nothing}</details>
    ${one.children.length > 0 ? html`<ul>${one.children.map(node)}</ul>` : nothing}</li>`;
}

/** Parts without a caption. */
const PARTS: Record<string, string> = {
  'reminders.left_out': 'earlier parts that no longer fit',
  'reminders.missing_capabilities': 'missing capabilities',
  'reminders.open_prompts': 'fields without an answer',
};

function sourceOf({ source: [first = '', ...names] }: NodeView): string {
  return [Object.hasOwn(SOURCES, first) ? t(SOURCES[first]!) : first, ...names].join(' › ');
}

/** A message has no caption; its first words say which one it is. What a person has called a node stays as it is. */
function titleOf(one: NodeView): string {
  if (one.source[0] === 'prompt_tree') return one.caption || one.id;
  if (one.caption) return served(one.caption);
  if (Object.hasOwn(PARTS, one.id)) return t(PARTS[one.id]!);
  if (!one.id.startsWith('message_')) return served(one.id).replaceAll('_', ' ');
  const gist = gistOf(one.text).slice(0, 40);
  return gist ? t('“{}”', gist) : t('Tool calls');
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
customElements.define('mj-prompt-preview', MjPromptPreview);
