import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderChromeTrace } from '../../../analysis/export/write-chrome-trace.ts';
import { analyse } from '../../../analysis/grade10/analyse-phases.ts';
import { createModel } from '../../../analysis/grade10/model/create-model.ts';
import { phasePath } from '../../../analysis/grade10/model/phases.ts';
import { times } from '../../times.ts';
import { largeJob } from '../large-job.ts';
import { blocking, consumable, full, makeCase, ONE_RESOURCE, variable, type Written } from '../make-case.ts';
import { randomCase } from '../random-case.ts';
import { analysed, referenceCases } from './analysed.ts';
import { nestingProblems, readTrace } from './read-trace.ts';

const trace = (written: Written, options = {}) => readTrace(renderChromeTrace(analysed(makeCase(written)), options));

/** Thread of each phase. */
function threads(written: Written): Record<string, string> {
  const { stretches } = trace(written);
  expect(nestingProblems(stretches)).toEqual([]);
  return Object.fromEntries(stretches.map(({ args, thread }) => [String(args.path), thread]));
}

const THREADS: Written['execution_spec'] = {
  name: '',
  children: [
    {
      name: 'Step',
      repeat: 'sequential',
      key: 'step',
      children: [
        {
          name: 'Worker',
          repeat: 'concurrent',
          key: 'worker',
          children: [{ name: 'Run', repeat: 'concurrent', key: 'thread', children: [{ name: 'Compute' }] }],
        },
      ],
    },
    { name: 'Check', repeat: 'concurrent', key: 'worker' },
  ],
};

describe('lanes', () => {
  test('concurrent phases have one each by their ids, within each other too, and what lies in them stays there', () => {
    const slices: Written['slices'] = {
      '/': [0, 30],
      '/Step[step=0]': [0, 10],
      '/Step[step=0]/Worker[worker=2]': [0, 10],
      '/Step[step=0]/Worker[worker=2]/Run[thread=5]': [1, 9],
      '/Step[step=0]/Worker[worker=2]/Run[thread=5]/Compute': [1, 8],
      '/Step[step=1]': [10, 20],
      '/Step[step=1]/Worker[worker=2]': [10, 19],
      '/Step[step=1]/Worker[worker=10]': [10, 20],
      '/Check[worker=2]': [20, 30],
    };
    expect(threads({ execution_spec: THREADS, slices })).toEqual({
      '/': 'job',
      '/Step[step=0]': 'job',
      '/Step[step=0]/Worker[worker=2]': 'worker 2',
      '/Step[step=0]/Worker[worker=2]/Run[thread=5]': 'worker 2 / thread 5',
      '/Step[step=0]/Worker[worker=2]/Run[thread=5]/Compute': 'worker 2 / thread 5',
      '/Step[step=1]': 'job',
      '/Step[step=1]/Worker[worker=2]': 'worker 2',
      '/Step[step=1]/Worker[worker=10]': 'worker 10',
      '/Check[worker=2]': 'worker 2',
    });
    const names = trace({ execution_spec: THREADS, slices }).events.flatMap((one) =>
      one.ph === 'M' && one.name === 'thread_name' ? [one.args.name] : [],
    );
    expect(names).toEqual(['job', 'worker 2', 'worker 2 / thread 5', 'worker 10']);
  });

  test('a type that overlaps its siblings anywhere has its own everywhere', () => {
    const children = [{ name: 'Compute' }, { name: 'Communicate' }, { name: 'Wait', after: ['Compute'] }];
    expect(
      threads({
        execution_spec: { name: '', children: [{ name: 'Worker', repeat: 'concurrent', key: 'worker', children }] },
        slices: {
          '/': [0, 30],
          '/Worker[worker=0]': [0, 30],
          '/Worker[worker=0]/Compute': [0, 10],
          '/Worker[worker=0]/Communicate': [5, 20],
          '/Worker[worker=0]/Wait': [20, 30],
          '/Worker[worker=1]': [0, 30],
          '/Worker[worker=1]/Compute': [0, 10],
          '/Worker[worker=1]/Communicate': [10, 20],
        },
      }),
    ).toEqual({
      '/': 'job',
      '/Worker[worker=0]': 'worker 0',
      '/Worker[worker=0]/Compute': 'worker 0',
      '/Worker[worker=0]/Communicate': 'worker 0 / Communicate',
      '/Worker[worker=0]/Wait': 'worker 0',
      '/Worker[worker=1]': 'worker 1',
      '/Worker[worker=1]/Compute': 'worker 1',
      '/Worker[worker=1]/Communicate': 'worker 1 / Communicate',
    });
  });

  test('types with one key that overlap are told apart', () => {
    const [send, receive] = ['Send', 'Receive'].map((name) => ({ name, repeat: 'concurrent' as const, key: 'rank' }));
    const children = [send, receive].filter((one) => one !== undefined);
    const slices: Written['slices'] = { '/': [0, 9], '/Send[rank=0]': [0, 5], '/Receive[rank=0]': [3, 9] };
    expect(threads({ execution_spec: { name: '', children }, slices })).toEqual({
      '/': 'job',
      '/Send[rank=0]': 'rank 0',
      '/Receive[rank=0]': 'rank 0 / Receive',
    });
  });

  test('steps that overlap against their specification move on, their workers stay where they are free', () => {
    expect(
      threads({
        execution_spec: THREADS,
        slices: {
          '/': [0, 30],
          '/Step[step=0]': [0, 12],
          '/Step[step=0]/Worker[worker=0]': [0, 10],
          '/Step[step=0]/Worker[worker=1]': [0, 12],
          '/Step[step=1]': [10, 20],
          '/Step[step=1]/Worker[worker=0]': [10, 20],
          '/Step[step=1]/Worker[worker=1]': [11, 20],
          '/Step[step=2]': [11, 30],
          '/Step[step=3]': [20, 30],
        },
      }),
    ).toEqual({
      '/': 'job',
      '/Step[step=0]': 'job',
      '/Step[step=0]/Worker[worker=0]': 'worker 0',
      '/Step[step=0]/Worker[worker=1]': 'worker 1',
      '/Step[step=1]': 'job / Step',
      '/Step[step=1]/Worker[worker=0]': 'worker 0',
      '/Step[step=1]/Worker[worker=1]': 'worker 1 / Worker',
      '/Step[step=2]': 'job / Step (2)',
      '/Step[step=3]': 'job',
    });
  });

  test('phases of no slices take no lane from others that begin or end there', () => {
    const children = [{ name: 'Run' }, { name: 'Load' }, { name: 'Store', after: ['Run'] }];
    const slices: Written['slices'] = { '/': [0, 9], '/Run': [0, 9], '/Load': [0, 0], '/Store': [9, 9] };
    expect(threads({ execution_spec: { name: '', children }, slices })).toEqual({
      '/': 'job',
      '/Run': 'job',
      '/Load': 'job',
      '/Store': 'job',
    });
  });
});

describe('events', () => {
  test.each(referenceCases())('$name: one per phase, nested, from slice to slice', ({ analysis, expected }) => {
    const { stretches } = readTrace(renderChromeTrace(analysis, { originNs: 0 }));
    expect(nestingProblems(stretches)).toEqual([]);
    const slice = expected.timeslice_ns;
    const found = stretches.filter(({ process }) => process === 'phases');
    expect(found.map(({ args, start, end }) => [args.path, start / slice, end / slice - 1]).sort()).toEqual(
      expected.phases.toSorted(),
    );
  });

  test('phases of random jobs nest in no phase but their own ancestors', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (seed) => {
        const analysis = analysed(randomCase(seed));
        const { stretches } = readTrace(renderChromeTrace(analysis));
        expect(nestingProblems(stretches.filter(({ process }) => process === 'phases'))).toEqual([]);
        expect(overlaps(stretches)).toEqual([]);
        const { phases, phaseTypes } = analysis.model;
        const paths = Array.from({ length: phases.count }, (_, row) => phasePath(phases, phaseTypes, row));
        expect(stretches.flatMap(({ args: { path } }) => (path === undefined ? [] : [path])).sort()).toEqual(
          paths.sort(),
        );
      }),
      { numRuns: times(15) },
    );
  });

  test('phases at any times, whatever their specification says, nest', () => {
    const stretch = fc
      .tuple(fc.nat(40), fc.nat(40))
      .map(([a, b]): [number, number] => [Math.min(a, b), Math.max(a, b)]);
    const kinds = fc.constantFrom(
      'Load',
      'Check',
      'Step[step=0]',
      'Step[step=1]',
      'Work[w=0]',
      'Work[w=1]',
      'Send[w=0]',
    );
    fc.assert(
      fc.property(fc.dictionary(kinds, fc.tuple(stretch, fc.dictionary(kinds, stretch))), (tree) => {
        const types = (children?: Written['execution_spec']): NonNullable<Written['execution_spec']>['children'] => [
          { name: 'Load', children: children?.children },
          { name: 'Check', children: children?.children },
          { name: 'Step', repeat: 'sequential', key: 'step', children: children?.children },
          { name: 'Work', repeat: 'concurrent', key: 'w', children: children?.children },
          { name: 'Send', repeat: 'concurrent', key: 'w', children: children?.children },
        ];
        const inner = Object.entries(tree).flatMap(([outer, [[from, to], children]]): [string, [number, number]][] => [
          [`/${outer}`, [from, to]],
          ...Object.entries(children).map(([name, [a, b]]): [string, [number, number]] => {
            const clip = (at: number): number => Math.min(Math.max(at, from), to);
            return [`/${outer}/${name}`, [clip(a), clip(b)]];
          }),
        ]);
        const slices = Object.fromEntries([['/', [0, 40] as [number, number]], ...inner]);
        threads({ execution_spec: { name: '', children: types({ name: '', children: types() }) }, slices });
      }),
      { numRuns: times(30) },
    );
  });

  test('a phase has its path, and a leaf the seconds that it is bottlenecked', () => {
    const { stretches } = trace({
      execution_spec: { name: '', children: [{ name: 'A' }] },
      resource_spec: ONE_RESOURCE,
      slices: { '/': [0, 10], '/A': [0, 10] },
      rules: [variable('/A', '/R'), full('/A', '/B')],
      metrics: [consumable('/R', { capacity: 4, bounds: [0, 2, 10], rates: [4, 1] }), blocking('/B', [7, 10])],
      mapping: [],
    });
    expect(stretches.filter(({ process }) => process === 'phases')).toMatchObject([
      { name: 'job', start: 0, end: 100, args: { path: '/' } },
      {
        name: 'A',
        args: { path: '/A', bottlenecked_s: { '/R': { local: 0, global: 2e-8 }, '/B': { local: 0, global: 3e-8 } } },
      },
    ]);
  });

  test('the origin moves all events and the name is shown', () => {
    const written: Written = { slices: { '/': [100, 110] } };
    expect(trace(written).stretches).toMatchObject([{ process: 'phases', start: 0, end: 100 }]);
    const { stretches } = trace(written, { originNs: 1, name: 'bfs' });
    expect(stretches).toMatchObject([{ process: 'bfs: phases', start: 999, end: 1099 }]);
    expect(() => trace(written, { originNs: 0.5 })).toThrow(/origin is 0.5 ns/);
  });

  test('a job of many workers and supersteps nests, Communicate beside Compute', () => {
    const { stretches } = readTrace(renderChromeTrace(analyse(createModel(largeJob()))));
    expect(nestingProblems(stretches.filter(({ process }) => process === 'phases'))).toEqual([]);
    expect(new Set(stretches.map(({ thread }) => thread)).size).toBe(1 + 2 * 64 + 1);
  });
});

describe('resources', () => {
  const written: Written = {
    resource_spec: {
      name: '',
      metrics: [{ name: 'power', class: 'consumable' }],
      children: [
        {
          name: 'host',
          repeat: 'many',
          key: 'id',
          metrics: [{ name: 'cpu', class: 'consumable' }],
          children: [{ name: 'lock', metrics: [{ name: 'wait', class: 'blocking' }] }],
        },
      ],
    },
    slices: { '/': [10, 20] },
    rules: [variable('/', '/host/cpu'), full('/', '/host/lock/wait')],
    metrics: [
      consumable('/host[id=b/1]/cpu', { capacity: 4, bounds: [5, 12, 12.1, 16, 30], rates: [1, 9, 3, 2] }),
      consumable('/power', { capacity: 4, bounds: [0, 20], rates: [1] }),
      blocking('/host[id=b/1]/lock/wait', [0, 11], [15, 16], [19, 40]),
      consumable('/host[id=a]/cpu', { capacity: 4, bounds: [10, 20], rates: [4] }),
    ],
  };

  test('have a process each, rates per period inside the job and a thread of waits', () => {
    const { counters, stretches } = trace(written);
    expect(counters).toEqual([
      { process: 'resources', name: 'power rate', at: 0, value: 1 },
      { process: '/host[id=a]', name: 'cpu rate', at: 0, value: 4 },
      { process: '/host[id=b/1]', name: 'cpu rate', at: 0, value: 1 },
      { process: '/host[id=b/1]', name: 'cpu rate', at: 20, value: 3 },
      { process: '/host[id=b/1]', name: 'cpu rate', at: 60, value: 2 },
    ]);
    const waits = stretches.filter(({ name }) => name === 'blocked');
    expect(waits.map(({ start, end }) => [start, end])).toEqual([
      [0, 10],
      [50, 60],
      [90, 100],
    ]);
    expect(waits[0]).toMatchObject({ process: '/host[id=b/1]', thread: 'lock/wait' });
  });

  test('have upsampled rates on demand, where they change', () => {
    const { counters } = trace(written, { sampled: true });
    const sampled = counters.filter(({ name, process }) => name === 'cpu sampled rate' && process !== '/host[id=a]');
    const analysis = analysed(makeCase(written));
    const wanted = analysis.attribution.samples[0] ?? [];
    const found = Array.from(wanted, (_, slice) => sampled.findLast(({ at }) => at <= slice * 10)?.value);
    expect(found).toEqual([...wanted]);
    expect(sampled.length).toBeLessThan(wanted.length);
  });

  test('share no number with each other', () => {
    const { events } = trace(written);
    const pids = new Set(events.map(({ pid }) => pid));
    const tids = new Map(events.flatMap(({ tid, pid }) => (tid === pid ? [] : [[tid, pid] as const])));
    expect(Math.min(pids.size, tids.size)).toBeGreaterThan(0);
    for (const { tid, pid } of events) expect(tids.get(tid) ?? pid).toBe(pid);
    for (const tid of tids.keys()) expect(pids.has(tid)).toBe(false);
  });
});

/** Pairs of events on one thread that overlap without one lying in the other, found without any order. */
function overlaps(stretches: ReturnType<typeof readTrace>['stretches']): string[] {
  return stretches.flatMap((a) =>
    stretches.flatMap((b) =>
      a.tid === b.tid && a.start < b.start && b.start < a.end && a.end < b.end
        ? [`${a.thread}: ${a.start}-${a.end} and ${b.start}-${b.end}`]
        : [],
    ),
  );
}
