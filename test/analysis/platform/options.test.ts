import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Model } from '../../../analysis/grade10/model/create-model.ts';
import { loadPlatform } from '../../../analysis/platform/load-platform.ts';
import type { CaseOutput } from '../case-output.ts';
import { analyseTexts } from '../sources/logs/analyse-job.ts';
import { refusal } from '../sources/logs/refusal.ts';
import { lines, textFolder } from '../sources/logs/text-folder.ts';

const HEADER = 'metric,capacity,period_start_ns,period_end_ns,value';

describe('thresholds of a model file', () => {
  /** One leaf alone with two metrics, both used to 0.92 of their capacities for 10 slices. */
  async function at92(...rest: readonly string[]): Promise<CaseOutput> {
    const { output } = await analyseTexts({
      'model.yaml': lines(
        'name: m',
        'timeslice: 10ns',
        'phases: { Work: }',
        'resources: { host: { metrics: { cpu: consumable, net: consumable } } }',
        ...rest,
      ),
      'phases.csv': lines('path,start_ns,end_ns', '/,0,100', '/Work,0,100'),
      'rates.csv': lines(HEADER, '/host/cpu,4,0,100,3.68', '/host/net,100,0,100,92'),
    });
    return output;
  }

  test.each<[string, readonly string[], { cpu: string; net: string }]>([
    ['none', [], { cpu: '10N', net: '10N' }],
    ['0.9 of the resource', ['thresholds: { global: 0.9 }'], { cpu: '10G', net: '10G' }],
    ['0.95 of both', ['thresholds: { global: 0.95, local: 0.95 }'], { cpu: '10N', net: '10N' }],
    ['0.9 of one metric type', ['thresholds: { global: { /host/cpu: 0.9 } }'], { cpu: '10G', net: '10N' }],
    ['0.9 of all but one', ['thresholds: { global: { default: 0.9, /host/cpu: 0.95 } }'], { cpu: '10N', net: '10G' }],
    ['0.9 of what a phase can have', ['thresholds: { local: 0.9 }'], { cpu: '10L', net: '10L' }],
    [
      '0.9 of what a phase can have of one metric type',
      ['thresholds: { local: { /host/net: 0.9 } }'],
      { cpu: '10N', net: '10L' },
    ],
    [
      'another of each kind for each metric type',
      ['thresholds: { global: { /host/net: 0.9, default: 0.99 }, local: { /host/cpu: 0.9, /host/net: 0.95 } }'],
      { cpu: '10L', net: '10G' },
    ],
  ])('%s: a metric at 0.92 is a bottleneck when its own threshold says so', async (_, rest, { cpu, net }) => {
    const { leaf_bottlenecks } = await at92(...rest);
    expect(leaf_bottlenecks['/Work']).toEqual({ '/host/cpu': cpu, '/host/net': net });
  });

  test('are those of a metric on every host', async () => {
    const { output } = await analyseTexts({
      'model.yaml': lines(
        'name: m',
        'timeslice: 10ns',
        'phases: { Work: { repeat: concurrent, key: w } }',
        'resources: { host: { repeat: many, key: host, metrics: { net: consumable, cpu: consumable } } }',
        "mapping: { /Work: ['/host[host={w}]'] }",
        'thresholds: { global: { /host/cpu: 0.9 } }',
      ),
      'phases.csv': lines('path,start_ns,end_ns', '/,0,20', '/Work[w=0],0,20', '/Work[w=1],0,20'),
      'rates.csv': lines(
        HEADER,
        '/host[host=1]/cpu,4,0,20,3.68',
        '/host[host=0]/net,4,0,20,3.68',
        '/host[host=0]/cpu,4,0,20,3.68',
      ),
    });
    expect(output.leaf_metric_bottlenecks).toEqual({
      '/Work[w=0]': { '/host[host=0]/cpu': '2G', '/host[host=0]/net': '2N' },
      '/Work[w=1]': { '/host[host=1]/cpu': '2G' },
    });
  });
});

describe('predicates of a model file', () => {
  /**
   * Three workers and two helpers, each blocked by itself for some of ten slices; worker 2 ends after 8. Bottlenecked, slice by slice:
   * worker 0 XXXXX-----, 1 --XXXX----, 2 ----XXX-; helper 0 -------XXX, 1 XX------XX.
   */
  const FILES = {
    'phases.csv': lines(
      'path,start_ns,end_ns',
      '/,0,100',
      '/Worker[id=0],0,100',
      '/Worker[id=1],0,100',
      '/Worker[id=2],0,80',
      '/Helper[id=3],0,100',
      '/Helper[id=4],0,100',
    ),
    'waits.csv': lines(
      'metric,start_ns,end_ns',
      '/lock[id=0]/wait,0,50',
      '/lock[id=1]/wait,20,60',
      '/lock[id=2]/wait,40,70',
      '/lock[id=3]/wait,70,100',
      '/lock[id=4]/wait,0,20',
      '/lock[id=4]/wait,80,100',
    ),
  };
  const model = (predicates: string) =>
    lines(
      'name: m',
      'timeslice: 10ns',
      'phases: { Worker: { repeat: concurrent, key: id }, Helper: { repeat: concurrent, key: id } }',
      'resources: { lock: { repeat: many, key: id, metrics: { wait: blocking } } }',
      "mapping: { /Worker: ['/lock[id={id}]'], /Helper: ['/lock[id={id}]'] }",
      predicates,
    );

  async function rootBy(predicates: string): Promise<Readonly<Record<string, string | undefined>>> {
    const { output } = await analyseTexts({ ...FILES, 'model.yaml': model(predicates) });
    return Object.fromEntries(
      Object.entries(output.composite_bottlenecks).map(([name, byPhase]) => [name, byPhase['/']?.['/lock/wait']]),
    );
  }

  // Slices:        0 1 2 3 4 5 6 7 8 9
  // of workers     1 1 2 2 3 2 1 0 0 0  of 3 3 3 3 3 3 3 3 2 2
  // of helpers     1 1 0 0 0 0 0 1 2 2  of 2
  // of all         2 2 2 2 3 2 1 1 2 2  of 5 5 5 5 5 5 5 5 4 4
  test.each([
    ['2 of 5', '{ name: p, at-least: 0.4 }', '6B2N2B'],
    ['more than 2 of 5, that is 2 of 4', '{ name: p, at-least: 0.41, per: phase }', '4N1B3N2B'],
    ['half', '{ name: p, at-least: 0.5 }', '4N1B3N2B'],
    ['all', '{ name: p, at-least: 1 }', '10N'],
    ['any, however little', '{ name: p, at-least: 0.000001 }', '10B'],
    ['two thirds of a type', '{ name: p, at-least: 0.66, per: type }', '2N4B2N2B'],
    ['half of a type', '{ name: p, at-least: 0.5, per: type }', '6B1N3B'],
    ['all of a type', '{ name: p, at-least: 1, per: type }', '4N1B3N2B'],
  ])('%s bottlenecked', async (_, predicate, runs) => {
    expect(await rootBy(`predicates: [${predicate}]`)).toEqual({ p: runs });
  });

  test('left out, they are the four of table 4.3', async () => {
    expect(await rootBy('')).toEqual({ any: '10B', all: '10N', majority: '4N1B3N2B', 'majority+any': '6B1N3B' });
  });

  test('given, they are those and no others, under their names and in their order', async () => {
    const found = await rootBy('predicates: [all, { name: a third, at-least: 0.3 }, any]');
    // A third of 5 is 2, of 4 it is 2.
    expect(Object.entries(found)).toEqual([
      ['all', '10N'],
      ['a third', '6B2N2B'],
      ['any', '10B'],
    ]);
  });

  test('a share that is met exactly is met, whatever rounding does to its product', async () => {
    const folder = await textFolder({
      'm.yaml': lines('name: m', 'predicates: [{ name: some, at-least: 0.28 }]', 'phases: { A: }'),
    });
    const platform = await loadPlatform(join(folder, 'm.yaml'));
    const [some] =
      platform.analyseOptions({ metrics: [], resourceTypes: platform.resourceTypes } as unknown as Model).predicates ??
      [];
    expect(some?.kind === 'count' && [some.holds(7, 25), some.holds(6, 25)]).toEqual([true, false]);
  });

  test('two of one name are refused', async () => {
    const files = { ...FILES, 'model.yaml': model('predicates: [any, { name: any, at-least: 0.5 }]') };
    expect(await refusal(analyseTexts(files))).toContain("'any'");
  });
});

test('the sampler of the file is used: constant gives each slice the rate, phase-aware what its phases could use', async () => {
  const sampled = async (sampler: string) =>
    (
      await analyseTexts({
        'model.yaml': lines(
          'name: m',
          'timeslice: 10ns',
          'phases: { A: }',
          'resources: { h: { metrics: { cpu: consumable } } }',
          sampler,
        ),
        'phases.csv': lines('path,start_ns,end_ns', '/,0,40', '/A,0,20'),
        'rates.csv': lines(HEADER, '/h/cpu,4,0,40,1'),
      })
    ).output.sampled['/h/cpu'];
  expect(await sampled('sampler: constant')).toEqual([1, 1, 1, 1]);
  expect(await sampled('sampler: phase-aware')).toEqual([2, 2, 0, 0]);
  expect(await sampled('')).toEqual([2, 2, 0, 0]);
});

describe('what a file says of itself', () => {
  const load = async (...rest: readonly string[]) =>
    loadPlatform(join(await textFolder({ 'm.yaml': lines('name: m', ...rest) }), 'm.yaml'));

  test.each([
    ['7ns', 7],
    ['0.5us', 500],
    ['1ms', 1e6],
    ['2.5 ms', 2.5e6],
    ['1s', 1e9],
  ])('a time slice of %s is %d ns', async (text, ns) => {
    expect((await load(`timeslice: ${text}`)).timesliceNs).toBe(ns);
  });

  test('a job has slices of 10 ms where nobody says otherwise, and of what the caller says before what the file says', async () => {
    const phases = { 'phases.csv': lines('path,start_ns,end_ns', '/,0,100000000') };
    const { output } = await analyseTexts({ ...phases, 'model.yaml': 'name: m\n' });
    expect([output.timeslice_ns, output.last_timeslice]).toEqual([10e6, 9]);
  });

  test('without phases and resources there is only the job', async () => {
    const { phaseTypes, resourceTypes, focus, noun, rules, places, measured } = await load();
    expect([phaseTypes.paths, resourceTypes.metricTypes.count, focus, noun]).toEqual([['/'], 0, 0, 'run']);
    expect([rules, places, measured]).toEqual([undefined, {}, undefined]);
  });

  test('metrics have the words that the file gives, or their own names', async () => {
    const { metrics, resourceTypes } = await load(
      'resources:',
      '  host:',
      '    metrics:',
      '      cpu: consumable',
      '      gc: { class: blocking, label: the collector }',
      '    resources:',
      '      net: { metrics: { in: { class: consumable, label: the link, group: network, unit: B/s } } }',
    );
    expect(resourceTypes.metricTypes.paths).toEqual(['/host/cpu', '/host/gc', '/host/net/in']);
    expect(metrics).toEqual([
      { label: 'cpu', group: 'cpu', unit: '' },
      { label: 'the collector', group: 'gc', unit: '' },
      { label: 'the link', group: 'network', unit: 'B/s' },
    ]);
  });

  test('rules are read with their numbers', async () => {
    const { rules } = await load(
      'phases: { A: }',
      'resources: { h: { metrics: { a: consumable, b: consumable, c: consumable, d: blocking, e: blocking } } }',
      'rules: { /A: { /h/a: sink, /h/b: sink 0.25, /h/c: greedy 1e9, /h/d: full, /h/e: none } }',
    );
    expect(rules).toEqual([
      { phaseType: '/A', metricType: '/h/a', rule: { kind: 'sink', weight: 1 } },
      { phaseType: '/A', metricType: '/h/b', rule: { kind: 'sink', weight: 0.25 } },
      { phaseType: '/A', metricType: '/h/c', rule: { kind: 'greedy', cap: 1e9 } },
      { phaseType: '/A', metricType: '/h/d', rule: { kind: 'full' } },
      { phaseType: '/A', metricType: '/h/e', rule: { kind: 'none' } },
    ]);
  });

  test('rules left out are the defaults, rules without an entry are none', async () => {
    const used = async (rules: string) =>
      (
        await analyseTexts({
          'model.yaml': lines(
            'name: m',
            'timeslice: 10ns',
            'phases: { A: }',
            'resources: { h: { metrics: { cpu: consumable, gc: blocking } } }',
            rules,
          ),
          'phases.csv': lines('path,start_ns,end_ns', '/,0,20', '/A,0,20'),
          'rates.csv': lines(HEADER, '/h/cpu,4,0,20,1'),
          'waits.csv': lines('metric,start_ns,end_ns', '/h/gc,0,10'),
        })
      ).output.leaf_metric_bottlenecks;
    expect(await used('')).toEqual({ '/A': { '/h/cpu': '2N', '/h/gc': '1G1N' } });
    expect(await used('rules: {}')).toEqual({});
  });
});
