import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { z } from 'zod';
import { attempt } from '../../../base/errors.ts';
import { projectRoot } from '../../../base/paths.ts';
import { parseWorkload } from '../../../experiments/workloads/load-workload.ts';
import { workloadSchema } from '../../../experiments/workloads/workload-schema.ts';
import { writtenInventorySchema } from '../../../inventory/inventory-schema.ts';
import { parseInventory } from '../../../inventory/load-inventory.ts';
import { registerAll } from '../../../orchestrator/cli/register/register-all.ts';
import { fileSchema } from '../../../orchestrator/cli/schema-command.ts';
import { ASKED_DEFAULTS, askedSchema, readAsked } from '../../../orchestrator/cli/sweep-asked.ts';
import { times } from '../../times.ts';

const sweep = registerAll().commands.find((command) => command.name() === 'sweep');
if (sweep === undefined) throw new Error('there is no sweep');

/** The samples of a page that have a key. */
function samplesOf(page: string, key: string): readonly unknown[] {
  const text = readFileSync(join(projectRoot(), 'docs', page), 'utf8');
  const found = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => parse(yaml) as object);
  return found.filter((value) => key in value);
}

const folder = mkdtempSync(join(tmpdir(), 'file-schemas-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'campaign.yaml');

interface Kind {
  readonly name: string;
  readonly schema: z.ZodType;
  /** Reads a file as the commands do. */
  readonly load: (text: string) => unknown;
  readonly samples: readonly unknown[];
}

const KINDS: readonly Kind[] = [
  {
    name: 'inventory',
    schema: writtenInventorySchema,
    load: (text) =>
      parseInventory(text, 'i.yaml', {
        home: '/home/me',
        allocation: { scheduler: 'slurm', jobId: '1', hosts: [{ name: 'a', address: undefined }] },
      }),
    samples: [
      ...samplesOf('cluster.md', 'cluster'),
      // As `lab up` writes it.
      {
        cluster: 'lab',
        hosts: [{ name: 'node1', address: '10.77.0.1' }],
        ssh: {
          user: 'predict',
          port: 22,
          key: 'id',
          knownHosts: 'known_hosts',
          proxyCommand: 'relay %h %p',
          config: 'none',
        },
        network: { cidr: '10.77.0.0/16' },
        lineRate: '200000000bit',
        mpi: { env: { LD_PRELOAD: '/x/idle.so' }, args: [] },
        work: { folder: '/x/work', shared: true },
        memoryPerNode: 1024,
        sampling: { hz: 20, cgroup: ['/sys/fs/cgroup/x'], cores: 0.2 },
      },
      { cluster: 'c', hosts: 'slurm', network: { interface: 'eth0' }, lineRate: '25MB/s' },
    ],
  },
  {
    name: 'workload',
    schema: workloadSchema,
    load: (text) => parseWorkload(text, 'w.yaml'),
    samples: [
      ...samplesOf('workloads.md', 'kind'),
      { kind: 'command', name: 'x', command: './x --size {scale}', rate: { pattern: '(1)', work: 5 }, ranks: [1, 2] },
    ],
  },
  {
    name: 'campaign',
    schema: askedSchema,
    load: (text) => {
      writeFileSync(file, text);
      return readAsked(file, {});
    },
    samples: [
      ...samplesOf('campaign.md', 'nodes'),
      { nodes: [4, '9..16/7'], bw: '10..50/10', scales: 20, roots: 8, precision: '3%', budget: '20min', lease: 60 },
      { cells: ['25:20:10', { nodes: 4, scale: 20, bw: 5.5, rep: 2 }], profile: 'wall', profileHz: 50 },
      { graphs: 'a,b', algorithms: ['bfs'], preset: 'graphalytics-strong', sla: '1h', slurm: '-N 4', out: 'x' },
      { workload: 'w.yaml', nodes: 4, param: { algorithm: 'bfs,pr', threads: [1, 2] }, slurm: true, seed: 0 },
    ],
  },
];

/** Issues that a JSON Schema can know of; `custom` ones are what is said of a value beyond its form. */
const OF_FORM = [
  'invalid_type',
  'unrecognized_keys',
  'too_small',
  'too_big',
  'invalid_value',
  'invalid_format',
  'invalid_key',
];

function isOfForm(issue: z.core.$ZodIssue): boolean {
  if (issue.code !== 'invalid_union') return OF_FORM.includes(issue.code);
  return issue.errors.every((branch) => branch.every(isOfForm));
}

const HOSTILE = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    0.5,
    1e9,
    '',
    ' ',
    'x',
    '4,9',
    '200mbit',
    '10..',
    '1h',
    [],
    [1],
    ['x', ''],
    {},
    { a: 1 },
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

type Step = string | number;

function placesOf(value: unknown, path: readonly Step[] = []): readonly (readonly Step[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const keys: readonly Step[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [path, ...keys.flatMap((key) => placesOf(Reflect.get(value, key), [...path, key]))];
}

/** A sample with something put in the place of a value, taken away, or added under another name. */
function mutated(
  sample: unknown,
  { at, how, hostile }: { at: number; how: 'put' | 'drop' | 'add'; hostile: unknown },
): unknown {
  const copy = structuredClone({ root: sample });
  const places = placesOf(sample);
  const path = ['root', ...(places[Math.floor(at * places.length)] ?? [])];
  const last = path.at(-1) as Step;
  const parent = path.slice(0, -1).reduce<object>((inner, step) => Reflect.get(inner, step), copy);
  const value: unknown = Reflect.get(parent, last);
  if (how === 'add' && typeof value === 'object' && value !== null)
    Reflect.set(value, Array.isArray(value) ? value.length : 'added', hostile);
  else if (how === 'drop' && !Array.isArray(parent)) Reflect.deleteProperty(parent, last);
  else Reflect.set(parent, last, hostile);
  return copy.root ?? null;
}

describe.each(KINDS)('the schema of $name', ({ name, schema, load, samples }) => {
  const json = fileSchema(name, sweep);
  const isValid = new Ajv2020({ strict: false, strictNumbers: true, validateFormats: false }).compile(json);
  const loads = (value: unknown): boolean => attempt(() => ({ read: load(stringify(value)) })) !== null;

  test('takes every sample, as the loader does', () => {
    expect(samples.length).toBeGreaterThan(1);
    for (const sample of samples) {
      expect([isValid(sample), isValid.errors]).toEqual([true, null]);
      load(stringify(sample));
    }
  });

  test('rejects nothing that the loader takes, and whatever has another form for it', () => {
    const counts = { taken: 0, wrongForm: 0 };
    const change = fc.record({
      at: fc.nat(999).map((share) => share / 1000),
      how: fc.constantFrom('put', 'drop', 'add'),
      hostile: HOSTILE,
    });
    fc.assert(
      fc.property(fc.constantFrom(...samples), fc.array(change, { minLength: 1, maxLength: 2 }), (sample, changes) => {
        const value: unknown = parse(stringify(changes.reduce(mutated, sample)));
        const valid = isValid(value);
        const checked = schema.safeParse(value);
        if (loads(value)) {
          counts.taken += 1;
          expect(valid).toBe(true);
        } else if (!checked.success && checked.error.issues.some(isOfForm)) {
          counts.wrongForm += 1;
          expect(valid).toBe(false);
        }
      }),
      { numRuns: times(500) },
    );
    // Neither branch is idle.
    expect(Math.min(counts.taken, counts.wrongForm)).toBeGreaterThan(20);
  });

  test('says what each of its keys is', () => {
    const silent = Object.entries(json.properties ?? {}).filter(
      ([, each]) => typeof each === 'object' && !each.description,
    );
    expect(silent.map(([key]) => key)).toEqual([]);
    expect([json.title, json.description]).toEqual([expect.any(String), expect.any(String)]);
  });
});

test('a campaign file has the flags of sweep as keys, but those that say what to do with the answer', () => {
  const flags = sweep.options
    .map((option) => option.attributeName())
    .filter((key) => !['dryRun', 'json', 'serve'].includes(key));
  expect(Object.keys(askedSchema.shape).sort()).toEqual(flags.sort());
});

test('--help says the values of those that are left out', () => {
  const words = {
    workload: 'graph500 (the default)',
    jobWait: '30m by default',
    lease: '60s by default',
    repeats: '1 by default',
    out: 'campaigns/sweep by default',
  };
  expect(Object.keys(words).sort()).toEqual(Object.keys(ASKED_DEFAULTS).sort());
  for (const [key, said] of Object.entries(words)) {
    expect(sweep.options.find((option) => option.attributeName() === key)?.description).toContain(said);
  }
  expect(askedSchema.parse({ jobWait: '30m', lease: '60s' })).toEqual({
    jobWait: ASKED_DEFAULTS.jobWait,
    lease: ASKED_DEFAULTS.lease,
  });
});
