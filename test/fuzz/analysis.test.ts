import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterAll, expect } from 'vitest';
import { analyse } from '../../analysis/grade10/analyse-phases.ts';
import { createModel } from '../../analysis/grade10/model/create-model.ts';
import { readOtf2 } from '../../analysis/path/formats/otf2/read-otf2.ts';
import { readActivities } from '../../analysis/path/formats/read-activities.ts';
import { explainSlice } from '../../analysis/path/graph/explain-slices.ts';
import { wholeSlice } from '../../analysis/path/graph/segment.ts';
import { pathModelOf } from '../../analysis/path/phases/from-cell.ts';
import { searchPaths } from '../../analysis/path/phases/search-graphs.ts';
import { meanProfile, searchSummary } from '../../analysis/path/run-paths.ts';
import { analyseTimely } from '../../analysis/path/timely/analyse-timely.ts';
import { loadPlatform } from '../../analysis/platform/load-platform.ts';
import { readJob } from '../../analysis/sources/logs/read-job.ts';
import { readMonitorFolder } from '../../analysis/sources/monitor/read-folder.ts';
import { badInput } from '../../base/errors.ts';
import { projectRoot } from '../../base/paths.ts';
import { writeParquet } from '../../experiments/store/write-table.ts';
import { modelFile, templatesOf } from '../analysis/sources/logs/case-files.ts';
import { names, stat, T0, values } from '../analysis/sources/monitor/encode.ts';
import { parseCase } from '../cases/grade10/parse-case.ts';
import { readCase } from '../cases/grade10/read-case.ts';
import { graphCaseResult } from '../cases/path/graph-case-result.ts';
import { readGraphCase } from '../cases/path/read-graph-case.ts';
import { readPhaseCase } from '../cases/path/read-phase-case.ts';
import { damagedBytes, damagedTexts } from './mutations.ts';
import { fuzz } from './reader.ts';

const fixture = (path: string): string => readFileSync(join(projectRoot(), path), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A text that is not JSON is refused where files are read. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badInput('no JSON', error);
  }
}

fuzz({
  name: 'Grade10 cases',
  inputs: damagedTexts(
    ['thesis-fig4.10', 'thesis-fig4.6-4.9', 'small'].map((name) => fixture(`test/fixtures/grade10/${name}/input.json`)),
  ),
  read: (text) => {
    const input = parseCase(json(text));
    const { sampler, thresholds } = input;
    const { issues, attribution } = analyse(createModel(readCase(input)), { sampler, thresholds });
    return { impacts: issues.map(({ impact }) => impact), usage: attribution.usage };
  },
});

fuzz({
  name: 'activity graphs',
  inputs: damagedTexts(
    ['balanced', 'fig31', 'three'].map((name) => fixture(`test/fixtures/critical-path/graphs/${name}.json`)),
  ),
  read: (text) => {
    const graph = readGraphCase(json(text));
    return graph === null ? [] : graphCaseResult(graph).slices.map(({ length, expected }) => [length, expected]);
  },
});

const TRACE = [
  '{"running":"a","from":0,"to":90}',
  '{"worker":"a","start":0,"end":50,"type":"op","name":"OP1"}',
  '{"worker":"b","start":10,"end":70,"type":"wait"}',
  '{"worker":"b","start":70,"end":80,"type":"io"}',
  '{"from":"a","to":"b","start":50,"end":70,"type":"comm","bytes":5}',
];
const trace = join(folder, 'trace.jsonl');
fuzz({
  name: 'traces of activities',
  inputs: damagedTexts([TRACE.join('\n')]),
  read: async (text) => {
    writeFileSync(trace, text);
    const found = await readActivities(trace);
    if (found === null) return [];
    const { lengthNs, profileNs } = explainSlice(found.activities, wholeSlice(found.activities));
    return [lengthNs, profileNs, found.problems.map(({ count }) => count)];
  },
});

fuzz({
  name: 'Timely traces',
  inputs: damagedTexts([fixture('test/fixtures/critical-path/timely/synth.jsonl')]),
  read: async (text) => {
    const options = { skew: new Map([[0, 3]]), waitFrom: 'op' } as const;
    const found = await analyseTimely(Readable.from([Buffer.from(text)]), { ...options, saves: true });
    if (found === null) return null;
    const again = await analyseTimely(Readable.from([Buffer.concat([...(found.columns ?? [])])]), options);
    const { lengthNs, profileNs } = explainSlice(found.activities, wholeSlice(found.activities));
    expect(again?.activities).toEqual(found.activities);
    return [lengthNs, profileNs, found.problems.map(({ count }) => count)];
  },
});

// The text is what otf2-print of OTF2 3.0.2 said of an archive; a script that says it damaged takes otf2-print's place.
const printed = join(folder, 'printed');
const programs = join(folder, 'bin');
mkdirSync(programs);
writeFileSync(join(programs, 'otf2-print'), `#!/bin/sh\nexec cat '${printed}'\n`, { mode: 0o755 });
fuzz({
  name: 'OTF2 traces',
  inputs: damagedTexts([fixture('test/fixtures/critical-path/otf2/print.txt')]),
  read: async (text) => {
    writeFileSync(printed, text);
    const path = process.env.PATH;
    process.env.PATH = `${programs}:${path}`;
    try {
      const found = await readOtf2('traces.otf2');
      if (found === null) return null;
      const { lengthNs, profileNs } = explainSlice(found.activities, wholeSlice(found.activities));
      return [lengthNs, profileNs, found.problems.map(({ count }) => count)];
    } finally {
      process.env.PATH = path;
    }
  },
});

const table = join(folder, 'trace.parquet');
await writeParquet(table, [
  { name: 'worker', type: 'text', values: ['0', '1', '', '1'] },
  { name: 'from', type: 'text', values: ['', '', '0', ''] },
  { name: 'to', type: 'text', values: ['', '', '1', ''] },
  { name: 'start', type: 'integer', values: [10, 15, 14, 10] },
  { name: 'end', type: 'integer', values: [14, 19, 15, 19] },
  { name: 'type', type: 'text', values: ['op', 'io', 'comm', 'running'] },
]);
fuzz({
  name: 'traces of activities in Parquet',
  inputs: damagedBytes([readFileSync(table)]),
  read: async (bytes) => {
    writeFileSync(table, bytes);
    const found = await readActivities(table);
    if (found === null) return null;
    const { lengthNs, profileNs } = explainSlice(found.activities, wholeSlice(found.activities));
    return [lengthNs, profileNs, found.problems.map(({ count }) => count)];
  },
});

const kinds = pathModelOf(await loadPlatform('graph500'))?.kinds ?? new Map();
fuzz({
  name: 'cases of MPI phases',
  inputs: damagedTexts(
    ['by-hand', 'no-sleep-times', 'mpi-9-10'].map((name) =>
      fixture(`test/fixtures/critical-path/mpi/${name}/input.json`),
    ),
  ),
  read: (text) => {
    const phases = readPhaseCase(json(text), kinds);
    const searches = searchPaths(phases);
    // However damaged, the parts of a path add up to it.
    for (const search of searches) {
      const lengthNs = search.endNs - search.startNs;
      const { profileNs } = searchSummary(search);
      const sum = Object.values(profileNs).reduce((total, ns) => total + ns, 0);
      if (Math.abs(sum - lengthNs) > 1e-6 * lengthNs) throw new Error(`parts are ${sum} of ${lengthNs} ns`);
    }
    return {
      steps: searches.map(({ path }) => path.map(({ arrival: _, ...step }) => step)),
      means: meanProfile(searches.map(searchSummary)),
    };
  },
});

const MODELS = ['giraph', 'graph500', 'graphalytics', 'mpi', 'powergraph'];
const model = join(folder, 'model.yaml');
fuzz({
  name: 'models of platforms',
  // A module that a model names is the user's own program.
  inputs: damagedTexts(MODELS.map((name) => fixture(`analysis/platform/shipped/${name}.yaml`))).filter(
    (text) => !/^\s*["']?module/m.test(text),
  ),
  read: async (text) => {
    writeFileSync(model, text);
    const { timesliceNs, focus, metrics, mapping } = await loadPlatform(model);
    return [timesliceNs ?? 1, focus, metrics, mapping];
  },
});

const JOB = 'test/analysis/sources/logs/cases/small';
const FILES = ['phases.csv', 'rates.csv', 'waits.csv'] as const;
const job = join(folder, 'job');
mkdirSync(job);
const whole = Object.fromEntries(FILES.map((name) => [name, fixture(`${JOB}/${name}`)]));
const small = parseCase(JSON.parse(fixture('test/fixtures/grade10/small/input.json')));
const smallModel = join(folder, 'small.yaml');
writeFileSync(smallModel, modelFile(small, { mapping: templatesOf(small.mapping) }));
const smallPlatform = await loadPlatform(smallModel);

fuzz({
  name: 'folders of jobs',
  inputs: fc.oneof(
    ...FILES.map((name) => damagedTexts([whole[name] ?? '']).map((text) => ({ ...whole, [name]: text }))),
  ),
  read: async (files) => {
    for (const name of FILES) writeFileSync(join(job, name), files[name] ?? '');
    const { model: made, warnings } = await readJob(job, { platform: smallPlatform });
    return [made.sliceCount, analyse(made).attribution.usage, warnings];
  },
});

const CPU = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const MONITORED = {
  'proc-stat-a': Buffer.concat([
    stat(T0, [CPU, CPU]),
    stat(T0 + 10n ** 9n, [CPU, CPU]),
    stat(T0 + 2n * 10n ** 9n, [CPU, CPU]),
  ]),
  'proc-net-dev-a': Buffer.concat([
    names(T0, ['eth0', 'lo']),
    values(T0 + 1n, [
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ]),
    values(T0 + 10n ** 9n, [
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ]),
  ]),
  'proc-diskstats-a': Buffer.concat([
    names(T0, ['sda']),
    values(T0 + 1n, [[1, 2, 3, 4, 5, 6, 7]]),
    values(T0 + 10n ** 9n, [[1, 2, 3, 4, 5, 6, 7]]),
  ]),
};
const monitor = join(folder, 'monitor');
mkdirSync(monitor);
const streams = Object.entries(MONITORED);

fuzz({
  name: 'streams of the monitor',
  inputs: fc.oneof(
    ...streams.map(([name, bytes]) => damagedBytes([bytes]).map((damaged) => ({ ...MONITORED, [name]: damaged }))),
  ),
  read: async (files) => {
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(monitor, name), bytes);
    return await readMonitorFolder(monitor, { networkBytesPerSecond: 1e9, diskBytesPerSecond: 1e9 });
  },
});
