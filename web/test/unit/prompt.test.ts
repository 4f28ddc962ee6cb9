import { describe, expect, test, vi } from 'vitest';
import '../../src/hml/prompt';
import type { HmlPrompt } from '../../src/hml/prompt';
import { house } from '../../src/store/house';

const OPTIONS = JSON.stringify([{ value: 's', label: 'Small' }, { value: 'l', label: 'Large' }, { value: 'l, x', label: 'Very large' }]);

async function shown(attributes: Record<string, string>, isRead = false, session_id = 'session_1'): Promise<HmlPrompt> {
  const node = document.createElement('hml-prompt') as HmlPrompt;
  node.context = { session_id, message_id: 'm', isRead };
  node.element = { id: 'p', parent_id: null, type: 'hml-prompt', attributes: { id: 'bag', ...attributes }, content: 'Which bag?', done: true };
  document.body.append(node);
  await node.updateComplete;
  return node;
}

const answerOf = (node: HmlPrompt) => node.querySelector('.answered')?.textContent?.replace('Which bag?', '').replace('Change', '').trim();

describe('an answered prompt', () => {
  test.each([
    ['radio', 'l', 'Large'],
    ['select', 's', 'Small'],
    ['select', 'gone', 'gone'],
    ['checkboxes', 's, l', 'Small, Large'],
    ['checkboxes', 'l, x, s', 'Very large, Small'],
    ['checkbox', 'true', 'Yes'],
    ['checkbox', 'false', 'No'],
    ['text', 'by the window', 'by the window'],
    ['number', '3', '3'],
  ])('%s shows %s as %s', async (type, answer, words) => {
    expect(answerOf(await shown({ type, answer, answered: 'true', options: OPTIONS }))).toBe(words);
  });

  test('is changed until the agent has read it', async () => {
    const answerPrompt = vi.fn(() => Promise.resolve());
    vi.spyOn(house, 'conversation').mockReturnValue({ answerPrompt } as never);
    const node = await shown({ type: 'radio', answer: 'l', answered: 'true', options: OPTIONS });
    node.querySelector<HTMLButtonElement>('button.change')!.click();
    await node.updateComplete;
    expect(node.querySelector<HTMLInputElement>('input:checked')?.value).toBe('l');
    node.querySelector<HTMLInputElement>('input[value=s]')!.checked = true;
    node.querySelector('form')!.requestSubmit();
    await vi.waitFor(() => expect(node.querySelector('form')).toBeNull());
    expect(answerPrompt).toHaveBeenCalledWith('m', 'bag', 's');
    node.changing = true;
    node.context = { ...node.context, isRead: true };
    await node.updateComplete;
    expect(node.querySelector('form, button')).toBeNull();
  });

  test('is not changed where a conversation is shown to others', async () => {
    expect((await shown({ answer: 'x', answered: 'true' }, false, '')).querySelector('button')).toBeNull();
  });
});
