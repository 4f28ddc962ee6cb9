import { beforeEach, expect, test } from 'vitest';
import { MjAside } from '../../src/view/aside';

beforeEach(() => localStorage.clear());

test('the column shows the part that was open before', () => {
  localStorage.setItem('majordomo-aside', '"Tasks"');
  expect(new MjAside().chosen).toBe('Tasks');
});

test('a part that was kept under a name of before is the first one', () => {
  localStorage.setItem('majordomo-aside', '"Todos"');
  expect(new MjAside().chosen).toBe('Activity');
});
