import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { firstSaid } from '../../experiments/workloads/said.ts';

const openmpi = (name: string): string =>
  readFileSync(new URL(`../fixtures/launchers/openmpi-${name}.stderr`, import.meta.url), 'utf8');

test.each([
  ['the first lines of stderr', { stderr: 'a\n\nb\r\nc\n' }, 'a / b'],
  ['the program, not what Open MPI adds', { stderr: openmpi('rank-exit') }, 'cannot open nofile: No such file'],
  [
    'not the footer of aggregated help',
    {
      stderr:
        'Host key verification failed.\n[n1:258] 1 more process has sent help message help-errmgr-base.txt / no-path\n[n1:258] Set MCA parameter "orte_base_help_aggregate" to 0\n',
    },
    'Host key verification failed.',
  ],
  [
    'the launcher where nobody else said anything',
    { stderr: `${'-'.repeat(74)}\nno slots\n${'-'.repeat(74)}\n` },
    'no slots',
  ],
  ['the last line of stdout where stderr is empty', { stdout: 'step 1\nERROR: grid\n\n' }, 'ERROR: grid'],
  ['nothing', {}, ''],
])('what a failed run said of it is %s', (_, output, said) => {
  expect(firstSaid({ stdout: '', stderr: '', ...output })).toBe(said);
});
