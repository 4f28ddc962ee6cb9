import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MjSilence } from '../../src/element/silence';

let silence: MjSilence;
beforeEach(async () => {
  vi.useFakeTimers();
  silence = new MjSilence();
  document.body.append(silence);
  await silence.updateComplete;
});
afterEach(() => {
  silence.remove();
  vi.useRealTimers();
});

/** Time goes on; what is told then, and how. */
async function after(seconds: number): Promise<string> {
  await vi.advanceTimersByTimeAsync(seconds * 1_000);
  await silence.updateComplete;
  const told = silence.querySelector('[role=status]');
  return told?.textContent ?? '';
}

test('a model that sends nothing is told of after fifteen seconds, and for how long it does', async () => {
  expect(await after(14)).toBe('');
  expect(await after(1)).toBe('The model has sent nothing for 15 seconds. The reply is still running; press Stop to end it.');
  expect(await after(4)).toContain('for 15 seconds');
  expect(await after(1)).toContain('for 20 seconds');
  expect(await after(100)).toContain('for 120 seconds');
});

test('what comes ends the silence, and it is counted from there', async () => {
  expect(await after(20)).toContain('for 20 seconds');
  silence.said = 1;
  expect(await after(0)).toBe('');
  expect(await after(14)).toBe('');
  expect(await after(1)).toContain('for 15 seconds');
});

test('a model that keeps sending is never told of', async () => {
  for (let said = 1; said < 60; said++) {
    silence.said = said;
    expect(await after(10)).toBe('');
  }
});

test('nothing is counted once the reply has ended', async () => {
  silence.remove();
  expect(vi.getTimerCount()).toBe(0);
});
