import { nothing, type TemplateResult } from 'lit';
import { icon } from '../element/icon';
import { HmlBase } from './base';
import { bar } from './progress';
import { html, t } from '../words/words';

/** `<todo title="…">` with its `<item>`s. */
export class HmlTodo extends HmlBase {
  override render() {
    const items = this.parts.filter((part) => part.type === 'item');
    // Without the items, what stands in one of them is not found from outside of it.
    const loose = this.parts.filter((part) => part.type !== 'item');
    const others = this.wordsOf(this.element, loose);
    const done = items.filter((item) => item.attributes['status'] === 'completed').length;
    return html`<section class="card todo">
      <header>${this.attribute('title', t('Tasks'))} <span class="push">${t('{} of {} done', done, items.length)}</span></header>
      <div class="in">
        <ul>
          ${items.map((item) => todoRow(item.attributes['status'] ?? 'pending', this.wordsOf(item, loose), this.fields(item, loose)))}
        </ul>
        ${others ? html`<p class="plain">${others}</p>` : nothing} ${this.fields(this.element, loose)} ${this.element.done ? bar(done, items.length || 1, t('Tasks done')) : nothing}
      </div>
    </section>`;
  }
}

const WORDS: Record<string, string> = { completed: 'done', in_progress: 'in progress', pending: 'to do' };

/** One task; also used for the list that an agent keeps with its tool. */
export function todoRow(status: string, text: string, fields: TemplateResult[] = []) {
  const kind = status === 'completed' ? 'done' : status === 'in_progress' ? 'doing' : '';
  const sign = kind === 'done' ? icon('check', 13) : kind === 'doing' ? icon('half', 13) : '';
  return html`<li class=${kind}><i class="box" aria-hidden="true">${sign}</i><span>${text}</span><span class="unseen">, ${t(WORDS[status] ?? status)}</span>${fields}</li>`;
}
customElements.define('hml-todo', HmlTodo);
