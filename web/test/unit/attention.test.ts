import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Question } from '../../src/api/schema';
import type { Approval } from '../../src/store/transcript';

const sent = vi.hoisted(() => ({ answers: [] as string[], decisions: [] as string[] }));
vi.mock('../../src/api/routes', () => ({
  api: {
    answerQuestion: async (_: string, answer: string) => void sent.answers.push(answer),
    decide: async (_: string, { decision }: { decision: string }) => void sent.decisions.push(decision),
  },
}));
vi.mock('../../src/store/house', () => ({ house: { loadWaiting: async () => {} } }));

/** What is on the screen is what a test says. */
class View {
  static readonly all = new Set<View>();
  readonly parts = new Set<Element>();
  constructor(readonly told: (entries: { target: Element; isIntersecting: boolean }[]) => void, readonly from: { threshold: number }) {
    View.all.add(this);
  }
  observe(part: Element): void {
    this.parts.add(part);
  }
  disconnect(): void {
    this.parts.clear();
    View.all.delete(this);
  }
  static show(...shown: (Element | null)[]): void {
    for (const view of [...View.all]) view.told([...view.parts].map((target) => ({ target, isIntersecting: shown.includes(target) })));
  }
  /** So much of each of them, from none to all. */
  static showPart(share: number): void {
    for (const view of [...View.all]) view.told([...view.parts].map((target) => ({ target, isIntersecting: share >= view.from.threshold })));
  }
  static showAll(): void {
    View.show(...[...View.all].flatMap((view) => [...view.parts]));
  }
}
vi.stubGlobal('IntersectionObserver', View);
const { MjQuestion } = await import('../../src/element/question');
const { MjApproval } = await import('../../src/element/approval');

const asked = (by: Partial<Question> = {}) => ({ id: 'question_1', status: 'pending', question: 'May I?', options: ['keep everything', 'delete everything'], mode: 'demand', timeout_ms: null, created_at: '2026-01-01T00:00:00Z', ...by }) as Question;
const wanted = { id: 'approval_1', tool: 'bash', arguments: {}, shown: [], danger: 'moderate', why: [], digest: '', scopes: ['once'], status: 'pending', expires_at: '2026-01-01T00:00:00Z' } as unknown as Approval;

async function ask(question = asked()) {
  const card = new MjQuestion();
  card.question = question;
  document.body.append(card);
  await card.updateComplete;
  return card;
}
const button = (card: HTMLElement, words: string) => [...card.querySelectorAll('button')].find((one) => one.textContent?.includes(words))!;
/** Time goes on, and what it changes is drawn. */
async function pass(card: InstanceType<typeof MjQuestion | typeof MjApproval>, ms: number) {
  await vi.advanceTimersByTimeAsync(ms);
  await card.updateComplete;
}

beforeEach(() => {
  vi.useFakeTimers();
  sent.answers.length = sent.decisions.length = 0;
});
afterEach(() => {
  document.body.replaceChildren();
  vi.useRealTimers();
});

describe('the options of a question', () => {
  test('take no press before the question has been in view for a second', async () => {
    const card = await ask();
    const all = button(card, 'delete everything');
    View.show(card.querySelector('header'));
    await pass(card, 5_000);
    all.click();
    expect([all.disabled, card.textContent]).toEqual([true, expect.stringContaining('Scroll until')]);
    View.show(card.querySelector('.row.words'));
    await pass(card, 999);
    // As a hand presses that nothing stops.
    all.disabled = false;
    all.click();
    expect(sent.answers).toEqual([]);
    await pass(card, 1);
    expect([all.disabled, card.textContent]).toEqual([false, expect.not.stringContaining('Scroll until')]);
    all.click();
    await pass(card, 0);
    expect(sent.answers).toEqual(['delete everything']);
  });

  test('count where the view ends between two pixels, and not where a line of them is out of view', async () => {
    const card = await ask();
    View.showPart(0.9);
    await pass(card, 5_000);
    expect(button(card, 'keep').disabled).toBe(true);
    View.showPart(0.998);
    await pass(card, 1_000);
    expect(button(card, 'keep').disabled).toBe(false);
  });

  test('are deaf again when something beside them was decided', async () => {
    const [first, second] = [await ask(), await ask(asked({ id: 'question_2' }))];
    View.showAll();
    await pass(first, 1_000);
    await pass(second, 0);
    expect(button(second, 'keep').disabled).toBe(false);
    button(first, 'keep').click();
    button(second, 'keep').click();
    await pass(second, 999);
    button(second, 'keep').click();
    expect(sent.answers).toEqual(['keep everything']);
    await pass(second, 1);
    button(second, 'keep').click();
    await pass(second, 0);
    expect(sent.answers).toEqual(['keep everything', 'keep everything']);
  });

  test('make a request for approval deaf', async () => {
    const question = await ask();
    const card = new MjApproval();
    card.approval = wanted;
    document.body.append(card);
    await card.updateComplete;
    View.showAll();
    await pass(question, 1_000);
    await pass(card, 0);
    expect(button(card, 'Approve once').disabled).toBe(false);
    button(question, 'keep').click();
    card.dispatchEvent(new CustomEvent('decide', { detail: 'approve' }));
    await pass(card, 0);
    expect([sent.answers, sent.decisions]).toEqual([['keep everything'], []]);
  });

  test('are unread again when another question stands in their place', async () => {
    const card = await ask();
    View.showAll();
    await pass(card, 1_000);
    card.question = asked({ id: 'question_2' });
    await card.updateComplete;
    button(card, 'delete everything').click();
    expect([sent.answers, button(card, 'delete everything').disabled]).toEqual([[], true]);
    View.showAll();
    await pass(card, 1_000);
    expect(button(card, 'delete everything').disabled).toBe(false);
  });

  test('are not waited for by words that were typed into it', async () => {
    const card = await ask();
    card.querySelector('input')!.value = 'ask me tomorrow';
    expect(button(card, 'Send answer').disabled).toBe(false);
    card.querySelector('form')!.dispatchEvent(new Event('submit', { cancelable: true }));
    await pass(card, 0);
    expect(sent.answers).toEqual(['ask me tomorrow']);
  });
});
