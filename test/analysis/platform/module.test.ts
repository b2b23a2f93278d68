import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadPlatform } from '../../../analysis/platform/load-platform.ts';
import { analyseFolder } from '../sources/logs/analyse-job.ts';
import { refusal } from '../sources/logs/refusal.ts';
import { lines, textFolder } from '../sources/logs/text-folder.ts';

/** Two steps of three ranks; the ranks are blocked for 1, 2 and 3 of their slices in step 0, and never in step 1. */
const JOB = {
  'phases.csv': lines(
    'path,start_ns,end_ns',
    '/,0,80',
    ...[0, 1].flatMap((step) => [
      `/Step[step=${step}],${40 * step},${40 * step + 40}`,
      ...[0, 1, 2].map((rank) => `/Step[step=${step}]/Rank[rank=${rank}],${40 * step},${40 * step + 40}`),
    ]),
  ),
  'waits.csv': lines(
    'metric,start_ns,end_ns',
    '/lock[rank=0]/wait,0,10',
    '/lock[rank=1]/wait,0,20',
    '/lock[rank=2]/wait,0,30',
  ),
};
const model = (...rest: readonly string[]) =>
  lines(
    'name: m',
    'timeslice: 10ns',
    'phases: { Step: { repeat: sequential, key: step, phases: { Rank: { repeat: concurrent, key: rank } } } }',
    'resources: { lock: { repeat: many, key: rank, metrics: { wait: blocking } } }',
    "mapping: { /Step/Rank: ['/lock[rank={rank}]'] }",
    ...rest,
  );

/** How many leaves each phase has that wait at all: the three functions of algorithm 3. */
const WAITERS = `
  {
    analyseLeaf: (phase, { leaves }) => (leaves.typeSlices[leaves.typeSlicesStart[phase]] > 0 ? [{ waiters: 1 }] : []),
    analyseComposite: (phase, groups) => [
      { waiters: groups.flatMap(({ results }) => results).flat().reduce((sum, { waiters }) => sum + waiters, 0) },
    ],
    extractIssues: (phase, records, { model }) =>
      records
        .filter(({ waiters }) => waiters > 0)
        .map(({ waiters }) => ({ pass: 'custom', rule: 'waiters', phase, impact: waiters, details: { type: model.phases.type[phase] } })),
  }`;

describe('a module of the user', () => {
  test('adds predicates by count and by subphase, after those of the file', async () => {
    const folder = await textFolder({
      ...JOB,
      'model.yaml': model('predicates: [any]', 'module: ./own.mjs'),
      'own.mjs': `
        export const predicates = [
          { kind: 'count', name: 'two', per: 'phase', holds: (bottlenecked, subphases) => bottlenecked >= Math.min(2, subphases) },
          // The subphases that live are asked for by their rows; those of rank 1 are the lines 4 and 8 of phases.csv.
          { kind: 'subphases', name: 'rank 1', holds: (subphases) => subphases.some(({ phase, bottlenecked }) => bottlenecked && (phase === 3 || phase === 1)) },
        ];`,
    });
    const { output } = await analyseFolder(folder);
    expect(Object.keys(output.composite_bottlenecks)).toEqual(['any', 'two', 'rank 1']);
    const of = (predicate: string, phase: string) => output.composite_bottlenecks[predicate]?.[phase]?.['/lock/wait'];
    expect([of('any', '/Step[step=0]'), of('any', '/Step[step=1]'), of('any', '/')]).toEqual(['3B1N', '4N', '3B5N']);
    expect([of('two', '/Step[step=0]'), of('two', '/Step[step=1]'), of('two', '/')]).toEqual(['2B2N', '4N', '2B6N']);
    expect([of('rank 1', '/Step[step=0]'), of('rank 1', '/Step[step=1]'), of('rank 1', '/')]).toEqual([
      '2B2N',
      '4N',
      '2B6N',
    ]);
  });

  test('adds issues to the known ones', async () => {
    const folder = await textFolder({
      ...JOB,
      'model.yaml': model('module: own.mjs'),
      'own.mjs': `export const issues = [${WAITERS}];`,
    });
    const { analysis } = await analyseFolder(folder);
    const types = analysis.model.phaseTypes.indexOf;
    const custom = analysis.issues.flatMap((issue) => (issue.pass === 'custom' ? [issue] : []));
    // Rows: / is 0, step 0 is 1 and has the ranks 2 to 4, none of step 1 waits.
    expect(custom.toSorted((a, b) => a.phase - b.phase)).toEqual(
      [
        { phase: 0, impact: 3, details: { type: 0 } },
        { phase: 1, impact: 3, details: { type: types.get('/Step') } },
        ...[2, 3, 4].map((phase) => ({ phase, impact: 1, details: { type: types.get('/Step/Rank') } })),
      ].map((issue) => ({ pass: 'custom', rule: 'waiters', ...issue })),
    );
    // The mean of 1, 2 and 3 slices, in the step and in the job.
    const known = analysis.issues.flatMap((issue) =>
      issue.pass === 'critical-path' ? [[issue.phase, issue.impact]] : [],
    );
    expect(known).toContainEqual([0, 2]);
    expect(known).toContainEqual([1, 2]);
  });

  test('may have a predicate without an issue, and an issue without a predicate', async () => {
    for (const text of ['export const predicates = [];', 'export const issues = [];', 'export const other = 1;', '']) {
      const folder = await textFolder({ ...JOB, 'model.yaml': model('module: ./own.mjs'), 'own.mjs': text });
      const { output } = await analyseFolder(folder);
      expect(Object.keys(output.composite_bottlenecks)).toEqual(['any', 'all', 'majority', 'majority+any']);
    }
  });

  test('is found from the file that names it, and joins that of the file that is extended', async () => {
    const predicate = (name: string) =>
      `export const predicates = [{ kind: 'count', name: '${name}', per: 'type', holds: () => true }];`;
    const folder = await textFolder({
      ...JOB,
      'model.yaml': lines('name: own', 'extends: models/base.yaml', 'predicates: [all]', 'module: rules/own.mjs'),
      'rules/own.mjs': predicate('mine'),
      'models/base.yaml': model('predicates: [any]', 'module: ./rules/base.mjs'),
      'models/rules/base.mjs': predicate('theirs'),
      'rules/base.mjs': predicate('of nobody'),
    });
    const { output } = await analyseFolder(folder);
    expect(Object.keys(output.composite_bottlenecks)).toEqual(['all', 'theirs', 'mine']);
  });

  test('with a predicate of a name that the file uses is refused', async () => {
    const folder = await textFolder({
      ...JOB,
      'model.yaml': model('module: ./own.mjs'),
      'own.mjs': "export const predicates = [{ kind: 'count', name: 'any', per: 'phase', holds: () => true }];",
    });
    expect(await refusal(analyseFolder(folder))).toContain("Two predicates are named 'any'");
  });
});

describe('a module that cannot be used is refused with its path:', () => {
  test.each<[string, string | null, RegExp]>([
    ['a missing file', null, /^The module own\.mjs cannot be loaded: /],
    ['a syntax error', 'export const predicates = [;\n', /^The module own\.mjs cannot be loaded: /],
    ['one that throws', "throw new Error('no licence');", /^The module own\.mjs cannot be loaded: no licence\.$/],
    ['one that imports what is not there', "import './gone.mjs';", /^The module own\.mjs cannot be loaded: /],
    [
      'predicates that are no list',
      'export const predicates = {};',
      /^The module own\.mjs exports an invalid predicates: .*array/,
    ],
    [
      'a predicate without a function',
      "export const predicates = [{ kind: 'count', name: 'a', per: 'phase', holds: true }];",
      /^The module own\.mjs exports an invalid predicates\.0/,
    ],
    [
      'a predicate of an unknown kind',
      "export const predicates = [{ kind: 'sum', name: 'a', holds() {} }];",
      /^The module own\.mjs exports an invalid predicates\.0/,
    ],
    [
      'a predicate without a name',
      "export const predicates = [{ kind: 'subphases', holds() {} }];",
      /^The module own\.mjs exports an invalid predicates\.0/,
    ],
    [
      'the second of two predicates',
      "const one = { kind: 'subphases', name: 'a', holds() {} }; export const predicates = [one, null];",
      /^The module own\.mjs exports an invalid predicates\.1/,
    ],
    [
      'issues that are functions',
      'export const issues = [() => []];',
      /^The module own\.mjs exports an invalid issues\.0/,
    ],
    [
      'issues with one function missing',
      'export const issues = [{ analyseLeaf() {}, analyseComposite() {} }];',
      /^The module own\.mjs exports an invalid issues\.0\.extractIssues: give a function\.$/,
    ],
  ])('%s', async (_, text, message) => {
    const folder = await textFolder({
      'model.yaml': model('module: ./own.mjs'),
      ...(text === null ? {} : { 'own.mjs': text }),
    });
    expect(await refusal(loadPlatform(join(folder, 'model.yaml')), folder)).toMatch(message);
  });
});
