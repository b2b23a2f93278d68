import { badInput } from '../../base/errors.ts';
import { at, groupBy } from '../../base/lists.ts';
import { formatRange } from '../../base/ranges.ts';
import { joinWords } from '../../base/text.ts';
import { formatSeconds } from '../../base/units.ts';
import { chooseDefaultSizes } from '../../experiments/estimate.ts';
import { startOf } from '../../experiments/plan.ts';
import { type AskedSweep, parseSweep } from '../../experiments/sweep.ts';
import type { Workload } from '../../experiments/workloads/workload.ts';
import { planSweep } from '../run-sweep.ts';
import type { SweepPlace } from './sweep-place.ts';

export interface Sizes {
  /** What was left out and is not as `parseSweep` has it. */
  readonly chosen: { readonly scales?: number[]; readonly bw?: number[]; readonly roots?: number };
  /** By which sizes, bandwidths and runs the sweep is made that nobody asked for; null where all were said. */
  readonly says: string | null;
  /** They were chosen so that the sweep takes `DEFAULT_SWEEP_S`. */
  readonly isTimed?: true;
}

/** Of programs without sizes: as few as show a trend. */
const FEW_BANDWIDTHS = [10, 20, 30, 40, 50];

/**
 * Scales, bandwidths and timed runs of a sweep that leaves them out: of the bundled Graph500 so many that it takes ten minutes, of a
 * program that reads no {scale} the scale 0. Errors: `badInput` where only who wrote the program can know them.
 */
export function sweepSizes(
  asked: AskedSweep,
  workload: Workload,
  place: Pick<SweepPlace, 'inventory' | 'memoryBytes' | 'emulated'>,
): Sizes {
  const isNamed = asked.cells !== undefined;
  const { kind } = workload.definition;
  if (kind === 'graph500' && !isNamed && (asked.scales === undefined || asked.roots === undefined)) {
    return tenMinutes(asked, workload, place);
  }
  const missing = isNamed ? [] : findUnknownSizes(asked, workload);
  if (missing.length > 0) {
    throw badInput(
      `${workload.definition.name} takes a {scale}, so only you know which sizes are worth a run: give ${joinWords(missing)}.`,
    );
  }
  const chosen = {
    ...(asked.scales === undefined && !isNamed && workload.ignoresScale ? { scales: [0] } : {}),
    ...(asked.bw === undefined && !isNamed && !isBundled(kind) ? { bw: FEW_BANDWIDTHS } : {}),
    ...(asked.roots === undefined ? { roots: workload.usualRuns } : {}),
  };
  const sweep = parseSweep({ ...asked, ...chosen });
  const said = [
    ...(asked.bw === undefined && !isNamed ? [bandwidthsText(sweep.bw)] : []),
    ...(asked.roots === undefined && !workload.ignoresRoots ? [runsText(sweep.roots, workload)] : []),
  ];
  return { chosen, says: said.length === 0 ? null : `By default: ${joinWords(said)}.` };
}

/** Flags that a sweep of a program needs which takes sizes that nobody here knows. */
export function findUnknownSizes(asked: AskedSweep, { definition, choices, ignoresScale }: Workload): string[] {
  if (isBundled(definition.kind) || choices !== null || ignoresScale) return [];
  return [
    ...(asked.scales === undefined ? ['--scales, such as --scales 20,22'] : []),
    ...(asked.bw === undefined ? ['--bw, such as --bw 10..50/20'] : []),
  ];
}

function isBundled(kind: Workload['definition']['kind']): boolean {
  return kind === 'graph500' || kind === 'graphalytics';
}

function tenMinutes(asked: AskedSweep, workload: Workload, place: Parameters<typeof sweepSizes>[2]): Sizes {
  const { scales, roots } = asked;
  const sweep = parseSweep(asked);
  const cells = planSweep({ sweep, workload, inventory: place.inventory });
  // Some of them run with no other number of searches.
  const isFixed = cells.some((cell) => (workload.refusal?.({ ...cell, roots: 1 }) ?? null) !== null);
  const sizes = chooseDefaultSizes({
    cells,
    starts: groupBy(cells, (cell) => (workload.followsOrders?.(cell.params ?? {}) ? startOf(cell) : cell.id)).map(
      (served) => at(served, 0),
    ),
    emulated: place.emulated,
    memoryBytes: place.memoryBytes,
    scale: scales === undefined ? undefined : Math.max(...sweep.scales),
    roots: roots === undefined && !isFixed ? undefined : sweep.roots,
  });
  const size = scales === undefined ? `scale ${sizes.scale} (--scales)` : `scale ${formatRange(sweep.scales)}`;
  const count = roots === undefined ? runsText(sizes.roots, workload) : `${sweep.roots} searches each`;
  const link = asked.bw === undefined ? `, ${bandwidthsText(sweep.bw)}` : '';
  return {
    chosen: {
      ...(scales === undefined && { scales: [sizes.scale] }),
      ...(roots === undefined && { roots: sizes.roots }),
    },
    says: `${cells.length} cells of ${size}, ${count}${link}: about ${formatSeconds(Math.round(sizes.seconds))}.`,
    isTimed: true,
  };
}

function bandwidthsText(bw: readonly number[]): string {
  return `${formatRange(bw)} % of the link (--bw)`;
}

function runsText(roots: number, { noun }: Workload): string {
  const nouns = roots === 1 ? noun : noun === 'search' ? 'searches' : `${noun}s`;
  return `${roots} ${nouns} each (--roots)`;
}
