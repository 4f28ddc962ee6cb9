import { nothing } from 'lit';
import { icon } from '../element/icon';
import type { HmlElement } from '../store/transcript';
import { HmlBase } from './base';
import { bar } from './progress';
import { html, t } from '../words/words';

/** `<todo title="…">` with its `<item>`s. */
export class HmlTodo extends HmlBase {
  override render() {
    const items = this.parts.filter((part) => part.type === 'item');
    const others = [this.element, ...this.parts.filter((part) => part.type !== 'item')].map((part) => part.content).filter(Boolean);
    const done = items.filter((item) => item.attributes['status'] === 'completed').length;
    return html`<section class="card todo">
      <header>${this.attribute('title', t('Tasks'))} <span class="push">${done} of ${items.length}</span></header>
      <div class="in">
        <ul>
          ${items.map(row)}
        </ul>
        ${others.map((words) => html`<p class="plain">${words}</p>`)} ${this.element.done ? bar(done, items.length || 1, 'Done') : nothing}
      </div>
    </section>`;
  }
}

const WORDS: Record<string, string> = { completed: 'done', in_progress: 'being done', pending: 'to do' };

function row(item: HmlElement) {
  const status = item.attributes['status'] ?? 'pending';
  return todoRow(status, item.content);
}

/** One task; also used for the list that an agent keeps with its tool. */
export function todoRow(status: string, text: string) {
  const kind = status === 'completed' ? 'done' : status === 'in_progress' ? 'doing' : '';
  const sign = kind === 'done' ? icon('check', 13) : kind === 'doing' ? icon('half', 13) : '';
  return html`<li class=${kind}><i class="box" aria-hidden="true">${sign}</i><span>${text}</span><span class="unseen">, ${t(WORDS[status] ?? status)}</span></li>`;
}
customElements.define('hml-todo', HmlTodo);
