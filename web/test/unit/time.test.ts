import { afterEach, expect, test } from 'vitest';
import { lastedMs, short, size, speakFor } from '../../src/element/time';

afterEach(() => speakFor(null));

test('numbers are written as the person writes them', () => {
  speakFor({ language: 'en-US', time_zone: 'UTC' });
  expect([short(999), short(8_200), short(12_000), short(1_250_000)]).toEqual(['999', '8.2k', '12k', '1.3M']);
  expect([size(1_536), lastedMs(1_500)]).toEqual(['1.5 KB', '1.5 s']);
  speakFor({ language: 'de-DE', time_zone: 'Europe/Berlin' });
  expect([short(8_200), short(1_250_000), size(1_536), lastedMs(1_500)]).toEqual(['8,2k', '1,3M', '1,5 KB', '1,5 s']);
});
