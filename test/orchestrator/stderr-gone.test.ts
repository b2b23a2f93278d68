import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { projectRoot } from '../../base/paths.ts';

const predict = join(projectRoot(), 'predict');

test('a command whose messages nobody reads any more goes on to its own end', async () => {
  // The first start after a change compiles, and says so.
  await execa(predict, ['--help']);
  const child = spawn(predict, ['status', '/nonexistent/campaign'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.destroy();
  // Its one sentence meets a closed pipe: the exit code is still that of bad input.
  expect(await once(child, 'exit')).toEqual([2, null]);
});
