import { defineConfig } from 'vitest/config';

/** They bring up clusters: two files at a time, after all others. */
const ON_CLUSTERS = ['test/lab/**/*.test.ts', 'test/faults/**/*.test.ts'];
/** Clusters whose rates and marks are judged: nothing beside them. */
const QUIET = ['test/lab/truth.test.ts', 'test/lab/throttle.test.ts'];
/** They make the package and install it (npm run test:package). */
const PACKAGE = ['test/package/**'];
const shared = { pool: 'forks', testTimeout: 30_000, hookTimeout: 120_000 } as const;

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
          exclude: [...ON_CLUSTERS, ...PACKAGE],
          // Many wait for processes, so that two cores take three files at a time.
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'clusters',
          include: ON_CLUSTERS,
          exclude: QUIET,
          maxWorkers: 2,
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
    ],
  },
});
