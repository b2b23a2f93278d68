import { describe, expect, test } from 'vitest';
import { loadPlatform, shippedPlatforms } from '../../../analysis/platform/load-platform.ts';
import type { Platform } from '../../../analysis/platform/platform.ts';
import { analyseFolder } from '../sources/logs/analyse-job.ts';
import { lines, textFolder } from '../sources/logs/text-folder.ts';

/** Names of the phase types directly under one, with how often they occur. */
function under({ phaseTypes }: Platform, path: string): Readonly<Record<string, string>> {
  const parent = phaseTypes.indexOf.get(path) ?? expect.fail(`${path} is no phase type`);
  return Object.fromEntries(
    Array.from(phaseTypes.children[parent] ?? [], (type) => [phaseTypes.names[type], phaseTypes.repeats[type]]),
  );
}

/** What must end before a phase type starts, by names. */
function predecessors({ phaseTypes }: Platform, path: string): readonly (string | undefined)[] {
  const type = phaseTypes.indexOf.get(path) ?? expect.fail(`${path} is no phase type`);
  return Array.from(phaseTypes.predecessors[type] ?? [], (one) => phaseTypes.names[one]);
}

function ruleOf({ rules = [] }: Platform, phaseType: string, metricType: string): unknown {
  return rules.find((rule) => rule.phaseType === phaseType && rule.metricType === metricType)?.rule;
}

function classes({ resourceTypes: { metricTypes } }: Platform): Readonly<Record<string, string>> {
  return Object.fromEntries(metricTypes.paths.map((path, index) => [path, metricTypes.classes[index] ?? '']));
}

test('six models are shipped', async () => {
  expect(await shippedPlatforms()).toEqual(['giraph', 'graph500', 'graphalytics', 'mpi', 'mpi-calls', 'powergraph']);
});

const LINK = {
  '/host/cpu': 'consumable',
  '/host/network/bytes-in': 'consumable',
  '/host/network/bytes-out': 'consumable',
};

describe.each(['giraph', 'graph500', 'graphalytics', 'mpi', 'mpi-calls', 'powergraph'])('%s', (name) => {
  test('loads under its own name, and knows processors and both directions of the link', async () => {
    const platform = await loadPlatform(name);
    expect(platform.name).toBe(name);
    expect(classes(platform)).toMatchObject(LINK);
  });

  test('has words for each of its metrics, and both directions of the link as one component', async () => {
    const { metrics, resourceTypes } = await loadPlatform(name);
    expect(metrics).toHaveLength(resourceTypes.metricTypes.count);
    const labels = metrics.map(({ label }) => label);
    expect(new Set(labels).size).toBe(labels.length);
    const groupOf = (path: string) => metrics[resourceTypes.metricTypes.indexOf.get(path) ?? -1]?.group;
    expect(groupOf('/host/network/bytes-in')).toBe('network');
    expect(groupOf('/host/network/bytes-out')).toBe('network');
    expect(groupOf('/host/cpu')).not.toBe('network');
  });

  test('maps a job with one phase of each type to hosts and workers without a warning', async () => {
    const { phaseTypes, resourceTypes, rules } = await loadPlatform(name);
    const instance = (path: string): string =>
      path
        .split('/')
        .slice(1)
        .reduce(
          ({ at, made }, step) => {
            const [type, own] = [phaseTypes.indexOf.get(`${at}/${step}`), `${at}/${step}`];
            const key = type !== undefined && phaseTypes.repeats[type] !== 'none' ? `[${phaseTypes.keys[type]}=0]` : '';
            return { at: own, made: `${made}/${step}${key}` };
          },
          { at: '', made: '' },
        ).made;
    const metric = (path: string): string =>
      path.replace(/\/(host|rank|worker)\b/, '/$1[$1=0]').replace('compute-thread/', 'compute-thread[thread=0]/');
    const of = (wanted: string) =>
      resourceTypes.metricTypes.paths.filter((_, index) => resourceTypes.metricTypes.classes[index] === wanted);
    const keys = [...new Set(phaseTypes.keys.filter((key) => key !== undefined))];
    const folder = await textFolder({
      'model.yaml': lines('name: job', `extends: ${name}`, 'places:', ...keys.map((key) => `  ${key}: { 0: 0 }`)),
      'phases.csv': lines(
        'path,start_ns,end_ns',
        '/,0,100000000',
        ...phaseTypes.paths.slice(1).map((path) => `${instance(path)},0,100000000`),
      ),
      'rates.csv': lines(
        'metric,capacity,period_start_ns,period_end_ns,value',
        ...of('consumable').map((path) => `${metric(path)},4,0,100000000,2`),
      ),
      'waits.csv': lines('metric,start_ns,end_ns', ...of('blocking').map((path) => `${metric(path)},0,20000000`)),
    });
    const { output, warnings } = await analyseFolder(folder);
    expect(warnings).toEqual([]);
    // All that has a rule is used by the leaves that have it; without rules, by all leaves that reach it.
    for (const { phaseType, metricType, rule } of rules ?? []) {
      const used = output.leaf_metric_bottlenecks[instance(phaseType)] ?? {};
      expect(Object.keys(used).includes(metric(metricType)), `${phaseType} ${metricType}`).toBe(rule.kind !== 'none');
    }
    expect(resourceTypes.metricTypes.paths).not.toEqual([]);
    const used = new Set(Object.values(output.leaf_metric_bottlenecks).flatMap((own) => Object.keys(own)));
    expect([...used].sort()).toEqual(resourceTypes.metricTypes.paths.map(metric).sort());
  });
});

describe('Giraph, as section 5.5 has it', () => {
  test('supersteps of workers: PreCompute, Compute of threads, PostCompute, and Communicate beside them', async () => {
    const giraph = await loadPlatform('giraph');
    expect(under(giraph, '/')).toMatchObject({ LoadGraph: 'none', Execute: 'none' });
    expect(predecessors(giraph, '/Execute')).toEqual(['LoadGraph']);
    expect(under(giraph, '/Execute')).toEqual({ Superstep: 'sequential' });
    expect(under(giraph, '/Execute/Superstep')).toEqual({ WorkerSuperstep: 'concurrent' });
    const worker = '/Execute/Superstep/WorkerSuperstep';
    expect(under(giraph, worker)).toEqual({
      PreCompute: 'none',
      Compute: 'none',
      PostCompute: 'none',
      Communicate: 'none',
    });
    expect(predecessors(giraph, `${worker}/PreCompute`)).toEqual([]);
    expect(predecessors(giraph, `${worker}/Compute`)).toEqual(['PreCompute']);
    expect(predecessors(giraph, `${worker}/PostCompute`)).toEqual(['Compute']);
    expect(predecessors(giraph, `${worker}/Communicate`)).toEqual([]);
    expect(under(giraph, `${worker}/Compute`)).toEqual({ ComputeThread: 'concurrent' });
  });

  test('garbage collection and full message queues block, besides processor and network', async () => {
    expect(classes(await loadPlatform('giraph'))).toEqual({
      ...LINK,
      '/worker/jvm/garbage-collection': 'blocking',
      '/worker/compute-thread/message-queue': 'blocking',
    });
  });

  test('a compute thread takes one core and no network, communication is a sink of both', async () => {
    const giraph = await loadPlatform('giraph');
    const worker = '/Execute/Superstep/WorkerSuperstep';
    const thread = `${worker}/Compute/ComputeThread`;
    expect(ruleOf(giraph, thread, '/host/cpu')).toEqual({ kind: 'greedy', cap: 1 });
    expect(ruleOf(giraph, thread, '/host/network/bytes-out')).toBeUndefined();
    for (const metric of Object.keys(LINK)) {
      expect(ruleOf(giraph, `${worker}/Communicate`, metric)).toEqual({ kind: 'sink', weight: 1 });
    }
    expect(ruleOf(giraph, thread, '/worker/compute-thread/message-queue')).toEqual({ kind: 'full' });
  });

  test('cores that threads leave while their queues are full go to communication, and nobody computes during garbage collection', async () => {
    const worker = '/Execute/Superstep[superstep=0]/WorkerSuperstep[worker=w]';
    const folder = await textFolder({
      'model.yaml': lines('name: job', 'extends: giraph', 'timeslice: 10ns', 'places: { worker: { w: n1 } }'),
      'phases.csv': lines(
        'path,start_ns,end_ns',
        '/,0,60',
        '/Execute,0,60',
        '/Execute/Superstep[superstep=0],0,60',
        `${worker},0,60`,
        `${worker}/Communicate,0,60`,
        `${worker}/Compute,0,60`,
        `${worker}/Compute/ComputeThread[thread=0],0,60`,
        `${worker}/Compute/ComputeThread[thread=1],0,60`,
      ),
      // Four cores, all of them busy but during garbage collection.
      'rates.csv': lines(
        'metric,capacity,period_start_ns,period_end_ns,value',
        '/host[host=n1]/cpu,4,0,40,4',
        '/host[host=n1]/cpu,4,40,60,0',
      ),
      'waits.csv': lines(
        'metric,start_ns,end_ns',
        '/worker[worker=w]/compute-thread[thread=0]/message-queue,10,20',
        '/worker[worker=w]/compute-thread[thread=0]/message-queue,30,40',
        '/worker[worker=w]/compute-thread[thread=1]/message-queue,30,40',
        '/worker[worker=w]/jvm/garbage-collection,40,60',
      ),
    });
    const { output } = await analyseFolder(folder);
    const cpu = (phase: string) => output.attribution[`${worker}/${phase}`]?.['/host[host=n1]/cpu'];
    expect(cpu('Compute/ComputeThread[thread=0]')?.capacity).toEqual([1, 0, 1, 0, 0, 0]);
    expect(cpu('Compute/ComputeThread[thread=0]')?.usage).toEqual([1, 0, 1, 0, 0, 0]);
    expect(cpu('Compute/ComputeThread[thread=1]')?.usage).toEqual([1, 1, 1, 0, 0, 0]);
    expect(cpu('Communicate')?.capacity).toEqual([2, 3, 2, 4, 0, 0]);
    expect(cpu('Communicate')?.usage).toEqual([2, 3, 2, 4, 0, 0]);
    expect(output.leaf_bottlenecks[`${worker}/Communicate`]).toMatchObject({
      '/host/cpu': '4G2N',
      '/worker/jvm/garbage-collection': '4N2G',
    });
    expect(output.leaf_bottlenecks[`${worker}/Compute/ComputeThread[thread=0]`]).toMatchObject({
      '/host/cpu': '1G1N1G3N',
      '/worker/compute-thread/message-queue': '1N1G1N1G2N',
    });
  });
});

describe('PowerGraph, as appendix B.3 has it', () => {
  const superstep = '/ComputeMain/Superstep';

  test('a superstep has six steps, each after the one before it', async () => {
    const powergraph = await loadPlatform('powergraph');
    expect(under(powergraph, '/ComputeMain')).toEqual({ Superstep: 'sequential' });
    const steps = Object.keys(under(powergraph, superstep));
    expect(steps).toHaveLength(6);
    // Of the six the thesis names these, in the order of a vertex program.
    expect(steps.filter((step) => ['ExchangeMessages', 'Gather', 'Apply', 'Scatter'].includes(step))).toEqual([
      'ExchangeMessages',
      'Gather',
      'Apply',
      'Scatter',
    ]);
    const order = steps.map((step) => predecessors(powergraph, `${superstep}/${step}`));
    expect(order).toEqual(steps.map((_, place) => (place === 0 ? [] : [steps[place - 1]])));
    expect(Object.values(under(powergraph, superstep))).toEqual(Array(6).fill('none'));
  });

  test('five of the steps split into workers, each into threads and one phase that communicates', async () => {
    const powergraph = await loadPlatform('powergraph');
    const steps = Object.keys(under(powergraph, superstep));
    const split = steps.filter((step) => Object.keys(under(powergraph, `${superstep}/${step}`)).length > 0);
    expect(split).toHaveLength(5);
    for (const step of split) {
      expect(under(powergraph, `${superstep}/${step}`)).toEqual({ [`Worker${step}`]: 'concurrent' });
      expect(under(powergraph, `${superstep}/${step}/Worker${step}`)).toEqual({
        [`${step}Communication`]: 'none',
        [`${step}Thread`]: 'concurrent',
      });
      for (const part of [`${step}Communication`, `${step}Thread`]) {
        expect(predecessors(powergraph, `${superstep}/${step}/Worker${step}/${part}`)).toEqual([]);
      }
    }
  });

  test('nothing blocks: garbage collection and message queues are not modelled', async () => {
    expect(classes(await loadPlatform('powergraph'))).toEqual(LINK);
  });
});

test('Graph500 goes level by level, and on each every rank expands, computes, folds and waits', async () => {
  const graph500 = await loadPlatform('graph500');
  expect(under(graph500, '/')).toEqual({ LoadGraph: 'concurrent', Construct: 'concurrent', Search: 'sequential' });
  expect(under(graph500, '/Search')).toEqual({ Bfs: 'none', Validate: 'concurrent' });
  expect(under(graph500, '/Search/Bfs')).toEqual({ Level: 'sequential' });
  expect(under(graph500, '/Search/Bfs/Level')).toEqual({ RankLevel: 'concurrent' });
  const rank = '/Search/Bfs/Level/RankLevel';
  const steps = ['Expand', 'Compute', 'Fold', 'Synchronise'];
  expect(Object.keys(under(graph500, rank))).toEqual(steps);
  expect(steps.map((step) => predecessors(graph500, `${rank}/${step}`))).toEqual([
    [],
    ['Expand'],
    ['Compute'],
    ['Fold'],
  ]);
  expect(graph500.phaseTypes.paths[graph500.focus]).toBe('/Search/Bfs');
  expect(graph500.noun).toBe('search');
});

test('a program of MPI without a trace has a phase per rank and the default rules', async () => {
  const mpi = await loadPlatform('mpi');
  expect(mpi.phaseTypes.paths).toEqual(['/', '/Rank']);
  expect(under(mpi, '/')).toEqual({ Rank: 'concurrent' });
  expect(mpi.rules).toBeUndefined();
  expect(mpi.focus).toBe(0);
});

test('a kernel of Graphalytics goes superstep by superstep; ranks compute, exchange and wait', async () => {
  const graphalytics = await loadPlatform('graphalytics');
  expect(under(graphalytics, '/Run')).toEqual({ Superstep: 'sequential' });
  expect(under(graphalytics, '/Run/Superstep')).toEqual({ RankStep: 'concurrent' });
  const steps = ['Compute', 'Exchange', 'Synchronise'];
  expect(Object.keys(under(graphalytics, '/Run/Superstep/RankStep'))).toEqual(steps);
  expect(steps.map((step) => predecessors(graphalytics, `/Run/Superstep/RankStep/${step}`))).toEqual([
    [],
    ['Compute'],
    ['Exchange'],
  ]);
});

test('runs of ours fill in the models of programs that we run, and of no others', async () => {
  const measured = await Promise.all(
    (await shippedPlatforms()).map(async (name) => [name, (await loadPlatform(name)).measured !== undefined]),
  );
  expect(Object.fromEntries(measured)).toEqual({
    giraph: false,
    powergraph: false,
    graph500: true,
    graphalytics: true,
    mpi: true,
    'mpi-calls': true,
  });
});
