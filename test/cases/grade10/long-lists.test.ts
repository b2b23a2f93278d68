import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PredictError } from '../../../base/errors.ts';
import { blocking, consumable, makeCase } from '../../analysis/make-case.ts';
import { caseSchema } from './case-records.ts';
import { parseCase } from './parse-case.ts';

test('what the checks of long lists let pass is what the schema lets pass', () => {
  const good = makeCase({
    metrics: [consumable('/R', { capacity: 4, bounds: [0, 10], rates: [1] }), blocking('/B', [0, 1])],
    mapping: [{ phase: '/', resources: ['/'] }],
  });
  const ugly = [undefined, null, 0, 0.5, 2 ** 60, Number.NaN, '', 'blocking', [], [0], [0, 1], {}, { path: '/' }];
  fc.assert(
    fc.property(fc.nat(), fc.constantFrom(...ugly), (place, value) => {
      const places = placesIn(good);
      const data = structuredClone(good);
      const path = places[place % places.length] ?? [];
      const holder = path.slice(0, -1).reduce<object>((within, step) => Reflect.get(within, step), data);
      Reflect.set(holder, path.at(-1) ?? '', value);
      const isFine = caseSchema.safeParse(data).success;
      if (isFine) expect(() => parseCase(data)).not.toThrow();
      else expect(() => parseCase(data)).toThrow(PredictError);
    }),
    { numRuns: 500 },
  );
});

/** Ways to everything within a value. */
function placesIn(value: unknown): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, own]) => {
    const step = Array.isArray(value) ? Number(key) : key;
    return [[step], ...placesIn(own).map((rest) => [step, ...rest])];
  });
}
