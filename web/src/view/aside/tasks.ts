import { bar } from '../../hml/progress';
import { todoRow } from '../../hml/todo';
import type { Transcript } from '../../store/transcript';
import { AsidePart } from './part';
import { html, t } from '../../words/words';

export interface Task {
  status: string;
  text: string;
}

/** The newest list: of the agent's tool, or of its text. */
export function newestTasks(transcript: Transcript): Task[] {
  for (const entry of transcript.entries.toReversed()) {
    for (const id of entry.calls.toReversed()) {
      const call = transcript.calls[id];
      if (call?.name === 'write_todos') return fromTool(call.arguments);
    }
    const todo = Object.values(entry.elements).findLast((element) => element.type === 'todo');
    if (!todo) continue;
    const items = Object.values(entry.elements).filter((element) => element.parent_id === todo.id);
    return items.map((item) => ({ status: item.attributes['status'] ?? 'pending', text: item.content }));
  }
  return [];
}

function fromTool(value: unknown): Task[] {
  const todos = (value as { todos?: unknown } | null)?.todos;
  if (!Array.isArray(todos)) return [];
  return todos.map((todo: { status?: unknown; content?: unknown }) => ({ status: String(todo.status ?? 'pending'), text: String(todo.content ?? '') }));
}

export class MjTasks extends AsidePart {
  override render() {
    const tasks = newestTasks(this.conversation.transcript);
    if (tasks.length === 0) return html`<p class="empty">The agent shows its task list here when its work has several steps.</p>`;
    const done = tasks.filter((task) => task.status === 'completed').length;
    return html`<div class="feed todo"><div class="hint">${t('{} of {} done', done, tasks.length)}</div>${bar(done, tasks.length, t('Tasks done'))}<ul>${tasks.map((task) => todoRow(task.status, task.text))}</ul></div>`;
  }
}
customElements.define('mj-tasks', MjTasks);
