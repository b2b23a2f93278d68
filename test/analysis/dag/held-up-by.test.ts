import { describe, expect, it } from 'vitest';
import { explainJobs } from '../../../analysis/dag/explain/explain-jobs.ts';
import { adviceWords } from '../../../analysis/dag/explain/job-words.ts';
import type { DagPeriod } from '../../../experiments/dag/dag-records.ts';
import { changed } from './random-jobs.ts';
import { type Simulated, type SimulatedJob, simulateJob } from './simulate-job.ts';
import { watched } from './watched.ts';

const OPTIONS = { level: 0.9, target: null, size: null, price: null };
const WATCH = { periodS: 2 };

/** Like `yes | tee >(gzip -9)`: `tee` takes 22 ms for a block of 32 records, of which the pipe holds half; `gzip` 1 ms for each. */
const TURNS: SimulatedJob = {
  tasks: [
    { id: 'yes', instances: 1, serviceS: 0.005, hosts: ['one'] },
    { id: 'tee', instances: 1, serviceS: 0.022, hosts: ['one'] },
    { id: 'gzip', instances: 1, serviceS: 0.001, hosts: ['one'] },
  ],
  edges: [
    { id: 'in', from: 'yes', to: 'tee', capacity: 4, recordBytes: 1e5 },
    { id: 'out', from: 'tee', to: 'gzip', capacity: 16, ratio: 32, recordBytes: 1e3 },
  ],
  records: 1000,
};

/** A simulated run, as if its tasks were processes that are joined by pipes. */
function explained({ run, lines, ...rest }: Simulated) {
  return explainJobs([watched({ ...rest, run: { ...run, source: 'pipes' }, lines }, 'turns')], OPTIONS);
}

describe('a job whose tasks take turns', () => {
  const simulated = simulateJob(TURNS, WATCH);

  it('is limited by the task whose doubling helps most when it is simulated, not by the full pipe', () => {
    const [run] = explained(simulated).runs;
    // 22 ms of tee alone, then 15 ms in which what neither the pipe nor gzip holds waits for room: 32 of 37 ms of gzip.
    expect(run?.holder).toEqual({ id: 'gzip', busy: expect.closeTo(32 / 37, 2) });
    expect(run?.verdict).toMatch(/^Task 'gzip' limits the job most: it works in 86 % of the time\./);
    expect(run?.advice).toMatchObject({ action: 'scale-out', task: 'gzip', instances: { now: 1, next: 2, level: 2 } });
    const gain = (id: string): number =>
      simulateJob(changed(TURNS, { kind: 'cpu', id, factor: 2 }), WATCH).rate / simulated.rate;
    expect(gain('gzip')).toBeGreaterThan(gain('tee'));
    expect(gain('gzip')).toBeGreaterThan(1.2);
  });

  it('a full pipe is no limit of its own, so that steps go on', () => {
    const { steps, edges } = explained(simulated);
    expect(edges.map(({ limit }) => limit)).toEqual([null, null]);
    expect(steps[1]).toMatchObject({ raised: 'gzip', instances: [1, 1, 2] });
  });

  it('is not said of a job that waits for who takes its results, or for its input', () => {
    const part = (keep: (id: string) => boolean, line: DagPeriod): DagPeriod => ({
      ...line,
      vertices: Object.fromEntries(Object.entries(line.vertices).filter(([id]) => keep(id))),
      edges: Object.fromEntries(Object.entries(line.edges).filter(([id]) => keep(id))),
    });
    // Nobody watches gzip, or nobody watches yes.
    for (const [names, id] of [
      [['yes', 'tee', 'in'], 'in'],
      [['tee', 'gzip', 'out'], null],
    ] as const) {
      const keep = (one: string): boolean => (names as readonly string[]).includes(one);
      const slow =
        id === null
          ? {
              ...TURNS,
              tasks: TURNS.tasks.map((task) => ({ ...task, serviceS: task.id === 'yes' ? 0.05 : task.serviceS })),
            }
          : TURNS;
      const { run, lines, ...rest } = simulateJob(slow, WATCH);
      const [row] = explained({
        ...rest,
        run: {
          ...run,
          vertices: run.vertices.filter((one) => keep(one.id)),
          edges: run.edges.filter((one) => keep(one.id)),
        },
        lines: lines.flatMap((line) => (line.kind === 'period' ? [part(keep, line)] : [])),
      }).runs;
      expect(row?.holder).toBeNull();
      expect(row?.summary.dominant?.id ?? null).toBe(id);
    }
  });

  it('is not said where a network edge is full', () => {
    const { run, lines, ...rest } = simulated;
    const hosts: Record<string, string> = { yes: 'one', tee: 'two', gzip: 'two' };
    const spread = { ...run, vertices: run.vertices.map((one) => ({ ...one, hosts: [hosts[one.id] ?? ''] })) };
    const { runs } = explained({ ...rest, run: spread, lines });
    expect(runs[0]?.summary.dominant?.id).toBe('in');
    expect(runs[0]?.holder).toBeNull();
  });
});

it('a job of one task has nobody to level with', () => {
  const alone = simulateJob({ tasks: [{ id: 'only', instances: 2, serviceS: 0.01 }], edges: [], records: 600 }, WATCH);
  const [run] = explainJobs([watched(alone, 'alone')], OPTIONS).runs;
  expect(run?.advice).toMatchObject({ action: 'scale-out', instances: { now: 2, next: 3, level: null } });
  expect(adviceWords(run?.advice as NonNullable<typeof run>['advice'], (id) => id)).toBe(
    "Give 'only' 3 instances instead of 2.",
  );
});
