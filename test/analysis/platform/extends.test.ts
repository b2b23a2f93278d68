import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadPlatform } from '../../../analysis/platform/load-platform.ts';
import type { Platform } from '../../../analysis/platform/platform.ts';
import { refusal } from '../sources/logs/refusal.ts';
import { lines, textFolder } from '../sources/logs/text-folder.ts';

const BASE = lines(
  'name: base',
  'noun: job',
  'timeslice: 5ms',
  'focus: /Work',
  'phases: { Load: , Work: { repeat: concurrent, key: worker, after: [Load] } }',
  'resources:',
  '  host: { repeat: many, key: host, metrics: { cpu: consumable, net: consumable, gc: blocking } }',
  'mapping:',
  "  /Load: ['/host']",
  "  /Work: ['/host[host={host}]']",
  'rules:',
  '  /Load: { /host/cpu: sink, /host/gc: full }',
  '  /Work: { /host/cpu: greedy 1, /host/net: sink 2 }',
  'places: { worker: { 0: n1 } }',
);

/** A rule as the file would write it, by `phase type metric type`. */
function rulesOf({ rules = [] }: Platform): Readonly<Record<string, string>> {
  return Object.fromEntries(
    rules.map(({ phaseType, metricType, rule }) => [
      `${phaseType} ${metricType}`,
      [rule.kind, ...('cap' in rule ? [rule.cap] : []), ...('weight' in rule ? [rule.weight] : [])].join(' '),
    ]),
  );
}

function mappingOf({ mapping, phaseTypes }: Platform): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries([...mapping].map(([type, resources]) => [phaseTypes.paths[type] ?? '', resources]));
}

async function extended(...own: readonly string[]): Promise<Platform> {
  const folder = await textFolder({
    'base.yaml': BASE,
    'own.yaml': lines('name: own', 'extends: ./base.yaml', ...own),
  });
  return loadPlatform(join(folder, 'own.yaml'));
}

test('a file that only extends another says the same under its own name', async () => {
  const own = await extended();
  expect([own.name, own.noun, own.timesliceNs, own.phaseTypes.paths[own.focus]]).toEqual(['own', 'job', 5e6, '/Work']);
  expect(own.phaseTypes.paths).toEqual(['/', '/Load', '/Work']);
  expect(own.resourceTypes.metricTypes.paths).toEqual(['/host/cpu', '/host/net', '/host/gc']);
  expect(rulesOf(own)).toEqual({
    '/Load /host/cpu': 'sink 1',
    '/Load /host/gc': 'full',
    '/Work /host/cpu': 'greedy 1',
    '/Work /host/net': 'sink 2',
  });
  expect(mappingOf(own)).toEqual({ '/Load': ['/host'], '/Work': ['/host[host={host}]'] });
  expect(own.places).toEqual({ worker: { 0: 'n1' } });
});

test('keys replace those of the file that is extended, others stay', async () => {
  const own = await extended('timeslice: 20ms', 'focus: /Load');
  expect([own.noun, own.timesliceNs, own.phaseTypes.paths[own.focus]]).toEqual(['job', 20e6, '/Load']);
});

test('phases and resources are replaced as a whole', async () => {
  const own = await extended(
    'phases: { Load: , Work: { repeat: concurrent, key: worker }, Store: }',
    'resources: { host: { repeat: many, key: host, metrics: { cpu: consumable, net: consumable, gc: blocking, disk: consumable } } }',
  );
  expect(own.phaseTypes.paths).toEqual(['/', '/Load', '/Work', '/Store']);
  expect(own.phaseTypes.predecessors.map((before) => before.length)).toEqual([0, 0, 0, 0]);
  expect(own.resourceTypes.metricTypes.paths.at(-1)).toBe('/host/disk');
});

test('rules are merged pair by pair', async () => {
  const own = await extended('rules:', '  /Work: { /host/cpu: sink, /host/gc: full }', '  /: { /host/net: none }');
  expect(rulesOf(own)).toEqual({
    '/Load /host/cpu': 'sink 1',
    '/Load /host/gc': 'full',
    '/Work /host/cpu': 'sink 1',
    '/Work /host/net': 'sink 2',
    '/Work /host/gc': 'full',
    '/ /host/net': 'none',
  });
});

test('a pair given none uses nothing any more', async () => {
  expect(rulesOf(await extended('rules: { /Work: { /host/net: none } }'))).toMatchObject({ '/Work /host/net': 'none' });
});

test('mappings are merged phase type by phase type, places key by key', async () => {
  const own = await extended('mapping: { /Load: [/host, /] }', 'places: { thread: { 3: n2 } }');
  expect(mappingOf(own)).toEqual({ '/Load': ['/host', '/'], '/Work': ['/host[host={host}]'] });
  expect(own.places).toEqual({ worker: { 0: 'n1' }, thread: { 3: 'n2' } });
});

test('rules on a model with the default rules leave all other pairs without any', async () => {
  const folder = await textFolder({
    'own.yaml': lines('name: own', 'extends: mpi', 'rules: { /Rank: { /host/cpu: greedy 1 } }'),
  });
  const own = await loadPlatform(join(folder, 'own.yaml'));
  expect(rulesOf(own)).toEqual({ '/Rank /host/cpu': 'greedy 1' });
});

test('a shipped model is extended by its name', async () => {
  const folder = await textFolder({
    'own.yaml': lines('name: own', 'extends: giraph', 'places: { worker: { 0: n1 } }'),
  });
  const [own, giraph] = [await loadPlatform(join(folder, 'own.yaml')), await loadPlatform('giraph')];
  expect(own.phaseTypes.paths).toEqual(giraph.phaseTypes.paths);
  expect(rulesOf(own)).toEqual(rulesOf(giraph));
  expect(own.places).toEqual({ worker: { 0: 'n1' } });
});

test('each file of a chain is found from the file that names it', async () => {
  const folder = await textFolder({
    'jobs/own.yaml': lines('name: own', 'extends: ../models/middle.yaml'),
    'models/middle.yaml': lines('name: middle', 'extends: base/base.yaml', 'timeslice: 7ms', 'noun: run'),
    'models/base/base.yaml': BASE,
    // What stands where the others would lie from another folder is not read.
    'jobs/base/base.yaml': 'name: 1',
    'base/base.yaml': 'name: 1',
  });
  const own = await loadPlatform(join(folder, 'jobs/own.yaml'));
  expect([own.name, own.noun, own.timesliceNs, own.phaseTypes.count]).toEqual(['own', 'run', 7e6, 3]);
});

test('a file in the same folder is extended by its bare name', async () => {
  const folder = await textFolder({ 'base.yaml': BASE, 'own.yaml': lines('name: own', 'extends: base.yaml') });
  expect((await loadPlatform(join(folder, 'own.yaml'))).noun).toBe('job');
});

test.each([
  ['a file that extends itself', { 'own.yaml': lines('name: own', 'extends: own.yaml') }, 'own.yaml extends itself'],
  [
    'a circle of files',
    {
      'own.yaml': lines('name: own', 'extends: ./b.yaml'),
      'b.yaml': lines('name: b', 'extends: ./c.yaml'),
      'c.yaml': lines('name: c', 'extends: ./b.yaml'),
    },
    'b.yaml extends itself',
  ],
  [
    'a file that is not there',
    { 'own.yaml': lines('name: own', 'extends: ./base.yaml') },
    "The model './base.yaml' that own.yaml extends cannot be read",
  ],
  [
    'a bare name that is neither shipped nor beside the file',
    { 'own.yaml': lines('name: own', 'extends: base.yml') },
    "The model 'base.yml' that own.yaml extends cannot be read (no such file or directory)",
  ],
])('%s is refused', async (_, files, part) => {
  const folder = await textFolder(files);
  expect(await refusal(loadPlatform(join(folder, 'own.yaml')), folder)).toContain(part);
});

test('a fault in the file that is extended is told with that file and its line', async () => {
  const folder = await textFolder({
    'base.yaml': `${BASE}focuss: /Load\n`,
    'own.yaml': lines('name: own', 'extends: ./base.yaml'),
  });
  expect(await refusal(loadPlatform(join(folder, 'own.yaml')), folder)).toBe(
    "base.yaml:15: unknown key 'focuss': did you mean 'focus'?",
  );
});

test("a rule that the replaced phases leave without its phase type is told, as is the file's own", async () => {
  const folder = await textFolder({
    'base.yaml': BASE,
    'own.yaml': lines(
      'name: own',
      'extends: ./base.yaml',
      'focus: /Load',
      'phases: { Load: }',
      'rules:',
      '  /Store: { /host/cpu: sink }',
    ),
  });
  const told = (await refusal(loadPlatform(join(folder, 'own.yaml')), folder)).split('\n');
  expect(told.find((line) => line.includes("'/Store'"))).toBe(
    "own.yaml:6: rules > /Store: '/Store' is not a phase type of this model.",
  );
  expect(told.some((line) => line.includes("rules > /Work: '/Work' is not a phase type of this model."))).toBe(true);
  expect(told.some((line) => line.includes("mapping > /Work: '/Work' is not a phase type of this model."))).toBe(true);
});
