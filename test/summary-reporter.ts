import type { Reporter, TestModule } from 'vitest/node';

/** Names the tests that were skipped and ends a run with one plain line, `N passed, N failed, N skipped`, for people and for CI. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    const count = { passed: 0, failed: errors.length, skipped: 0, pending: 0 };
    const skipped: string[] = [];
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        count[state] += 1;
        if (state === 'skipped') skipped.push(`${module.relativeModuleId}: ${test.fullName}`);
      }
      // A file that does not load has no tests, yet it has failed.
      if (module.state() === 'failed' && module.errors().length > 0) count.failed += 1;
    }
    // After the default reporter's own summary.
    process.once('exit', () => {
      for (const name of skipped) process.stdout.write(`skipped: ${name}\n`);
      process.stdout.write(
        `${count.passed} passed, ${count.failed} failed, ${count.skipped + count.pending} skipped\n`,
      );
    });
  }
}
