import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { asSeconds } from '../../../base/units.ts';
import { requireMpi } from '../../../orchestrator/schedulers/describe-allocation.ts';
import { withAllocation } from '../../../orchestrator/schedulers/request.ts';
import { tempFolder } from '../../experiments/make.ts';
import { FakeWorld } from '../fake/world.ts';

/** A program of SLURM that does what this script says; the real ones are asked by npm run test:slurm. */
function install(name: string, script: string): void {
  const [folder, path] = [tempFolder(), process.env.PATH];
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  process.env.PATH = `${folder}:${path}`;
  onTestFinished(() => {
    process.env.PATH = path;
  });
}

async function ask(script: string): Promise<readonly string[]> {
  install('salloc', script);
  const options = { waitS: asSeconds(60), signal: new AbortController().signal, say: () => undefined };
  return await withAllocation({ scheduler: 'slurm', text: '-N 2' }, options, async ({ jobId, hosts }) => [
    jobId,
    ...hosts.map(({ name }) => name),
  ]);
}

describe('a request to SLURM', () => {
  it('is granted by a line of its own, also behind what a login shell says and in two pieces', async () => {
    expect(await ask("echo welcome; printf 'hi predict-gra'; echo 'nted 7 n[1-2]'; cat >/dev/null")).toEqual([
      ...['7', 'n1', 'n2'],
    ]);
  });

  it('that is answered by a flood without line ends ends with the answer, in time that grows as the flood does', async () => {
    const before = process.cpuUsage();
    await expect(ask("head -c 67108864 /dev/zero | tr '\\0' x; echo 'salloc: error: no' >&2; exit 1")).rejects.toThrow(
      'SLURM granted no allocation: no.',
    );
    const { user, system } = process.cpuUsage(before);
    // 32 MiB took 10 s of a processor when each piece was looked through with all before it.
    expect((user + system) / 1e6).toBeLessThan(3);
  });

  it('that is granted hosts that are none is a fault of the request, not of the program', async () => {
    await expect(ask("echo 'predict-granted 7 n[2-1]'; cat >/dev/null")).rejects.toMatchObject({ kind: 'badInput' });
  });
});

describe('a SLURM that starts ranks as so many programs of one rank', () => {
  it.each([
    ['none', '{launcher: srun}', true],
    ['none', '{launcher: srun, args: [--mpi=pmix]}', false],
    ['none', '{launcher: srun, args: [--mpibind=off]}', true],
    ['none', '{launcher: srun, env: {SLURM_MPI_TYPE: pmix}}', false],
    ['none', '{launcher: openmpi}', false],
    ['pmix', '{launcher: srun}', false],
  ])('MpiDefault %s, mpi: %s: refused %s', async (value, mpi, isRefused) => {
    install('scontrol', `printf 'MinJobAge = 300 sec\\nMpiDefault              = ${value}\\n'`);
    const asked = requireMpi(new FakeWorld(2, `mpi: ${mpi}\n`).inventory);
    if (isRefused) await expect(asked).rejects.toThrow("SLURM's MpiDefault is none");
    else await asked;
  });
});
