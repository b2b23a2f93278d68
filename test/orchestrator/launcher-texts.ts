import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../base/paths.ts';
import type { LAUNCHERS } from '../../orchestrator/launchers/launchers.ts';

const FOLDER = join(projectRoot(), 'test/fixtures/launchers');

const MPICH = [
  [
    '===================================================================================',
    '=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES',
    '=   PID 22211 RUNNING AT n2',
    '=   EXIT CODE: 9',
    '=   CLEANING UP REMAINING PROCESSES',
    'YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\n',
  ].join('\n'),
  '[proxy:0:1@n2] HYD_pmcd_pmip_control_cmd_cb: proxy on n2 has died\n[mpiexec@n1] HYDU_sock_read: unable to connect\n',
  'HYDRA build details:\n    Version:                                 4.0.2\n    configure: --with-device=ch4:ucx\n',
];
const SRUN = [
  'slurmstepd: error: Detected 1 oom_kill event in StepId=7.0.\nsrun: error: n2: task 1: Out Of Memory\n',
  'srun: error: n2: task 1: Segmentation fault (core dumped)\nsrun: error: n1: tasks 0,2-3: Killed\n',
  'slurmstepd: error: *** STEP 7.0 ON n1 CANCELLED AT 2024-05-01T10:00:00 DUE TO TIME LIMIT ***\nsrun: Job step aborted: Waiting up to 32 seconds\n',
  'srun: error: Node failure on n2\nsrun: job 7 queued and waiting for resources\nsrun: job 7 has been allocated resources\n',
  'srun: error: Unable to create step for job 7: Requested node configuration is not available\n',
];

/** What launchers printed of runs that failed. */
export function said(launcher: keyof typeof LAUNCHERS): readonly string[] {
  const captured = readdirSync(FOLDER)
    .filter((name) => name.startsWith(`${launcher}-`))
    .map((name) => readFileSync(join(FOLDER, name), 'utf8'));
  const kinds: Partial<Record<keyof typeof LAUNCHERS, readonly string[]>> = { mpich: MPICH, srun: SRUN };
  return [...captured, ...(kinds[launcher] ?? [])];
}
