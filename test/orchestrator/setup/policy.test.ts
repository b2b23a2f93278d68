import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { policyText } from '../../../orchestrator/setup/set-up.ts';
import { tempFolder } from '../../experiments/make.ts';

it('packages start no services while setup runs; a policy that it left behind forbids nothing and goes', async () => {
  const path = join(tempFolder(), 'policy-rc.d');
  const ask = async () => [(await execa('sh', [path, 'ssh', 'start'], { reject: false })).exitCode, existsSync(path)];
  writeFileSync(path, policyText(process.pid));
  expect(await ask()).toEqual([101, true]);
  const gone = await execa('sh', ['-c', 'echo $$']);
  writeFileSync(path, policyText(Number(gone.stdout)));
  expect(await ask()).toEqual([0, false]);
});
