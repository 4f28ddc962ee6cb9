import { nothing, type TemplateResult } from 'lit';
import type { ModifierInput, PromptNodeInput, PromptTreeInput, Role } from '../../api/schema';
import { LightElement } from '../../element/light';
import { html, t } from '../../words/words';
import { ROLES as NAMES } from '../aside/prompt';
import './modifiers';

const ROLES: Role[] = ['system', 'user', 'assistant'];

/** The tree of a prompt: captions, roles and words, in an order that can be changed, what is done to them, and all of it as it is kept. */
export class MjPromptTree extends LightElement {
  static override properties = { tree: { attribute: false }, wrong: { state: true } };
  declare tree: PromptTreeInput | null;
  declare wrong: string;

  constructor() {
    super();
    this.tree = null;
    this.wrong = '';
  }

  override render() {
    if (!this.tree) {
      return html`<p class="hint">Standard: the instructions, what the server and the capabilities add, then the conversation.</p>
        <button class="btn" @click=${() => this.#set({ nodes: [fresh([])], modifiers: [], response: [] })}>Create a custom prompt tree</button>`;
    }
    const { nodes = [], modifiers = [], response = [] } = this.tree;
    return html`<ol class="plainlist nodes">${nodes.map((node, at) => this.#node(node, [at], nodes.length))}</ol>
      <div class="row"><button class="btn" @click=${() => this.#edit((tree) => ({ ...tree, nodes: [...nodes, fresh(nodes)] }))}>Add a node</button><button class="btn ghost danger push" @click=${() => this.#set(null)}>Return to the standard tree</button></div>
      <mj-modifiers .modifiers=${modifiers} .nodes=${nodes} .response=${response} @modifiers=${(event: CustomEvent<ModifierInput[]>) => this.#edit((tree) => ({ ...tree, modifiers: event.detail }))}></mj-modifiers>
      <details class="more"><summary>Edit as JSON</summary><label class="field"><span>The whole tree</span><textarea class="input tall" spellcheck="false" .value=${JSON.stringify(this.tree, null, 2)} @change=${(event: Event) => this.#raw((event.currentTarget as HTMLTextAreaElement).value)}></textarea><small>Nodes, modifiers and, under “response”, the parts of a reply that are shown.</small></label>
      ${this.wrong ? html`<p class="told" role="alert">${this.wrong}</p>` : nothing}</details>`;
  }

  #node(node: PromptNodeInput, path: number[], count: number): TemplateResult {
    const change = (by: Partial<PromptNodeInput>) => this.#at(path, () => [{ ...node, ...by }]);
    const at = path.at(-1) ?? 0;
    const name = node.caption || node.id;
    return html`<li class="node">
      <div class="row"><label><input type="checkbox" aria-label=${t('Use {}', name)} .checked=${node.enabled ?? true} @change=${(event: Event) => change({ enabled: (event.currentTarget as HTMLInputElement).checked })} /></label>
        <input class="input grow" aria-label="Title" .value=${node.caption ?? ''} placeholder=${node.id} @change=${(event: Event) => change({ caption: (event.currentTarget as HTMLInputElement).value })} />
        <select class="input" aria-label=${t('Role of {}', name)} @change=${(event: Event) => change({ role: ((event.currentTarget as HTMLSelectElement).value || null) as Role | null })}><option value="">same role as its parent</option>${ROLES.map((role) => html`<option value=${role} ?selected=${role === node.role}>${t(NAMES[role])}</option>`)}</select>
        <button class="btn ghost icon" aria-label=${t('Move {} up', name)} ?disabled=${at === 0} @click=${() => this.#move(path, -1)}>↑</button><button class="btn ghost icon" aria-label=${t('Move {} down', name)} ?disabled=${at === count - 1} @click=${() => this.#move(path, 1)}>↓</button>
        <button class="btn ghost danger" aria-label=${t('Remove {}', name)} @click=${() => this.#at(path, () => [])}>Remove</button></div>
      <textarea class="input" aria-label=${t('Text of {}', name)} .value=${node.text ?? ''} @change=${(event: Event) => change({ text: (event.currentTarget as HTMLTextAreaElement).value })}></textarea>
      ${node.children?.length ? html`<ol class="plainlist nodes">${node.children.map((child, index) => this.#node(child, [...path, index], node.children?.length ?? 0))}</ol>` : nothing}
      <button class="btn ghost" @click=${() => change({ children: [...(node.children ?? []), fresh(node.children ?? [])] })}>${t('Add a node inside {}', name)}</button>
    </li>`;
  }

  /** What is no tree is left standing in its field, to be put right. */
  #raw(text: string): void {
    try {
      const tree: unknown = JSON.parse(text);
      if (!isTree(tree)) throw new Error('not a tree');
      this.wrong = '';
      this.#set(tree);
    } catch {
      this.wrong = t('This is not a prompt tree in JSON. Correct it, or discard your changes.');
    }
  }

  #move(path: number[], by: number): void {
    const at = path.at(-1) ?? 0;
    this.#edit((tree) => ({
      ...tree,
      nodes: within(tree.nodes ?? [], path.slice(0, -1), (list) => {
        const node = list[at];
        return node ? list.toSpliced(at, 1).toSpliced(at + by, 0, node) : list;
      }),
    }));
  }

  #at(path: number[], replace: () => PromptNodeInput[]): void {
    const at = path.at(-1) ?? 0;
    this.#edit((tree) => ({ ...tree, nodes: within(tree.nodes ?? [], path.slice(0, -1), (list) => list.toSpliced(at, 1, ...replace())) }));
  }

  #edit(edit: (tree: PromptTreeInput) => PromptTreeInput): void {
    if (this.tree) this.#set(edit(this.tree));
  }

  #set(tree: PromptTreeInput | null): void {
    this.tree = tree;
    this.dispatchEvent(new CustomEvent('tree', { detail: tree }));
  }
}

/** The list at the end of a path of children, edited. */
export function within(nodes: PromptNodeInput[], path: number[], edit: (list: PromptNodeInput[]) => PromptNodeInput[]): PromptNodeInput[] {
  const [at, ...rest] = path;
  if (at === undefined) return edit(nodes);
  const node = nodes[at];
  return node ? nodes.with(at, { ...node, children: within(node.children ?? [], rest, edit) }) : nodes;
}

/** Can it be shown? Whether it is right is for the server to say. */
export function isTree(value: unknown): value is PromptTreeInput {
  if (!isObject(value)) return false;
  const { nodes = [], modifiers = [], response = [] } = value;
  return isNodes(nodes) && isNodes(response) && Array.isArray(modifiers) && modifiers.every(isNamed);
}

function isNodes(value: unknown): boolean {
  return Array.isArray(value) && value.every((node) => isNamed(node) && isNodes(node['children'] ?? []));
}

function isNamed(value: unknown): value is Record<string, unknown> {
  return isObject(value) && typeof value['id'] === 'string';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fresh(beside: PromptNodeInput[]): PromptNodeInput {
  const id = `node_${Math.random().toString(36).slice(2, 8)}`;
  return { id, caption: t('Node {}', beside.length + 1), role: 'system', text: '', enabled: true };
}
customElements.define('mj-prompt-tree', MjPromptTree);
