import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../base/paths.ts';
import { type LabPrograms, labDown, labStatus, labUp } from '../inventory/lab/lifecycle.ts';
import type { LabSpec } from '../inventory/lab/spec.ts';
import { installedAgent, sudoersText } from './hosts/installed-agent.ts';

type Lab = Awaited<ReturnType<typeof labUp>>;
type Programs = Omit<LabPrograms, 'rulesFor'>;

/** Starts a lab whose user may run the agent as root, by the rules that `inventory init --sudoers` prints, and nothing else. */
export function startLab(spec: LabSpec, programs: Programs): Promise<Lab> {
  const agent = installedAgent(programs.agent);
  return labUp(spec, { ...programs, rulesFor: (user, source) => sudoersText({ user }, { source, agent }) });
}

/**
 * A lab for as long as a task takes. It goes however the task ends: by this process, or by a helper that notices that this process is
 * gone, also by SIGKILL. A lab of that name that is up already is a `busy` error and stays.
 */
export async function withOwnLab<T>(spec: LabSpec, programs: Programs, task: (lab: Lab) => Promise<T>): Promise<T> {
  const stop = labStatus(spec.name).processes === 0 ? endWhenGone(spec.name) : () => undefined;
  try {
    const lab = await startLab(spec, programs);
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
  const program = join(projectRoot(), 'dist', 'program', 'end-when-gone.cjs');
  // A session of its own: what a terminal sends is for the controller.
  const helper = spawn(process.execPath, [program, name], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  helper.on('error', () => undefined);
  helper.stdin.on('error', () => undefined);
  helper.unref();
  return () => void helper.kill('SIGKILL');
}
