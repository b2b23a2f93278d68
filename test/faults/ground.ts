import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { projectRoot } from '../../base/paths.ts';
import { compiled } from '../compiled.ts';
import type { Ground } from './inject.ts';
import type { Site } from './site.ts';
import { Sweep } from './sweep.ts';
import { RANK } from './victims.ts';

/** Longest time of the light workload's rounds together. */
const WORKLOAD_MS = 400;
/** What the undisturbed sweep measures into `quiet`. */
export const QUIET_CELLS = ['2:10:20', '2:10:50', '2:10:100'];
const QUIET_BOUND_S = 60;

/** Compiles the light workload and the movable clock; a sweep that nothing disturbs must work, and its time is taken. */
export async function prepareGround(site: Site): Promise<{ readonly ground: Ground; readonly remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'predict-faults-'));
  // The lab's user runs the program in it.
  chmodSync(folder, 0o755);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const sources = join(projectRoot(), 'test/fixtures/faults');
    const [program, clockLibrary] = [join(folder, RANK), join(folder, 'clock.so')];
    const [strict, ring, clock] = [['-O2', '-Wall', '-Werror'], join(sources, 'ring.c'), join(sources, 'clock.c')];
    copyFileSync(compiled('ring', 'mpicc', { words: [...strict, ring], sources: [ring] }), program);
    const shared = [...strict, '-shared', '-fPIC', clock];
    copyFileSync(compiled('clock.so', 'cc', { words: shared, sources: [clock] }), clockLibrary);
    const workload = join(folder, 'ring.yaml');
    writeFileSync(
      workload,
      stringify({
        ...{ kind: 'command', name: RANK, command: [program, String(WORKLOAD_MS)] },
        time: { pattern: 'round took ([0-9.]+) ms', unit: 'ms' },
      }),
    );
    const plan = { inventory: site.inventory, cells: QUIET_CELLS, workload, out: join(folder, 'quiet') };
    const quiet = new Sweep({ ...plan, temporary: folder, mark: site.name }, join(folder, 'log'));
    const { code, seconds, stderr } = await quiet.ended(QUIET_BOUND_S);
    if (code !== 0) throw new Error(`a sweep that nothing disturbs ended with exit ${code}: ${stderr}`);
    return { ground: { folder, workload, clockLibrary, quietS: seconds }, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
