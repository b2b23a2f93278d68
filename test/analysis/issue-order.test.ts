import fc from 'fast-check';
import { expect, test } from 'vitest';
import { largestIssues, typesOf } from '../../analysis/index.ts';
import { outputOf } from './case-output.ts';
import { analysed } from './export/analysed.ts';
import { randomCase } from './random-case.ts';

test('the largest issues are those of the results by falling impact, ties in the order of the results', () => {
  let found = 0;
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), fc.integer({ min: 1, max: 30 }), (seed, count) => {
      const input = randomCase(seed);
      const analysis = analysed(input);
      const paths = input.phases.map(({ path }) => path);
      const largest = largestIssues(analysis, { count, paths }).map((issue) => {
        const { target, source } = typesOf(issue, analysis);
        return [issue.pass, paths[issue.phase], target, source, issue.impact];
      });
      const wanted = outputOf(input, analysis)
        .issues.toSorted((a, b) => b.impact - a.impact)
        .slice(0, count)
        .map((one) => {
          const [target, source] = ['target' in one ? one.target : '', 'source' in one ? one.source : ''];
          return [one.pass, one.phase, target, source, one.impact];
        });
      expect(largest).toEqual(wanted);
      found += largest.length;
    }),
    { numRuns: 100 },
  );
  expect(found).toBeGreaterThan(100);
});
