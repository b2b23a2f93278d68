// Amdahl, "Validity of the single processor approach to achieving large scale computing capabilities" (1967), over the threads of each rank.
import { mean } from 'simple-statistics';
import { attempt } from '../../base/errors.ts';
import { ascending } from '../../base/lists.ts';
import { solveModel } from '../fit/fit.ts';
import { peerForms } from '../forms/candidates.ts';
import { predict } from '../forms/predict.ts';
import { bootstrap, estimates } from '../judge/ensemble.ts';
import type { Estimate } from '../model-records.ts';
import { rowsFrom } from '../rows.ts';

/** What threads of each rank bring where all else is equal. */
interface ThreadsLaw {
  /** Of the time with one thread, what no thread shortens, percent. */
  readonly serialPercent: Estimate;
  /** With twice the most measured threads, each on a core of its own. */
  readonly twice: { readonly threads: number; readonly ct: Estimate; readonly speedup: Estimate };
}

/** One timed run with so many threads per rank, seconds. */
interface ThreadedRun {
  readonly threads: number;
  readonly ct: number;
}

/** Enough for 90 % intervals of a table. */
const DRAWS = 200;

/** Stand for what does not vary. */
const ONE_PLACE = { bw: 100, scale: 0 };

/** ct = C1 / threads + C2, fitted to runs that differ in their threads alone; null where they do not, or more threads are no faster. */
export function fitThreadsLaw(runs: readonly ThreadedRun[]): ThreadsLaw | null {
  const [amdahl] = peerForms({ nodes: true, bw: false, scale: false });
  const counts = ascending(runs.map(({ threads }) => threads));
  const [fewest, most] = [counts[0], counts.at(-1)];
  if (amdahl === undefined || fewest === undefined || most === undefined) return null;
  const meanOf = (count: number): number => mean(runs.filter((run) => run.threads === count).map(({ ct }) => ct));
  // The law knows no slowdown.
  if (meanOf(most) >= meanOf(fewest)) return null;
  const rows = rowsFrom(runs.map(({ threads, ct }) => ({ ...ONE_PLACE, nodes: threads, ct })));
  const options = { ranksPerNode: 1, errors: 'relative', setAside: false } as const;
  const solved = attempt(() => solveModel(amdahl, rows, options));
  if (solved === null) return null;
  const threads = 2 * most;
  const ensemble = bootstrap(solved, { replicates: DRAWS });
  const [serialPercent, ct, speedup] = estimates(ensemble, (fit) => {
    const { C1 = 0, C2 = 0 } = fit.coefficients;
    const at = (count: number): number => predict(fit, { ...ONE_PLACE, nodes: count });
    const later = at(threads);
    return [(100 * C2) / (C1 + C2), later, at(1) / later];
  });
  if (!serialPercent || !ct || !speedup) return null;
  return { serialPercent, twice: { threads, ct, speedup } };
}
