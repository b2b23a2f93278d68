import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../../base/paths.ts';
import { runPredict } from '../../run-predict.ts';

const read = async (...samples: readonly string[]): Promise<string> => {
  const folders = samples.map((name) => join(projectRoot(), 'test/fixtures/graphalytics-harness/samples', name));
  const { exitCode, stdout, stderr } = await runPredict(['import', ...folders, '--format', 'graphalytics']);
  expect([exitCode, stderr]).toEqual([0, '']);
  return stdout;
};

test('of runs that succeeded their times are printed, and no table of failures', async () => {
  const text = await read('ok');
  expect(text).toMatch(/^bfs +\S+ .* 1\/1 +281 ms +491 ms +1 ms +/im);
  expect(text).toContain('1 runs, 0 failed');
  expect(text).not.toMatch(/^code +runs/m);
});

test('failures are counted by their codes, and each is named', async () => {
  const text = await read('ok', 'wrong', 'hang');
  expect(text).toContain('3 runs, 2 failed');
  expect(text).toMatch(/^code +runs\n(?:.*\n)*?MET +2$/m);
  expect(text).toMatch(/^VAL +1$/m);
  expect(text).toMatch(/^TIM +1$/m);
  expect(text.match(/^\S+ \w+ on \S+: .+$/gm)).toHaveLength(2);
});
