/** Prices as people write them: dollars for a million tokens. The house counts in millionths of a dollar. */
import type { GivenPrice, Price } from '../../api/schema';
import { t } from '../../words/words';

const MICRO = 1_000_000;

/** `free`, or two to four numbers: read, written, read from the cache, stored in it. */
export function priceOf(words: string): GivenPrice {
  const said = words.trim();
  if (said.toLowerCase() === 'free') return 'free';
  const numbers = said.split(/[\s,;/]+/).map((word) => (/^\$?\d+(\.\d+)?$/.test(word) ? Math.round(Number(word.replace('$', '')) * MICRO) : NaN));
  const [input, output, cached, stored] = numbers;
  if (input === undefined || output === undefined || numbers.length > 4 || numbers.some(Number.isNaN)) throw new Error(t('“{}” is not a price. Write “free” or two to four numbers, for example “3 15”.', said));
  return { input, output, cached: cached ?? null, stored: stored ?? null };
}

/** One model on each line, and its price behind it. */
export function pricesOf(lines: string): Record<string, GivenPrice> {
  const found = lines.split('\n').map((line) => line.trim()).filter((line) => line !== '');
  return Object.fromEntries(found.map((line) => {
    const [model = '', ...price] = line.split(/\s+/);
    return [model, priceOf(price.join(' '))];
  }));
}

/** A price as it would be written. */
export function wordsOf({ input, output, cached, stored }: Price): string {
  const parts = [input, output, cached, stored].filter((part) => part !== null);
  return parts.every((part) => part === 0) ? 'free' : [input, output, ...(cached === null && stored === null ? [] : [cached ?? input, stored ?? input])].map((part) => part / MICRO).join(' ');
}
