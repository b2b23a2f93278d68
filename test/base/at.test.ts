import { expect, test } from 'vitest';
import { at } from '../../base/index.ts';

test.each([[[3, 4]], [Float64Array.of(3, 4)], [Uint8Array.of(3, 4)]])('elements of %o are found', (column) => {
  expect([at(column, 0), at(column, 1)]).toEqual([3, 4]);
});

test.each([-1, 2, 0.5, Number.NaN])('an index %s that is not there is a fault, not an element', (index) => {
  expect(() => at(Float64Array.of(3, 4), index)).toThrow(`there is no element ${index} among 2`);
});
