import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadPlatform } from '../../../analysis/platform/load-platform.ts';
import { refusal } from '../sources/logs/refusal.ts';
import { lines, textFolder } from '../sources/logs/text-folder.ts';

/** Ten lines, so that what a test adds starts on line 11. */
const MODEL = lines(
  'name: m',
  'phases:',
  '  Load:',
  '  Step:',
  '    { repeat: sequential, key: level, phases: { Rank: { repeat: concurrent, key: rank }, Core: { repeat: concurrent, key: core } } }',
  'resources:',
  '  host: { repeat: many, key: host, metrics: { cpu: consumable } }',
  '  rank: { repeat: many, key: rank, metrics: { wait: blocking } }',
  '  socket: { repeat: many, key: socket, metrics: { watts: consumable } }',
  '# the rest',
);

async function refusedWith(...rest: readonly string[]): Promise<string> {
  const folder = await textFolder({ 'm.yaml': MODEL + lines(...rest) });
  return refusal(loadPlatform(join(folder, 'm.yaml')), folder);
}

test('the file that the other tests spoil is good', async () => {
  const folder = await textFolder({ 'm.yaml': MODEL });
  const { phaseTypes, resourceTypes } = await loadPlatform(join(folder, 'm.yaml'));
  expect(phaseTypes.paths).toEqual(['/', '/Load', '/Step', '/Step/Rank', '/Step/Core']);
  expect(resourceTypes.metricTypes.paths).toEqual(['/host/cpu', '/rank/wait', '/socket/watts']);
});

describe('what names nothing, and what does not fit', () => {
  test.each<[string, readonly string[], string]>([
    ['a focus on nothing', ['focus: /Search'], "m.yaml:11: focus: '/Search' is not a phase type of this model."],
    [
      'a focus on a phase elsewhere',
      ['focus: /Rank'],
      "m.yaml:11: focus: '/Rank' is not a phase type of this model: did you mean /Step/Rank?",
    ],
    [
      'a rule of no phase type',
      ['rules:', '  /Store: { /host/cpu: sink }'],
      "m.yaml:12: rules > /Store: '/Store' is not a phase type of this model.",
    ],
    [
      'a rule on no metric type',
      ['rules:', '  /Load:', '    /host/cpu: sink', '    /host/gpu: sink'],
      "m.yaml:14: rules > /Load > /host/gpu: '/host/gpu' is not a metric type of this model.",
    ],
    [
      'a rule on a metric type elsewhere',
      ['rules: { /Load: { /node/cpu: sink } }'],
      "m.yaml:11: rules > /Load > /node/cpu: '/node/cpu' is not a metric type of this model: did you mean /host/cpu?",
    ],
    [
      'a cap on a blocking metric',
      ['rules: { /Load: { /rank/wait: greedy 1 } }'],
      'm.yaml:11: rules > /Load > /rank/wait: /rank/wait is blocking: write full or none.',
    ],
    [
      'a weight on a blocking metric',
      ['rules: { /Load: { /rank/wait: sink } }'],
      'm.yaml:11: rules > /Load > /rank/wait: /rank/wait is blocking: write full or none.',
    ],
    [
      'full on a consumable metric',
      ['rules:', '', '  /Load:', '    /host/cpu: full'],
      'm.yaml:14: rules > /Load > /host/cpu: /host/cpu is consumable: write greedy CAP, sink or none.',
    ],
    [
      'a mapping of no phase type',
      ['mapping:', "  /Store: ['/host']"],
      "m.yaml:12: mapping > /Store: '/Store' is not a phase type of this model.",
    ],
    [
      'a mapping to no resource type',
      ['mapping:', '  /Load:', "    - '/host[host={host}]'", "    - '/disk[host={host}]'"],
      "m.yaml:14: mapping > /Load[1]: '/disk' is not a resource type of this model.",
    ],
    [
      'a mapping by the key of a phase that is no parent',
      ['mapping:', "  /Step/Rank: ['/host[host={core}]']"],
      'm.yaml:12: mapping > /Step/Rank[0]: {core} is not the key of any phase from /Step/Rank upwards: use host, rank, level.',
    ],
    [
      'a mapping by the key of a phase below',
      ['mapping:', "  /Step: ['/rank[rank={rank}]']"],
      'm.yaml:12: mapping > /Step[0]: {rank} is not the key of any phase from /Step upwards: use host, level.',
    ],
    [
      'a global threshold of no metric type',
      ['thresholds:', '  global: { default: 0.9, /host/gpu: 0.5 }'],
      "m.yaml:12: thresholds.global > /host/gpu: '/host/gpu' is not a metric type of this model.",
    ],
    [
      'a local threshold of no metric type',
      ['thresholds:', '  local:', '    /cpu: 0.5'],
      "m.yaml:13: thresholds.local > /cpu: '/cpu' is not a metric type of this model: did you mean /host/cpu?",
    ],
    [
      'a trace of no phase type',
      ['measured:', '  trace:', '    load: /Load', '    store: /Store', '  metrics: {}'],
      "m.yaml:14: measured.trace.store: '/Store' is not a phase type of this model.",
    ],
    [
      'an exchange of no phase type',
      ['measured:', '  exchanges: { /Store: row }', '  metrics: {}'],
      "m.yaml:12: measured.exchanges > /Store: '/Store' is not a phase type of this model.",
    ],
    [
      'an exchange with a group that there is not',
      ['measured:', '  exchanges: { /Run: family }', '  metrics: {}'],
      "m.yaml:12: measured.exchanges > /Run is 'family': write row, column, row-and-column, all.",
    ],
    [
      'a lifetime of no phase type',
      ['measured:', '  lifetime: /Run', '  metrics: {}'],
      "m.yaml:12: measured.lifetime: '/Run' is not a phase type of this model.",
    ],
    [
      'a lifetime of phases with ids that no life tells',
      ['measured:', '  lifetime: /Step/Core', '  metrics: {}'],
      ['core', 'level']
        .map((key) => `m.yaml:12: measured.lifetime: the span of a rank has no '${key}', only worker, rank.`)
        .join('\n'),
    ],
    [
      'a counter of no metric type',
      ['measured:', '  metrics:', '    /host/gpu: { counter: gpu, capacity: 1 }'],
      "m.yaml:13: measured.metrics > /host/gpu: '/host/gpu' is not a metric type of this model.",
    ],
    [
      'a counter of a blocking metric',
      ['measured: { metrics: { /rank/wait: { counter: cpu, capacity: 1 } } }'],
      'm.yaml:11: measured.metrics > /rank/wait: /rank/wait is blocking: give the phase type that waits.',
    ],
    [
      'waits for a consumable metric',
      ['measured: { metrics: { /host/cpu: { waits: /Load } } }'],
      'm.yaml:11: measured.metrics > /host/cpu: /host/cpu is consumable: give a counter.',
    ],
    [
      'waits of no phase type',
      ['measured:', '  metrics:', '    /rank/wait:', '      waits: /Synchronise'],
      "m.yaml:14: measured.metrics > /rank/wait.waits: '/Synchronise' is not a phase type of this model.",
    ],
    [
      'a counter of a resource with ids that no counter tells',
      ['measured: { metrics: { /socket/watts: { counter: w, capacity: 200 } } }'],
      "m.yaml:11: measured.metrics > /socket/watts: a counter has no 'socket', only host, worker, rank.",
    ],
  ])('%s is told with its line', async (_, rest, message) => {
    expect(await refusedWith(...rest)).toBe(message);
  });

  test('rules of none fit every metric, and {host} and keys of parents every mapping', async () => {
    const folder = await textFolder({
      'm.yaml':
        MODEL +
        lines(
          'rules: { /Load: { /host/cpu: none, /rank/wait: none } }',
          "mapping: { /: ['/'], /Step/Rank: ['/host[host={host}]', '/rank[rank={rank}]', '/socket[socket={level}]'] }",
          'measured: { trace: { r: /Step/Rank, all: null }, lifetime: /Load, metrics: { /rank/wait: { waits: /Step/Rank } } }',
        ),
    });
    expect((await loadPlatform(join(folder, 'm.yaml'))).rules).toHaveLength(2);
  });

  test('all faults of a file are told, each on its own line', async () => {
    const message = await refusedWith(
      'focus: /A',
      'rules: { /B: { /c: sink } }',
      "mapping: { /Load: ['/d'] }",
      'thresholds: { local: { /e: 1 } }',
    );
    const places = message.split('\n').map((line) => line.split(': ').slice(0, 2).join(' '));
    expect(places.toSorted()).toEqual([
      'm.yaml:11 focus',
      'm.yaml:12 rules > /B',
      'm.yaml:12 rules > /B > /c',
      'm.yaml:13 mapping > /Load[0]',
      'm.yaml:14 thresholds.local > /e',
    ]);
  });
});

describe('the form of a file', () => {
  test.each<[string, readonly string[], string]>([
    ['a key that is unknown', ['treshold: 0.9'], "m.yaml:11: unknown key 'treshold': did you mean 'thresholds'?"],
    [
      'an unknown key further down',
      ['thresholds:', '  locl: 0.9'],
      "m.yaml:12: unknown key 'locl' in thresholds: did you mean 'local'?",
    ],
    [
      'a path of a phase instead of a type',
      ['focus: /Step[level=1]'],
      "m.yaml:11: focus is '/Step[level=1]': give a type path such as /Job/Step, without [key=id].",
    ],
    [
      'a path without a slash',
      ['focus: Load'],
      "m.yaml:11: focus is 'Load': give a type path such as /Job/Step, without [key=id].",
    ],
    [
      'a rule that is none',
      ['rules:', '  /Load:', '    /host/cpu: exact 1'],
      "m.yaml:13: rules > /Load > /host/cpu: 'exact 1' is not a rule: write none, full, sink, sink WEIGHT or greedy CAP.",
    ],
    [
      'a cap with two points',
      ['rules: { /Load: { /host/cpu: greedy 1.2.3 } }'],
      "m.yaml:11: rules > /Load > /host/cpu: 'greedy 1.2.3' is not a rule: write none, full, sink, sink WEIGHT or greedy CAP.",
    ],
    ['a time slice of a day', ['timeslice: 86400s'], 'm.yaml:11: timeslice: give a duration of at most 3600s.'],
    ['a time slice of nothing', ['timeslice: 0ms'], 'm.yaml:11: timeslice: give a duration above 0.'],
    ['a time slice of dots', ['timeslice: ...ms'], "m.yaml:11: timeslice is '...ms': give a duration such as 1ms."],
    [
      'a greedy rule without its cap',
      ['rules: { /Load: { /host/cpu: greedy } }'],
      "m.yaml:11: rules > /Load > /host/cpu: 'greedy' is not a rule: write none, full, sink, sink WEIGHT or greedy CAP.",
    ],
    [
      'a cap below 0',
      ['rules: { /Load: { /host/cpu: greedy -1 } }'],
      "m.yaml:11: rules > /Load > /host/cpu: 'greedy -1' is not a rule: write none, full, sink, sink WEIGHT or greedy CAP.",
    ],
    [
      'a full rule with a number',
      ['rules: { /Load: { /rank/wait: full 1 } }'],
      "m.yaml:11: rules > /Load > /rank/wait: 'full 1' is not a rule: write none, full, sink, sink WEIGHT or greedy CAP.",
    ],
    [
      'a rule that is a number',
      ['rules: { /Load: { /host/cpu: 3 } }'],
      "m.yaml:11: rules > /Load > /host/cpu: '3' is not a rule: write none, full, sink, sink WEIGHT or greedy CAP.",
    ],
    [
      'a threshold in percent',
      ['thresholds: { global: 95 }'],
      'm.yaml:11: thresholds.global: give a share of at most 1.',
    ],
    [
      'a threshold of 0',
      ['thresholds: { local: { default: 0 } }'],
      'm.yaml:11: thresholds.local.default: give a share above 0.',
    ],
    [
      'a predicate that nobody knows',
      ['predicates: [any, most]'],
      "m.yaml:11: predicates[1] is 'most': write any, all, majority, majority+any, or { name: NAME, at-least: SHARE, per: phase or type }.",
    ],
    [
      'a share above 1',
      ['predicates:', '  - { name: p, at-least: 2 }'],
      'm.yaml:12: predicates[0].at-least: give a share of at most 1.',
    ],
    ['a time slice without a unit', ['timeslice: "10"'], "m.yaml:11: timeslice is '10': give a duration such as 1ms."],
    [
      'a time slice in an unknown unit',
      ['timeslice: 1h'],
      "m.yaml:11: timeslice is '1h': give a duration such as 1ms.",
    ],
    [
      'a mapping without a slash',
      ['mapping: { /Load: [host] }'],
      "m.yaml:11: mapping > /Load[0] is 'host': give a resource path.",
    ],
    [
      'a sampler that nobody knows',
      ['sampler: linear'],
      "m.yaml:11: sampler is 'linear': expected one of phase-aware, constant.",
    ],
    ['a syntax error', ['rules: { /Load: '], 'm.yaml:'],
    ['a key given twice', ['name: again'], "m.yaml:11: the key 'name' is given twice: keep one."],
  ])('%s is told with its line', async (_, rest, message) => {
    const told = await refusedWith(...rest);
    if (message.endsWith(':')) expect(told).toMatch(/^m\.yaml:1[12]: .* is not valid YAML: /);
    else expect(told).toBe(message);
  });

  test.each([
    [
      'a phase type',
      'name: m\nphases:\n  A: { phass: {} }\n',
      "m.yaml:3: unknown key 'phass' in phases.A: did you mean 'phases'?",
    ],
    [
      'how often a phase repeats',
      'name: m\nphases:\n  A: { repeat: twice }\n',
      "m.yaml:3: phases.A.repeat is 'twice': expected one of sequential, concurrent.",
    ],
    [
      'a metric',
      'name: m\nresources:\n  h:\n    metrics:\n      cpu: { class: blocking, lable: x }\n',
      "m.yaml:5: unknown key 'lable' in resources.h.metrics.cpu: did you mean 'label'?",
    ],
    [
      'a class of a metric',
      'name: m\nresources:\n  h:\n    metrics:\n      cpu: { class: consumed }\n',
      "m.yaml:5: resources.h.metrics.cpu.class is 'consumed': expected one of consumable, blocking.",
    ],
    ['a name', 'phases: {}\n', 'm.yaml:1: name is missing: expected text.'],
    [
      'anything',
      '',
      'm.yaml:1: The file is empty: expected a section with the keys name, about, extends, focus, noun, timeslice, sampler, thresholds, predicates, module, phases, resources, mapping, rules, places, measured, monitored.',
    ],
  ])('%s that is wrong or missing is told with its line', async (_, text, message) => {
    const folder = await textFolder({ 'm.yaml': text });
    expect(await refusal(loadPlatform(join(folder, 'm.yaml')), folder)).toBe(message);
  });

  test.each([
    ['a phase after itself', 'name: m\nphases: { A: { after: [A] } }\n', 'A wait for each other'],
    [
      'a circle of predecessors',
      'name: m\nphases: { A: { after: [B] }, B: { after: [A] } }\n',
      'A, B wait for each other',
    ],
    ['a predecessor that is no sibling', 'name: m\nphases: { A: { after: [Z] } }\n', "/A comes after 'Z'"],
    ['a name of a phase with a slash', 'name: m\nphases: { A/B: }\n', "named 'A/B'"],
    ['a name of a resource with brackets', 'name: m\nresources: { "h[0]": }\n', "named 'h[0]'"],
  ])('%s is refused with the file', async (_, text, part) => {
    const folder = await textFolder({ 'm.yaml': text });
    const message = await refusal(loadPlatform(join(folder, 'm.yaml')), folder);
    expect(message).toMatch(/^m\.yaml/);
    expect(message).toContain(part);
  });
});

test('a model that is neither shipped nor a file is refused with what there is', async () => {
  const folder = await textFolder({});
  for (const name of ['hadoop', join(folder, 'none.yaml'), folder]) {
    const message = await refusal(loadPlatform(name));
    expect(message).toContain(`The model '${name}' cannot be read`);
    expect(message).toContain('one of giraph, graph500, graphalytics, mpi, mpi-calls, powergraph.');
  }
});
