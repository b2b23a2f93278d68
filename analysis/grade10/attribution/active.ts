import { at } from '../../../base/lists.ts';
import type { Model } from '../model/create-model.ts';
import { isLeaf, offsets } from '../model/phases.ts';
import { profileOf } from '../model/uses.ts';

/** Per leaf, one byte per slice of its life: 1 while it can use consumable resources, 0 while it waits. */
export interface Activity {
  /** Leaf p's slices are `active` from `start[p]`; composites have none. */
  readonly start: Uint32Array;
  readonly active: Uint8Array;
}

/**
 * Attributes blocking resources and finds active phases (steps 1 and 2.1, sections 4.4.2.2 and 4.4.2.3): a leaf waits in a
 * slice when any blocking metric that it can reach, with the rule full, is blocked.
 */
export function findActivity({ phases, metrics, uses }: Model): Activity {
  const start = offsets(phases.count, (phase) => (isLeaf(phases, phase) ? at(phases.length, phase) : 0));
  const active = new Uint8Array(at(start, phases.count)).fill(1);
  for (let phase = 0; phase < phases.count; phase += 1) {
    const from = at(start, phase);
    const first = at(phases.first, phase);
    const length = at(phases.length, phase);
    for (const index of profileOf(uses, phase).blocking) {
      const metric = at(metrics, index);
      if (metric.class !== 'blocking') continue;
      const { blocked } = metric;
      for (let slice = 0; slice < length; slice += 1) if (blocked[first + slice] === 1) active[from + slice] = 0;
    }
  }
  return { start, active };
}
