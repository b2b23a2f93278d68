import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';

/** They bring up clusters, which mostly wait: beside all others. */
const ON_CLUSTERS = ['test/lab/**/*.test.ts', 'test/faults/**/*.test.ts'];
/** They bring up SLURM too, and take minutes: npm run test:slurm. */
const ON_SLURM = ['test/slurm/**/*.test.ts'];
/** Clusters whose marks are judged: nothing beside them. */
const QUIET = ['test/lab/truth.test.ts'];
/** They make the package and install it (npm run test:package). */
const PACKAGE = ['test/package/**'];
/** They need root, a compiler, MPI, Redis, ssh or other programs of the machine, or start many processes: not for npm run test:unit. */
const ON_MACHINE = [
  'test/agents/**/*.test.ts',
  'test/launch/**/*.test.ts',
  'test/orchestrator/{dag,harness,hosts,live,queue,setup,ssh}/**/*.test.ts',
  'test/orchestrator/cell/own-machine.test.ts',
  'test/orchestrator/cli/command-line.test.ts',
  'test/orchestrator/{critical-path-timely,gate-files,profiles-command,run-sweep,stderr-gone,sweep-faults}.test.ts',
  'test/analysis/path/{both-ways,mpi/recorded-path,otf2/otf2,phases/recorded-run}.test.ts',
  'test/analysis/profiles/{graph/*,hostile-store,formats/read-recording}.test.ts',
  'test/cases/run.test.ts',
  'test/experiments/{full-disk,lock,verified-cells,graphs/debian,graphs/generate-graph}.test.ts',
  'test/inventory/lab-*.test.ts',
];
/** Every command and block of the docs, on campaigns. */
const WHOLE = ['test/docs/docs.test.ts', 'test/orchestrator/{damaged-campaign,one-answer,old-campaign}.test.ts'];
/** They need nothing of the machine, and compute for seconds (models of many campaigns, pages, large files): not for npm run test:unit. */
const SLOW = [
  'test/{fuzz,patterns,report}/**/*.test.ts',
  'test/analysis/{across/fit-components,explain-campaign,export/write-chrome-trace,grade10/thesis-tables}.test.ts',
  'test/analysis/{kept-results,large-job,packed-bombs,path/mpi/find-causes,path/phases/what-if-messages}.test.ts',
  'test/base/{shell,yaml/read-yaml}.test.ts',
  'test/experiments/{campaign,derived,graphs/convert,parquet,user-pattern}.test.ts',
  'test/house/*.test.ts',
  'test/inventory/{load-inventory,ssh-target}.test.ts',
  'test/modeling/{compare,counted,decide,ensemble,exchange,mixture,questions,read-rows-csv,truth,two-counts}.test.ts',
  'test/orchestrator/{compare-campaigns,critical-path,graph,model,report}-*.test.ts',
  'test/orchestrator/{cli/file-schemas,cli/refusals,cli/several-programs,cli/sweep-asked,more-visits,printed-words,profile-pictures,unwritable}.test.ts',
];

/** Folders that test/mutate leaves out: a project's own list is not added to by --exclude. */
const LEFT_OUT = (process.env.PREDICT_LEAVE_OUT ?? '').split(',').filter((name) => name !== '');

// Times are for what hangs: a busy machine takes several times as long as a quiet one.
const limits = { testTimeout: 600_000, hookTimeout: 600_000 } as const;
const shared = { pool: 'forks', ...limits, setupFiles: './test/worker-folder.ts' } as const;
const [folder, programs] = ['./test/global-setup.ts', './test/provide-programs.ts'];
/** Files leave nothing behind in their process: reading the program once for all halves what they take. */
const together = { ...shared, isolate: false, sequence: { groupOrder: 0 } } as const;

const slurm = {
  test: {
    ...{ ...shared, name: 'slurm', include: ON_SLURM, globalSetup: programs },
    ...{ fileParallelism: false, sequence: { groupOrder: 2 } },
  },
} as const;

/** Projects that --project names. */
const APART = [
  {
    test: {
      ...together,
      name: 'unit',
      include: ['test/**/*.test.ts'],
      exclude: [...ON_CLUSTERS, ...ON_SLURM, ...PACKAGE, ...ON_MACHINE, ...WHOLE, ...SLOW, ...LEFT_OUT],
    },
  },
  { test: { ...together, name: 'slow units', include: SLOW, exclude: [...ON_MACHINE, ...LEFT_OUT] } },
  {
    test: {
      ...together,
      name: 'machine',
      include: [...ON_MACHINE, ...WHOLE],
      exclude: LEFT_OUT,
      globalSetup: programs,
    },
  },
  {
    test: {
      ...together,
      name: 'clusters',
      include: ON_CLUSTERS,
      exclude: [...QUIET, ...LEFT_OUT],
      globalSetup: programs,
    },
  },
];
/** All of them as one where none is named: a worker goes from file to file of one project alone, and reads the program once. */
const isApart = process.argv.some((word) => word.startsWith('--project'));
const WHOLE_RUN = {
  test: {
    ...together,
    name: 'files',
    include: ['test/**/*.test.ts'],
    exclude: [...QUIET, ...ON_SLURM, ...PACKAGE, ...LEFT_OUT],
    globalSetup: programs,
  },
};

export default defineConfig({
  test: {
    globalSetup: folder,
    // Of all projects, so that --maxWorkers holds for them.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/summary-reporter.ts'],
    projects: [
      ...(isApart ? APART : [WHOLE_RUN]),
      {
        test: {
          ...shared,
          name: 'quiet clusters',
          include: QUIET,
          globalSetup: programs,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      ...(process.env.PREDICT_SLURM === undefined ? [] : [slurm]),
    ],
  },
});
