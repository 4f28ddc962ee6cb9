import { expect, test } from 'vitest';
import type { ModelInfo } from '../../../src/api/schema';
import { shortName } from '../../../src/element/model/model-words';

test('a model is known without its provider, unless another one has the same', () => {
  const all = ['a/one', 'a/two', 'b/one'].map((id) => ({ id }) as ModelInfo);
  expect(all.map((model) => shortName(model.id, all))).toEqual(['a/one', 'two', 'b/one']);
  expect(shortName('gone/three', all)).toBe('three');
});

test('many models are counted once, however often they are named', () => {
  let read = 0;
  const all = Array.from({ length: 350 }, (_, at) => ({ get id() { return (read += 1), `vendor/model-${at}`; } }) as ModelInfo);
  for (let round = 0; round < 2; round += 1) for (let at = 0; at < all.length; at += 1) expect(shortName(`vendor/model-${at}`, all)).toBe(`model-${at}`);
  expect(read).toBeLessThan(3 * all.length);
});
