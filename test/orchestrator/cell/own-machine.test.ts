import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Inventory } from '../../../inventory/inventory-schema.ts';
import { createCgroups, labCgroups } from '../../../inventory/lab/cgroups.ts';
import { foreignBetween, watchOwnMachine } from '../../../orchestrator/cell/own-machine.ts';
import { tempFolder } from '../../experiments/make.ts';

const reading = (at: number, busyS: number, stealS: number, oursS: number) => ({ at, busyS, stealS, oursS });
const zero = reading(100, 1000, 50, 700);

describe('cores that others used between two readings', () => {
  it.each([
    ['what was busy without what was ours', reading(110, 1015, 50, 705), { cores: 1, stolen: 0 }],
    ['nothing where all was ours', reading(110, 1015, 50, 715), { cores: 0, stolen: 0 }],
    ['no debt where ours was counted in finer grains', reading(110, 1015, 50, 715.2), { cores: 0, stolen: 0 }],
    ['what the hypervisor took too', reading(110, 1015, 55, 715), { cores: 0.5, stolen: 0.5 }],
    ['both together', reading(110, 1020, 55, 710), { cores: 1.5, stolen: 0.5 }],
    ['nothing of counters that began anew', reading(110, 10, 0, 5), { cores: 0, stolen: 0 }],
  ])('are %s', (_, after, { cores, stolen }) => {
    const found = foreignBetween(zero, after, 2);
    expect(found.of).toBe(2);
    expect(found.cores).toBeCloseTo(cores, 9);
    expect(found.stolen).toBeCloseTo(stolen, 9);
  });

  it('are a number within no time at all', () => {
    expect(foreignBetween(zero, zero, 2)).toEqual({ cores: 0, stolen: 0, of: 2 });
  });
});

const host = (name: string) => ({ name }) as Inventory['hosts'][number];
const inventory = (...folders: string[]) => ({ sampling: { hz: 20, cgroup: folders } }) as unknown as Inventory;

describe('the machine of the controller', () => {
  it('is not watched where a host does not live in it, or none is asked about', () => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'a'));
    writeFileSync(join(folder, 'a', 'cpu.stat'), 'usage_usec 5000\nuser_usec 1\n');
    const here = inventory(`${folder}/{host}`);
    expect(watchOwnMachine(here, [host('a')])).not.toBeNull();
    expect(watchOwnMachine(here, [host('a'), host('b')])).toBeNull();
    expect(watchOwnMachine(here, [])).toBeNull();
    expect(watchOwnMachine(inventory(), [host('a')])).toBeNull();
    writeFileSync(join(folder, 'a', 'cpu.stat'), 'nothing of use\n');
    expect(watchOwnMachine(here, [host('a')])).toBeNull();
  });

  it('is not that of hosts whose processes are counted, under a name that no lab has', () => {
    const elsewhere: Inventory = { ...inventory('/proc'), cluster: 'Our.Cluster' };
    expect(watchOwnMachine(elsewhere, [host('a')])).toBeNull();
  });
});

/** A child that burns a core, from its first moment in these groups; it ends with `end` and with the test. */
function burner(groups: readonly string[]): { readonly end: () => Promise<void> } {
  const moves = groups.map((folder) => `echo $$ > '${folder}/cgroup.procs' && `).join('');
  const child = spawn('/bin/sh', ['-c', `${moves}while :; do :; done`], { stdio: 'ignore' });
  const gone = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    end: async () => {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

describe.skipIf(process.getuid?.() !== 0)('what is computed on this machine (needs root)', () => {
  it('is seen beside the hosts, and not in them', async () => {
    const groups = labCgroups(`own-machine-${process.pid}`);
    onTestFinished(() => {
      for (const root of groups.roots) for (const folder of [join(root, 'h1'), root]) rmdirSync(folder);
    });
    createCgroups(groups, [{ name: 'h1', cpuPercent: null }]);
    const watched = inventory(...groups.roots.map((root) => `${root}/{host}`));
    const foreignWhile = async (own: readonly string[]): Promise<number> => {
      const { end } = burner(own);
      await setTimeout(200);
      const finish = watchOwnMachine(watched, [host('h1')]);
      await setTimeout(1500);
      const found = finish?.();
      // Only a child that ended and was waited for is ours; this one is a stranger while it runs.
      await end();
      return found?.cores ?? Number.NaN;
    };
    // Others on this machine come and go: of several tries the quietest tells.
    let [quiet, loud] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let turn = 0; turn < 2 || (turn < 8 && !(loud - quiet > 0.3)); turn += 1) {
      quiet = Math.min(quiet, await foreignWhile(groups.roots.map((root) => join(root, 'h1'))));
      loud = Math.min(loud, await foreignWhile([]));
    }
    expect(loud - quiet).toBeGreaterThan(0.3);
  });
});
