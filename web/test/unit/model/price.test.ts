import { expect, test } from 'vitest';
import { priceOf, pricesOf, wordsOf } from '../../../src/element/model/price';

test('a price is free, or dollars for a million tokens', () => {
  expect(priceOf(' free ')).toBe('free');
  expect(priceOf('3 15')).toEqual({ input: 3_000_000, output: 15_000_000, cached: null, stored: null });
  expect(priceOf('$0.25, $1.25, 0.03 0.3')).toEqual({ input: 250_000, output: 1_250_000, cached: 30_000, stored: 300_000 });
});

test.each(['', '3', 'cheap', '1 2 3 4 5', '-1 2', '1e9 2', '3 15 x'])('%j is no price', (words) => {
  expect(() => priceOf(words)).toThrow('is not a price');
});

test('single models have a line each', () => {
  const prices = pricesOf('\nsmall 0.5 2\n  vendor/large:8b free \n');
  expect(prices).toEqual({ small: { input: 500_000, output: 2_000_000, cached: null, stored: null }, 'vendor/large:8b': 'free' });
  expect(() => pricesOf('small')).toThrow('is not a price');
});

test('what is written is read as the same', () => {
  for (const price of [{ input: 3_000_000, output: 15_000_000, cached: null, stored: null }, { input: 1, output: 2, cached: 3, stored: 4 }]) expect(priceOf(wordsOf(price))).toEqual(price);
  expect(wordsOf({ input: 0, output: 0, cached: 0, stored: 0 })).toBe('free');
});
