import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GrowingColumns } from '../../../analysis/path/growing-columns.ts';

interface Row {
  readonly start: number;
  readonly kind: number;
}

const change = fc.oneof(
  fc.record({ start: fc.integer(), kind: fc.nat(255) }),
  fc.tuple(fc.nat(100), fc.nat(100)),
  fc.integer({ min: 2, max: 5 }),
);

it('a table has the rows of a list that is changed alike, in all columns', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
      const table = new GrowingColumns({ start: Float64Array, kind: Uint8Array }, 1);
      let model: Row[] = [];
      for (const one of changes) {
        if (typeof one === 'number') {
          table.keep((row) => row % one !== 0);
          model = model.filter((_, row) => row % one !== 0);
        } else if ('start' in one) {
          expect(table.addRow(one)).toBe(model.length);
          model.push(one);
        } else {
          const [from = 0, to = 0] = one.map((place) => place % (model.length + 1)).sort((a, b) => a - b);
          table.remove(from, to);
          model.splice(from, to - from);
        }
      }
      expect(table.length).toBe(model.length);
      const { start, kind } = table.used();
      expect([...start]).toEqual(model.map((row) => row.start));
      expect([...kind]).toEqual(model.map((row) => row.kind));
    }),
  );
});
