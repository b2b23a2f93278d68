import { at } from '../../base/lists.ts';
import type { Analysis } from '../grade10/analyse-phases.ts';
import { LOCAL, NO_BOTTLENECK } from '../grade10/bottlenecks/leaves.ts';
import { isLeaf, phasePath } from '../grade10/model/phases.ts';
import { typesUsed } from '../grade10/model/uses.ts';
import type { Lanes } from './assign-lanes.ts';
import type { SliceAxis, TraceEvent } from './trace-events.ts';

/** One event per phase; those of a lane in order of time, so that readers who keep a stack can take them as they come. */
export function* phaseEvents(
  analysis: Analysis,
  lanes: Lanes,
  { axis, pid, firstTid }: { readonly axis: SliceAxis; readonly pid: number; readonly firstTid: number },
): Generator<TraceEvent> {
  const { phases, phaseTypes } = analysis.model;
  for (const row of lanes.order) {
    const leaf = isLeaf(phases, row);
    const path = phasePath(phases, phaseTypes, row);
    yield {
      name: nameOf(analysis, row),
      cat: leaf ? 'leaf' : 'composite',
      ph: 'X',
      pid,
      tid: firstTid + at(lanes.of, row),
      ts: axis.at(at(phases.first, row)),
      dur: axis.length(at(phases.length, row)),
      args: leaf ? { path, bottlenecked_s: bottleneckedSeconds(analysis, row) } : { path },
    };
  }
}

/** The type's name; with the id where the lane does not tell it. */
function nameOf({ model: { phases, phaseTypes } }: Analysis, row: number): string {
  const type = at(phases.type, row);
  if (row === phases.root) return 'job';
  const name = at(phaseTypes.names, type);
  return phaseTypes.repeats[type] === 'sequential' ? `${name} ${at(phases.id, row)}` : name;
}

/** Seconds in which a leaf is bottlenecked, for each metric type that it uses. */
function bottleneckedSeconds({ model, leaves: { typeStart, typeStates } }: Analysis, row: number) {
  const { phases, uses, resourceTypes, timesliceNs } = model;
  const length = at(phases.length, row);
  const seconds = (slices: number): number => (slices * timesliceNs) / 1e9;
  return Object.fromEntries(
    Array.from(typesUsed(uses, row), (type, slot) => {
      const from = at(typeStart, row) + slot * length;
      let [local, global] = [0, 0];
      for (let slice = from; slice < from + length; slice += 1) {
        if (typeStates[slice] === LOCAL) local += 1;
        else if (typeStates[slice] !== NO_BOTTLENECK) global += 1;
      }
      return [at(resourceTypes.metricTypes.paths, type), { local: seconds(local), global: seconds(global) }];
    }),
  );
}
