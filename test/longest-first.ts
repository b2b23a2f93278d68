import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long and are short, which would come late: by their size files are tried otherwise. The longest first. */
const LONGEST = [
  'test/lab/sweep.test.ts',
  'test/lab/any-program.test.ts',
  'test/faults/faults.test.ts',
  'test/lab/visits.test.ts',
  'test/lab/host-commands.test.ts',
  'test/lab/sudo.test.ts',
  'test/lab/bypass.test.ts',
  'test/lab/in-parallel.test.ts',
  'test/patterns/linear.test.ts',
  'test/agents/host.test.ts',
  'test/agents/link.test.ts',
  'test/agents/link-timer.test.ts',
  'test/agents/build.test.ts',
  'test/report/build-report.test.ts',
  'test/report/answers/agreement.test.ts',
  'test/docs/docs.test.ts',
  'test/analysis/across/fit-components.test.ts',
];

/** So that the last ones are short, and no processor waits for one file. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}`));
      return found < 0 ? LONGEST.length : found;
    };
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((one) =>
      sorted.filter(({ project }) => project === one).sort((a, b) => place(a) - place(b)),
    );
  }
}
