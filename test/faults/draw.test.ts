import { describe, expect, it } from 'vitest';
import { drawInjection } from './draw.ts';
import { boundOf, KINDS, nameOf } from './language.ts';

const first = (count: number, quick = false): string[] =>
  Array.from({ length: count }, (_, index) => drawInjection(7, index, { quick }).kind);

describe('injections', () => {
  it('are drawn from seed and index alone, and repeated by the name of their kind', () => {
    for (let index = 0; index < 200; index += 1) {
      const injection = drawInjection(3, index);
      expect(drawInjection(3, index)).toEqual(injection);
      expect(drawInjection(3, index, { only: injection.kind })).toEqual(injection);
      const quick = drawInjection(3, index, { quick: true });
      expect(drawInjection(3, index, { quick: true, only: quick.kind })).toEqual(quick);
    }
    expect(drawInjection(4, 0).faults).not.toEqual(drawInjection(3, 0, { only: drawInjection(4, 0).kind }).faults);
  });

  it('name every kind in the first forty of a short run and in each hundred of a long one, by weight', () => {
    const quick = KINDS.filter(({ slow }) => !slow).map(nameOf);
    expect(new Set(first(40, true))).toEqual(new Set(quick));
    const thousand = first(1000);
    const share = (name: string): number => thousand.filter((kind) => kind === name).length;
    expect(new Set(first(KINDS.length))).toEqual(new Set(KINDS.map(nameOf)));
    for (const kind of KINDS) expect(share(nameOf(kind))).toBeGreaterThanOrEqual(9 * kind.weight);
  });

  it('have one or two faults with moments inside the sweep, lengths as their kinds say, and a bound', () => {
    const all = Array.from({ length: 500 }, (_, index) => drawInjection(11, index));
    expect(new Set(all.map(({ faults }) => faults.length))).toEqual(new Set([1, 2]));
    for (const { faults, cells } of all) {
      expect(boundOf(faults)).toBeGreaterThanOrEqual(60);
      for (const { when, seconds, who, how } of faults) {
        const kind = KINDS.find((one) => one.who === who && one.how === how);
        expect(seconds === null).toBe(kind?.seconds === undefined);
        if ('share' in when) expect(when.share).toBeLessThanOrEqual(0.9);
        else expect(when.cell).toBeLessThan(cells.length);
      }
    }
  });
});
