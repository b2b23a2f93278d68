import fc from 'fast-check';
import type { CallProfile, ProfileSelection } from '../../../analysis/profiles/tree/call-profile.ts';
import { NameTable } from '../../../analysis/profiles/tree/call-tree.ts';
import { parseCollapsed } from '../../cases/profiles/collapsed-text.ts';

/** A stack as a test has it: frames from the outermost in, and samples. */
export type Stack = readonly [frames: readonly string[], samples: number];

/** Stacks of few names, so that they recur. */
export const stacks: fc.Arbitrary<Stack[]> = fc.array(
  fc.tuple(
    fc.array(fc.constantFrom('a', 'b', 'c', 'd e', 'π', '😀'), { minLength: 1, maxLength: 12 }),
    fc.integer({ min: 1, max: 50 }),
  ),
  { minLength: 1, maxLength: 40 },
);

export function textOf(all: readonly Stack[]): string {
  return all.map(([frames, samples]) => `${frames.join(';')} ${samples}\n`).join('');
}

/** Profiles of collapsed texts, in the order of their times. */
export function selectionOf(profiles: readonly (Partial<CallProfile> & { readonly text: string })[]): ProfileSelection {
  const names = new NameTable();
  return {
    names,
    profiles: profiles.map(({ text, ...given }, index) => {
      const facts = {
        key: `p${index}`,
        benchmark: 'b',
        testRun: `r${index}`,
        timeNs: BigInt(index),
        metricMean: null,
        unit: 'samples' as const,
      };
      const { tree, modes } = parseCollapsed(text, { what: `p${index}`, names });
      return { ...facts, tree, modes, ...given };
    }),
  };
}
