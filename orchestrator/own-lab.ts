import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../base/index.ts';
import { type LabPrograms, type LabSpec, labDown, labStatus, labUp } from '../inventory/lab/index.ts';

type Lab = Awaited<ReturnType<typeof labUp>>;

/**
 * A lab for as long as a task takes. It goes however the task ends: by this process, or by a helper that notices that this process is
 * gone, also by SIGKILL. A lab of that name that is up already is a `busy` error and stays.
 */
export async function withOwnLab<T>(spec: LabSpec, programs: LabPrograms, task: (lab: Lab) => Promise<T>): Promise<T> {
  const stop = labStatus(spec.name).processes === 0 ? endWhenGone(spec.name) : () => undefined;
  try {
    const lab = await labUp(spec, programs);
    try {
      return await task(lab);
    } finally {
      await labDown(spec.name);
    }
  } finally {
    stop();
  }
}

/** Starts the helper: its input ends with this process. Returns what ends it before that. */
function endWhenGone(name: string): () => void {
  const program = join(projectRoot(), 'dist', 'inventory', 'lab', 'end-when-gone.js');
  // A session of its own: what a terminal sends is for the controller.
  const helper = spawn(process.execPath, [program, name], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  helper.on('error', () => undefined);
  helper.stdin.on('error', () => undefined);
  helper.unref();
  return () => void helper.kill('SIGKILL');
}
