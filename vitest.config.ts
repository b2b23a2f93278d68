import { defineConfig } from 'vitest/config';

/** They bring up clusters, which mostly wait: four files at a time, after all others. */
const ON_CLUSTERS = ['test/lab/**/*.test.ts', 'test/faults/**/*.test.ts'];
/** They bring up SLURM too, and take minutes: npm run test:slurm. */
const ON_SLURM = ['test/slurm/**/*.test.ts'];
/** Clusters whose rates and marks are judged: nothing beside them. */
const QUIET = ['test/lab/truth.test.ts', 'test/lab/throttle.test.ts'];
/** They make the package and install it (npm run test:package). */
const PACKAGE = ['test/package/**'];
// Times are for what hangs: a busy machine takes several times as long as a quiet one.
const shared = { pool: 'forks', testTimeout: 600_000, hookTimeout: 600_000 } as const;

const slurm = {
  test: { ...shared, name: 'slurm', include: ON_SLURM, fileParallelism: false, sequence: { groupOrder: 3 } },
} as const;

export default defineConfig({
  test: {
    globalSetup: './test/global-setup.ts',
    reporters: ['default', './test/summary-reporter.ts'],
    projects: [
      {
        test: {
          ...shared,
          name: 'rooms',
          include: ['test/**/*.test.ts'],
          exclude: [...ON_CLUSTERS, ...ON_SLURM, ...PACKAGE],
          // Many wait for processes, so that two cores take four files at a time.
          maxWorkers: 4,
          // Files leave nothing behind in their process: reading the program once for all halves what they take.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'clusters',
          include: ON_CLUSTERS,
          exclude: QUIET,
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...shared,
          name: 'quiet clusters',
          include: QUIET,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      ...(process.env.PREDICT_SLURM === undefined ? [] : [slurm]),
    ],
  },
});
