import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ranged, runScatter } from '../../../analysis/dag/advice/throughput.ts';
import { explainJobs } from '../../../analysis/dag/explain/explain-jobs.ts';
import { findHostLimits } from '../../../analysis/dag/explain/job-model.ts';
import { mulberry32 } from '../../../base/lists.ts';
import { times } from '../../times.ts';
import { judgeAdvice } from './judge-advice.ts';
import { type SimulatedJob, simulateJob } from './simulate-job.ts';
import { simulateAndWatch, watched } from './watched.ts';

const OPTIONS = { level: 0.9, target: null, size: null, price: null };

/** Two hosts: a fast reader, a link of so many records of 100 kB a second, a slow parser of so many instances. */
const overLink = (linkRate: number, parsers = 2): SimulatedJob => ({
  tasks: [
    { id: 'read', instances: 1, serviceS: 0.002, hosts: ['one'] },
    { id: 'parse', instances: parsers, serviceS: 0.05, hosts: Array.from({ length: parsers }, () => 'two') },
    { id: 'load', instances: 1, serviceS: 0.001, hosts: ['two'] },
  ],
  edges: [
    { id: 'link', from: 'read', to: 'parse', capacity: 8, linkRate, recordBytes: 1e5 },
    { id: 'pipe', from: 'parse', to: 'load', capacity: 8, recordBytes: 1e3 },
  ],
  records: 2000,
});

describe('advice from one run', () => {
  it('names the bottleneck of simulated jobs, and its rates hold when its set-ups are simulated', () => {
    const outcomes = [3, 7, 19].map(judgeAdvice);
    for (const { named, best, levelRatio, targetRatio } of outcomes) {
      expect(named).toBe(best);
      if (levelRatio !== null) expect(Math.abs(levelRatio - 1)).toBeLessThan(0.05);
      if (targetRatio !== null) expect(targetRatio).toBeLessThan(1.05);
    }
  });

  it('says from a run at full bandwidth below which bandwidth the link takes over, and at how many instances', () => {
    const [full] = [simulateAndWatch(overLink(100), { periodS: 2 })];
    const { edges, steps, tasks } = explainJobs([full], OPTIONS);
    // Two parsers take 40 records a second: 40 % of what the link carries.
    expect(tasks[1]?.limit?.value).toBeCloseTo(40, 0);
    expect(edges[0]?.basis).toBe('link');
    expect(edges[0]?.crossingBw?.value).toBeCloseTo(40, 0);
    const end = steps.at(-1);
    expect(end?.by).toEqual({ kind: 'io', id: 'link' });
    expect(end?.instances).toEqual([1, 5, 1]);
    const dominant = (linkRate: number) =>
      explainJobs([simulateAndWatch(overLink(linkRate), { periodS: 2 })], OPTIONS).runs[0]?.summary.dominant?.id;
    expect([44, 36].map(dominant)).toEqual(['parse', 'link']);
  });

  it('a target beyond what an edge lets through is told with that edge', () => {
    const read = simulateAndWatch(overLink(30), { periodS: 2 });
    const { target } = explainJobs([read], { ...OPTIONS, target: 60 });
    expect(target).toMatchObject({ endsAt: 'link' });
    expect(target?.setUp.rate.value).toBeCloseTo(30, 0);
  });

  it('runs of different jobs are refused, and runs of one job tell each other by the first', () => {
    const [two, four] = [2, 4].map((parsers) => simulateAndWatch(overLink(100, parsers), { periodS: 2 })) as [
      ReturnType<typeof simulateAndWatch>,
      ReturnType<typeof simulateAndWatch>,
    ];
    const [, second] = explainJobs([two, four], OPTIONS).runs;
    expect((second?.predicted?.value ?? 0) / (second?.rate ?? 1)).toBeCloseTo(1, 1);
    const renamed = { ...overLink(100), tasks: overLink(100).tasks.map((task) => ({ ...task, id: `${task.id}2` })) };
    const other = simulateAndWatch(
      { ...renamed, edges: renamed.edges.map((edge) => ({ ...edge, from: `${edge.from}2`, to: `${edge.to}2` })) },
      { periodS: 2 },
    );
    expect(() => explainJobs([two, other], OPTIONS)).toThrow(/different tasks or edges/);
  });

  it('a period without a count is left out of the rates', () => {
    const read = simulateAndWatch(overLink(100), { periodS: 2 });
    const whole = explainJobs([read], OPTIONS);
    read.job.work.forEach((one, index) => {
      if (index % 3 === 0) read.job.work[index] = { ...one, records: null };
    });
    const { unit, tasks, runs } = explainJobs([read], OPTIONS);
    expect(unit).toBe('records');
    expect(tasks[1]?.limit?.value).toBeCloseTo(whole.tasks[1]?.limit?.value ?? 0, -0.5);
    expect((runs[0]?.rate ?? 0) / (whole.runs[0]?.rate ?? 1)).toBeCloseTo(1, 1);
  });

  it.each([
    [0.02, 0.9, /'parse' waits in 90 % of the time for its own files, or for what it prints to be shown/],
    [0.02, 0, /'parse' sleeps in 9\d % of the time though no channel makes it wait/],
    [0.95, 0, null],
  ])('of a bottleneck that computes for %s and reads for %s of the time it is said what it does', (cpu, disk, said) => {
    const simulated = simulateJob(overLink(100), { periodS: 2 });
    const lines = simulated.lines.map((line) => {
      if (line.kind !== 'period' || line.vertices.parse === undefined) return line;
      return { ...line, vertices: { ...line.vertices, parse: { ...line.vertices.parse, cpu, disk } } };
    });
    const { notes } = explainJobs([watched({ ...simulated, lines }, 'simulated')], OPTIONS);
    const found = notes.filter((note) => note.startsWith("'parse'"));
    if (said === null) expect(found).toEqual([]);
    else expect(found).toEqual([expect.stringMatching(said)]);
  });

  it('without records, bytes or time there are no rates, and that is said', () => {
    const none = { ...simulateAndWatch(overLink(100), { periodS: 2, mostS: 1 }) };
    const silent = explainJobs([{ ...none, job: none.job }], OPTIONS);
    expect(silent.unit).toBe('records');
    none.job.work.forEach((one, index) => {
      none.job.work[index] = { ...one, records: null, bytes: null };
    });
    const explained = explainJobs([none], OPTIONS);
    expect([explained.unit, explained.steps, explained.tasks[0]?.limit]).toEqual([null, [], null]);
    expect(explained.notes.at(-1)).toMatch(/Neither records nor bytes were counted/);
  });
});

describe('intervals of the scatter of periods', () => {
  it('hold the mean of a normal sample about as often as they say', () => {
    const random = mulberry32(5);
    const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    let inside = 0;
    for (let trial = 0; trial < 400; trial += 1) {
      const values = Array.from({ length: 12 }, () => 10 + normal());
      const found = ranged({ batches: values.length, level: 0.9, scatter: null }, (without) => {
        const kept = values.filter((_, index) => index !== without);
        return kept.reduce((sum, value) => sum + value, 0) / kept.length;
      });
      if ((found?.low ?? 0) <= 10 && (found?.high ?? 0) >= 10) inside += 1;
    }
    expect(inside / 400).toBeGreaterThan(0.85);
    expect(inside / 400).toBeLessThan(0.95);
  });

  it('scale with what is estimated, and are none for one period', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e6, noNaN: true }), (factor) => {
        const of = (unit: number) =>
          ranged({ batches: 4, level: 0.9, scatter: null }, (without) => unit * (10 + without));
        const [one, many] = [of(1), of(factor)];
        expect((many?.high ?? 0) / (one?.high ?? 1) / factor).toBeCloseTo(1, 9);
      }),
      { numRuns: times(5) },
    );
    expect(ranged({ batches: 1, level: 0.9, scatter: null }, (without) => (without < 0 ? 5 : Number.NaN))).toEqual({
      value: 5,
      low: null,
      high: null,
    });
  });
});

describe('the scatter of whole runs', () => {
  it('is the standard deviation that more runs than limits leave, and widens every interval', () => {
    expect(runScatter([1.1], 1)).toBeNull();
    const scatter = runScatter([Math.exp(0.1), Math.exp(-0.1), 1], 1);
    expect(scatter?.freedom).toBe(2);
    expect(scatter?.deviation).toBeCloseTo(0.1, 12);
    const estimate = (without: number): number => 100 + Math.max(0, without);
    const [narrow, wide] = [null, scatter].map((one) => ranged({ batches: 4, level: 0.9, scatter: one }, estimate));
    expect((wide?.high ?? 0) / 100).toBeGreaterThan((narrow?.high ?? 0) / 100);
    // Student's t of 0.95 with two degrees of freedom is 2.920 (any table).
    const alone = ranged({ batches: 1, level: 0.9, scatter }, (without) => (without < 0 ? 5 : Number.NaN));
    expect(Math.log((alone?.high ?? 0) / 5)).toBeCloseTo(0.292, 3);
  });

  it('of a job that is slower when it is repeated widens what is said of it', () => {
    const [usual, slow] = [overLink(100), overLink(100)].map((job, index) => {
      const tasks = job.tasks.map((task) => ({ ...task, serviceS: task.serviceS * (index === 0 ? 1 : 1.1) }));
      return simulateAndWatch({ ...job, tasks }, { periodS: 2 });
    }) as [ReturnType<typeof simulateAndWatch>, ReturnType<typeof simulateAndWatch>];
    const spread = (reads: Parameters<typeof explainJobs>[0]): number => {
      const rate = explainJobs(reads, OPTIONS).steps[0]?.rate;
      return (rate?.high ?? Number.NaN) / (rate?.low ?? Number.NaN);
    };
    expect(spread([usual, usual])).toBeLessThan(1.05);
    expect(spread([usual, slow])).toBeGreaterThan(1.1);
    expect(explainJobs([usual, slow], OPTIONS).notes.join(' ')).toMatch(/between periods and between runs \(\d/);
  });
});

describe('processors that tasks share', () => {
  it('allow what their number makes of the processor seconds of a record', () => {
    const throughput = {
      busyS: Float64Array.of(0.01, 0.02, 0.01),
      busyBasis: [],
      onCpuS: Float64Array.of(0.01, 0.02, 0),
      edgeRate: Float64Array.of(),
      edgeBasis: [],
    };
    const vertices = [['a'], ['a', 'b'], ['b']].map((hosts, place) => {
      return { id: `${place}`, label: `${place}`, hosts, instances: hosts.length };
    });
    const run = { cores: { a: 2 } } as unknown as Parameters<typeof findHostLimits>[1]['run'];
    // Half of the second task's 20 ms, and the first task's 10 ms.
    expect(findHostLimits(throughput, { vertices, run })).toEqual([{ host: 'a', cores: 2, rate: 100 }]);
  });
});
