import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Case } from '../../../cases/grade10/case-records.ts';
import { parseCase } from '../../../cases/grade10/parse-case.ts';
import { type CaseOutput, runCase } from '../../case-output.ts';
import { randomCase } from '../../random-case.ts';
import { analyseTexts } from './analyse-job.ts';
import { jobFiles, modelFile } from './case-files.ts';
import { lines } from './text-folder.ts';

/** A random job in which worker w always runs on host w modulo the number of hosts, as a model file can say. */
function placedCase(seed: number): { readonly input: Case; readonly hostOf: Readonly<Record<string, string>> } {
  const input = randomCase(seed);
  const hosts = new Set(input.metrics.flatMap(({ path }) => /^\/host\[id=(\d+)\]/.exec(path)?.[1] ?? [])).size;
  const workers = input.phases.flatMap(({ path }) => {
    const [, id] = /^\/Run\/Step\[s=\d+\]\/Worker\[w=(\d+)\]$/.exec(path) ?? [];
    return id === undefined ? [] : [{ phase: path, id, host: String(Number(id) % hosts) }];
  });
  return {
    input: {
      ...input,
      mapping: workers.map(({ phase, id, host }) => ({ phase, resources: [`/host[id=${host}]`, `/lock[of=${id}]`] })),
    },
    hostOf: Object.fromEntries(workers.map(({ id, host }) => [id, host])),
  };
}

/** The same job, `ns` later. */
function later(input: Case, ns: number): Case {
  return parseCase({
    ...input,
    phases: input.phases.map(({ path, start_ns, end_ns }) => ({ path, start_ns: start_ns + ns, end_ns: end_ns + ns })),
    metrics: input.metrics.map((metric) =>
      metric.class === 'blocking'
        ? { ...metric, blocked_ns: metric.blocked_ns.map((wait) => wait.map((time) => time + ns)) }
        : { ...metric, observation_times_ns: metric.observation_times_ns.map((time) => time + ns) },
    ),
  });
}

/** Results with slices counted from the job's first. */
function sinceStart({ phases, first_timeslice: start, last_timeslice: last, name: _, ...rest }: CaseOutput): unknown {
  return { ...rest, count: last - start, phases: phases.map(([path, from, to]) => [path, from - start, to - start]) };
}

test('a job in epoch nanoseconds has the analysis of the same job moved to small numbers by whole slices', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 2 ** 31 - 1 }),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n }),
      async (seed, shift) => {
        const { input, hostOf } = placedCase(seed);
        const mapping = { '/Run/Step/Worker': ['/host[id={host}]', '/lock[of={w}]'] };
        const { output } = await analyseTexts({
          ...jobFiles(input, shift),
          'model.yaml': modelFile(input, { mapping, places: { w: hostOf } }),
        });
        const small = later(input, Number(shift % BigInt(input.timeslice_ns)));
        expect(sinceStart(output)).toEqual(sinceStart(runCase(small)));
      },
    ),
    { numRuns: 40 },
  );
});

test('nanoseconds that a double cannot tell apart are told apart', async () => {
  // Slices of 10 ns from a multiple of 10: 5 ns into a slice is its midpoint, 4 ns is before it.
  const { output } = await analyseTexts({
    'model.yaml': 'name: m\ntimeslice: 10ns\nphases: { A: , B:  }\n',
    'phases.csv': lines(
      'path,start_ns,end_ns',
      '/,1700000000000000000,1700000000000000100',
      '/A,1700000000000000004,1700000000000000024',
      '/B,1700000000000000005,1700000000000000025',
    ),
  });
  expect(output.phases.map(([path, first, last]) => [path, first, last])).toEqual([
    ['/', 0, 9],
    ['/A', 0, 1],
    ['/B', 1, 2],
  ]);
});
