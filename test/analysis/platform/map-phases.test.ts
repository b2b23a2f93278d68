import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadPlatform } from '../../../analysis/platform/load-platform.ts';
import { mapPhases } from '../../../analysis/platform/platform.ts';
import { readPhases, rowsByPath } from '../../../analysis/sources/logs/read-job.ts';
import { refusal } from '../sources/logs/refusal.ts';
import { lines, textFolder } from '../sources/logs/text-folder.ts';

const PHASES = lines(
  'name: m',
  'phases:',
  '  Load:',
  '  Step:',
  '    { repeat: sequential, key: step, phases: { Worker: { repeat: concurrent, key: worker, phases: { Thread: { repeat: concurrent, key: thread }, Send: } } } }',
  'resources:',
  '  host: { repeat: many, key: host, metrics: { cpu: consumable }, resources: { core: { repeat: many, key: core } } }',
);
const PATHS = ['/', '/Load', '/Step[step=3]', '/Step[step=3]/Worker[worker=w]'].concat(
  ['Thread[thread=0]', 'Thread[thread=1]', 'Send'].map((leaf) => `/Step[step=3]/Worker[worker=w]/${leaf}`),
);

/** The mapping of the paths (all times 0) by path. */
async function mapped(
  rest: readonly string[],
  paths: readonly string[] = PATHS,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const folder = await textFolder({ 'm.yaml': PHASES + lines(...rest) });
  const platform = await loadPlatform(join(folder, 'm.yaml'));
  const listed = paths.map((path) => ({ path, start_ns: 0, end_ns: 0 }));
  const phases = readPhases(listed, { rows: rowsByPath(listed), types: platform.phaseTypes });
  return Object.fromEntries(mapPhases(phases, platform).map(({ phase, resources }) => [paths[phase] ?? '', resources]));
}

test('without a mapping no phase is mapped', async () => {
  expect(await mapped([])).toEqual({});
});

test('only phases of the types that have templates are mapped, each by its own ids and those above it', async () => {
  expect(
    await mapped([
      'mapping:',
      "  /Step/Worker: ['/host[host={worker}]']",
      "  /Step/Worker/Thread: ['/host[host={worker}]/core[core={thread}]', '/host[host=s{step}-{thread}]']",
    ]),
  ).toEqual({
    '/Step[step=3]/Worker[worker=w]': ['/host[host=w]'],
    '/Step[step=3]/Worker[worker=w]/Thread[thread=0]': ['/host[host=w]/core[core=0]', '/host[host=s3-0]'],
    '/Step[step=3]/Worker[worker=w]/Thread[thread=1]': ['/host[host=w]/core[core=1]', '/host[host=s3-1]'],
  });
});

test('templates without keys are taken as they are, also for the job itself', async () => {
  expect(await mapped(['mapping: { /: [/], /Load: ["/host[host=master]"] }'])).toEqual({
    '/': ['/'],
    '/Load': ['/host[host=master]'],
  });
});

test('{host} is the place of the phase, or of the nearest phase above it that has one', async () => {
  const mapping = "mapping: { /Step/Worker/Send: ['/host[host={host}]'], /Step/Worker/Thread: ['/host[host={host}]'] }";
  const of = async (places: string) => Object.values(await mapped([mapping, places])).map(([resource]) => resource);
  // Threads 0 and 1, then Send.
  expect(await of('places: { worker: { w: n1 } }')).toEqual(Array(3).fill('/host[host=n1]'));
  expect(await of('places: { step: { 3: n2 } }')).toEqual(Array(3).fill('/host[host=n2]'));
  expect(await of('places: { worker: { w: n1 }, step: { 3: n2 } }')).toEqual(Array(3).fill('/host[host=n1]'));
  expect(await of('places: { thread: { 1: n4 }, step: { 3: n2 } }')).toEqual([
    '/host[host=n2]',
    '/host[host=n4]',
    '/host[host=n2]',
  ]);
});

test('places of other keys and ids are not taken', async () => {
  const mapping = "mapping: { /Step/Worker: ['/host[host={host}]'] }";
  const places = 'places: { worker: { w2: n1, W: n1 }, workers: { w: n1 }, thread: { 0: n1 }, step: { 2: n1 } }';
  expect(await refusal(mapped([mapping, places]))).toBe(
    "A phase /Step/Worker (id 'w') has no known host: state where it ran under 'places'.",
  );
});

test('a phase without a place is refused only where a template asks for its host', async () => {
  const paths = ['/', '/Step[step=0]', '/Step[step=0]/Worker[worker=a]', '/Step[step=0]/Worker[worker=b]'];
  const rest = ["mapping: { /Step/Worker: ['/host[host={host}]'] }", 'places: { worker: { a: n1 } }'];
  expect(await refusal(mapped(rest, paths))).toBe(
    "A phase /Step/Worker (id 'b') has no known host: state where it ran under 'places'.",
  );
  expect(await mapped(rest, paths.slice(0, 3))).toEqual({ '/Step[step=0]/Worker[worker=a]': ['/host[host=n1]'] });
});

test('a phase whose own key is host is its own place', async () => {
  const folder = await textFolder({
    'm.yaml': lines(
      'name: m',
      'phases: { Worker: { repeat: concurrent, key: host, phases: { Run: } } }',
      'resources: { host: { repeat: many, key: host, metrics: { cpu: consumable } } }',
      "mapping: { /Worker/Run: ['/host[host={host}]'] }",
      'places: { host: { n1: elsewhere } }',
    ),
  });
  const platform = await loadPlatform(join(folder, 'm.yaml'));
  const listed = ['/', '/Worker[host=n1]', '/Worker[host=n1]/Run'].map((path) => ({ path, start_ns: 0, end_ns: 0 }));
  const phases = readPhases(listed, { rows: rowsByPath(listed), types: platform.phaseTypes });
  expect(mapPhases(phases, platform)).toEqual([{ phase: 2, resources: ['/host[host=n1]'] }]);
});

test('ids with signs that mean something to patterns and templates are taken as they are', async () => {
  const paths = ['/', '/Step[step=$&]', '/Step[step=$&]/Worker[worker={step}]'];
  expect(await mapped(["mapping: { /Step/Worker: ['/host[host={worker}|{step}]'] }"], paths)).toEqual({
    '/Step[step=$&]/Worker[worker={step}]': ['/host[host={step}|$&]'],
  });
});

test('numbers of places are the names of hosts', async () => {
  const rest = ["mapping: { /Step/Worker: ['/host[host={host}]'] }", 'places: { worker: { 7: 12 } }'];
  const paths = ['/', '/Step[step=0]', '/Step[step=0]/Worker[worker=7]'];
  expect(await mapped(rest, paths)).toEqual({ '/Step[step=0]/Worker[worker=7]': ['/host[host=12]'] });
});

test('names of hosts and ids are kept as written, and inherited names are none', async () => {
  const rest = ['mapping:', "  /Step/Worker: ['/host[host={host}]']", 'places: { worker: { 07: 010, b: 1.10 } }'];
  const worker = (id: string): string => `/Step[step=3]/Worker[worker=${id}]`;
  const paths = ['/', '/Step[step=3]', worker('07'), worker('b')];
  expect(Object.values(await mapped(rest, paths)).flat()).toEqual(['/host[host=010]', '/host[host=1.10]']);
  const inherited = ['/', '/Step[step=3]', worker('constructor')];
  expect(await refusal(mapped(rest, inherited))).toMatch(/\(id 'constructor'\) has no known host/);
});
