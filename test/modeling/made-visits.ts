import { plan } from '../../experiments/plan.ts';
import type { Cell, CellRecord } from '../../experiments/records.ts';
import type { Sweep } from '../../experiments/sweep.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { createRandom } from '../../modeling/judge/distributions.ts';
import { goodRecord } from '../experiments/make.ts';

export const workload = workloadOf({
  ...{ kind: 'command', name: 'made', command: ['made', '{scale}'], ranks: 'any' },
  ...{ time: { pattern: '(1)', unit: 's' }, failure: [] },
});

export const EPOCH = Date.parse('2024-05-01T00:00:00.000Z');

interface Machine {
  /** When the first visit starts, seconds after the epoch of all made visits; each takes so long. */
  readonly startS?: number;
  readonly stepS?: number;
  /** ln of the slowness at a time in seconds. */
  readonly drift: (seconds: number) => number;
  /** Standard deviation (ln) of a visit around its cell. */
  readonly scatter: number;
  readonly seed: number;
}

/** Seconds that a cell takes on a machine that does not change. */
export const secondsOf = ({ nodes, bw }: Pick<Cell, 'nodes' | 'bw'>): number => 0.8 / nodes + 2 / bw;

export function cellsOf(sweep: Sweep): Cell[] {
  return plan(sweep, { workload, ranksPerNode: 1, hosts: 64 });
}

/** One visit after the other, each with three timed runs around its time. */
export function visitsTo(
  cells: readonly Cell[],
  { startS = 0, stepS = 10, drift, scatter, seed }: Machine,
): CellRecord[] {
  const random = createRandom(seed);
  return cells.map((cell, place) => {
    const at = startS + stepS * place;
    const seconds = secondsOf(cell) * Math.exp(drift(at) + scatter * random.normal());
    const record = goodRecord(cell, [seconds * 0.99, seconds, seconds * 1.01]);
    return {
      ...record,
      startedAt: new Date(EPOCH + 1000 * at).toISOString(),
      timing: { ...record.timing, totalMs: 1000 * stepS },
    };
  });
}

export function disturbed(record: CellRecord): CellRecord {
  return { ...record, marks: [{ kind: 'stolen-cpu', host: null, text: 'Others took 1.00 of the 2 cores.' }] };
}
