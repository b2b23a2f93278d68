import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { asSeconds } from '../../../base/units.ts';
import { allocationOf } from '../../../inventory/allocation.ts';
import { sweepPlace } from '../../../orchestrator/cli/sweep-place.ts';
import { type Request, withAllocation } from '../../../orchestrator/schedulers/request.ts';
import { askJob, hasEnded, lives, readJobState, SCHEDULERS } from '../../../orchestrator/schedulers/schedulers.ts';
import { tempFolder } from '../../experiments/make.ts';
import { until } from '../../lab/fixture.ts';
import { installSchedulers } from './stand-ins.ts';

function written(text: string): string {
  const file = join(tempFolder(), 'hosts');
  writeFileSync(file, text);
  return file;
}

const hostsOf = (environment: Readonly<Record<string, string>>) =>
  allocationOf(environment)?.hosts.map(({ name }) => name);

describe('the hosts of a job', () => {
  // qsub(1B) of OpenPBS 23.06; LSF 10.1, "Environment variables set for job execution".
  it.each([
    ['pbs', () => ({ PBS_JOBID: '1003.head', PBS_NODEFILE: written('node01\nnode01\r\nnode02\nnode02\n') })],
    ['lsf', () => ({ LSB_JOBID: '930', LSB_DJOB_HOSTFILE: written('node01\nnode01\nnode02\n'), LSB_HOSTS: 'x' })],
    ['lsf', () => ({ LSB_JOBID: '930', LSB_MCPU_HOSTS: 'node01 2 node02 4 ', LSB_HOSTS: 'x' })],
    ['lsf', () => ({ LSB_JOBID: '930', LSB_HOSTS: 'node01 node01 node02' })],
  ] as const)('of %s are each there once, in its order', (scheduler, make) => {
    const environment = make();
    expect(hostsOf(environment)).toEqual(['node01', 'node02']);
    expect(allocationOf(environment)?.scheduler).toBe(scheduler);
    expect(allocationOf(environment, 'slurm')).toBeNull();
  });

  it('of Flux are those of its instance, also inside of a job of another scheduler', () => {
    installSchedulers();
    const environment = { FLUX_ENCLOSING_ID: 'ƒ25', FLUX_URI: 'local:///run/x', LSB_JOBID: '930', LSB_HOSTS: 'a' };
    expect(allocationOf(environment)).toMatchObject({ scheduler: 'flux', jobId: 'ƒ25' });
    expect(hostsOf(environment)).toEqual(['node01', 'node02']);
  });

  it('are a sentence where Flux does not say them', () => {
    const text = '#!/bin/sh\necho "flux-getattr: ERROR: no broker" >&2\nexit 1\n';
    writeFileSync(join(installSchedulers(), 'flux'), text);
    expect(() => allocationOf({ FLUX_ENCLOSING_ID: 'ƒ25', FLUX_URI: 'local:///run/x' })).toThrow(
      /^Flux does not say .* failed \(flux-getattr: ERROR: no broker\)\.$/,
    );
  });

  it('whose file is gone are asked for on the first host', () => {
    expect(() => allocationOf({ PBS_JOBID: '7', PBS_NODEFILE: '/no/such' })).toThrow(/the job's first host/);
  });

  it.each(['-rf', '7;reboot', ''])('of job %j are those of none', (id) => {
    expect(() => allocationOf({ PBS_JOBID: id, PBS_NODEFILE: written('a') })).toThrow(/not the number of a job/);
  });

  test('of LSF, with any number of slots, are read back', () => {
    const names = fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { minLength: 1 });
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 9 }), (numbers, slots) => {
        const hosts = numbers.map((number) => `n${number}`);
        const counted = hosts.map((host) => `${host} ${slots}`).join(' ');
        const repeated = hosts.flatMap((host) => Array.from({ length: slots }, () => host)).join(' ');
        expect(hostsOf({ LSB_JOBID: '1', LSB_MCPU_HOSTS: counted })).toEqual(hosts);
        expect(hostsOf({ LSB_JOBID: '1', LSB_HOSTS: repeated })).toEqual(hosts);
        const answer = `RUN|0:30 L|${hosts.map((host) => `${slots}*${host}`).join(':')}|-\n`;
        expect(readJobState('lsf', { exitCode: 0, stdout: answer, stderr: '' })?.hosts).toEqual(hosts);
      }),
    );
  });
});

/** Of OpenPBS 23.06 and, with other times and hosts, Torque 6 (its qstat(1B)). */
const pbsJob = (...attributes: readonly string[]): string =>
  ['Job Id: 7.head', ...attributes.map((each) => `    ${each}`), '', ''].join('\n');
const NOW = new Date(2026, 10, 28, 9, 9, 37).getTime() / 1000;

describe('what a scheduler says of a job', () => {
  it.each([
    [
      'pbs',
      pbsJob(
        'job_state = R',
        'exec_host = n1/0*4+n2/0*4',
        'Resource_List.walltime = 01:00:00',
        'stime = Sat Nov 28 08:59:37 2026',
      ),
      3000,
      ['n1', 'n2'],
    ],
    [
      'pbs',
      pbsJob(
        'job_state = R',
        'exec_host = n1/1+n1/0+n2/0-3',
        'Resource_List.walltime = 120:00:00',
        'resources_used.walltime = 119:59:50',
      ),
      10,
      ['n1', 'n1', 'n2'],
    ],
    [
      'pbs',
      pbsJob('job_state = R', 'exec_host = node01/0*16+nod\n\te02/0*16'),
      Number.POSITIVE_INFINITY,
      ['node01', 'node02'],
    ],
    // A limit that cannot be read is none that can be counted on.
    ['pbs', pbsJob('job_state = R', 'exec_host = n1/0', 'Resource_List.walltime = one hour'), null, ['n1']],
    ['lsf', 'RUN|0:30 L|4*n1:4*n2|-\n', 1800, ['n1', 'n2']],
    ['lsf', 'RUN|26:05 E|n1|-\n', 93_900, ['n1']],
    ['lsf', 'SSUSP|0:05 X|n1|-\n', null, ['n1']],
    ['lsf', 'RUN|-|n1|-\n', null, ['n1']],
    ['lsf', 'RUN|0:00:30 L|n1|-\n', 30, ['n1']],
    ['flux', `RUN|${NOW + 60}.5|node[01-04]|\n`, 60.5, 'node[01-04]'],
    ['flux', 'RUN|0.0|n1|\n', Number.POSITIVE_INFINITY, 'n1'],
  ] as const)('%s: %j', (scheduler, stdout, leftS, hosts) => {
    const state = readJobState(scheduler, { exitCode: 0, stdout, stderr: '' }, NOW);
    expect([state?.leftS, state?.hosts]).toEqual([leftS, hosts]);
    expect(state && lives(scheduler, state)).toBe(true);
  });

  it.each([
    [
      'pbs',
      pbsJob(
        'job_state = Q',
        'comment = Can Never Run: Insufficient amount of resource: ncpus (R: 500 A: 48 T: \n\t48)',
      ),
      'Can Never Run: Insufficient amount of resource: ncpus (R: 500 A: 48 T: 48)',
      true,
    ],
    [
      'pbs',
      pbsJob('job_state = Q', 'comment = Not Running: Not enough free nodes available'),
      'Not Running: Not enough free nodes available',
      false,
    ],
    ['lsf', 'PEND|-|-|Job slot limit reached: 1 host;\n', 'Job slot limit reached: 1 host;', false],
    ['flux', 'SCHED|0.0||\n', '', false],
  ] as const)('that waits: %s: %j', (scheduler, stdout, reason, isHopeless) => {
    const state = readJobState(scheduler, { exitCode: 0, stdout, stderr: '' }, NOW);
    expect(state?.reason).toBe(reason);
    expect(SCHEDULERS[scheduler].never.test(reason)).toBe(isHopeless);
    expect(state && [lives(scheduler, state), hasEnded(scheduler, state), state.hosts]).toEqual([
      false,
      false,
      undefined,
    ]);
  });

  it.each([
    ['pbs', 153, 'qstat: Unknown Job Id 1000.head\n', true],
    ['pbs', 35, 'qstat: 1000.head Job has finished, use -x or -H to obtain historical job information\n', true],
    ['pbs', 255, 'Connection refused\nqstat: cannot connect to server head (errno=15010)\n', false],
    ['lsf', 255, 'Job <930> is not found\n', true],
    ['lsf', 255, 'LSF is down. Please wait ...\n', false],
    ['flux', 1, 'JobID f1234 unknown\n', true],
    ['flux', 1, 'flux-jobs: ERROR: Unable to connect to Flux: broker socket /run/flux/local was not found\n', false],
  ] as const)('that is gone, or that nobody tells of: %s, exit %d: %j', (scheduler, exitCode, stderr, isGone) => {
    const state = readJobState(scheduler, { exitCode, stdout: '', stderr });
    expect(state && hasEnded(scheduler, state)).toBe(isGone ? true : null);
  });

  it.each([
    ['pbs', '-l select=16:ncpus=32,walltime=1:00', '16'],
    ['pbs', '-l nodes=4:ppn=8 -q long', '4'],
    ['pbs', '-l select=1:mem=2gb+3:ncpus=4', undefined],
    ['lsf', '-nnodes 8 -W 60', '8'],
    ['lsf', '-n 64 -R span[ptile=8]', undefined],
    ['flux', '-N16 -t 2h', '16'],
    ['flux', '--nodes=3', '3'],
  ] as const)('%s: %s asks for hosts: %s', (scheduler, request, count) => {
    expect(SCHEDULERS[scheduler].nodes.exec(request)?.[1]).toBe(count);
  });
});

const signal = new AbortController().signal;
const waiting = { waitS: asSeconds(20), signal, say: () => undefined };
const REQUESTS: readonly Request[] = [
  { scheduler: 'pbs', text: '-l select=2:ncpus=2 -l walltime=600' },
  { scheduler: 'lsf', text: '-nnodes 2 -W 10' },
  { scheduler: 'flux', text: '-N 2 -t 600s' },
];

describe('a request, by stand-ins of the commands', () => {
  it.each(REQUESTS)('has a job until its task is done: $scheduler', async ({ scheduler, text }) => {
    installSchedulers();
    const id = await withAllocation({ scheduler, text }, waiting, async ({ jobId, hosts }) => {
      expect(hosts.map(({ name }) => name)).toEqual(['node01', 'node02']);
      const job = await askJob({ scheduler, id: jobId });
      expect(job && lives(scheduler, job)).toBe(true);
      expect(job?.leftS).toBeGreaterThan(530);
      expect(job?.leftS).toBeLessThanOrEqual(600.25);
      return jobId;
    });
    const after = await askJob({ scheduler, id });
    expect(after && hasEnded(scheduler, after)).toBe(true);
  });

  it.each(REQUESTS)('that is rejected is bad input, with what was said: $scheduler', async ({ scheduler, text }) => {
    installSchedulers();
    const asked = withAllocation({ scheduler, text: `${text} -q nope` }, waiting, async () => null);
    await expect(asked).rejects.toMatchObject({
      kind: 'badInput',
      message: expect.stringContaining('granted no allocation'),
    });
  });

  it('whose job cannot be cancelled says so, with what to run', async () => {
    const folder = installSchedulers();
    writeFileSync(join(folder, 'qdel'), '#!/bin/sh\necho "qdel: cannot connect to server head" >&2\nexit 171\n');
    const said: string[] = [];
    const say = (text: string) => said.push(text);
    const text = '-l select=2 -l walltime=1';
    await withAllocation({ scheduler: 'pbs', text }, { ...waiting, say }, async () => null);
    expect(said).toEqual([
      "PBS's job 1.head could not be cancelled (qdel: cannot connect to server head): run 'qdel 1.head'.",
    ]);
  });

  it('that is rejected without a word is told in a whole sentence', async () => {
    writeFileSync(join(installSchedulers(), 'qsub'), '#!/bin/sh\nexit 1\n');
    const asked = withAllocation({ scheduler: 'pbs', text: '-l select=2' }, waiting, async () => null);
    await expect(asked).rejects.toThrow(/^PBS granted no allocation: it did not say why\.$/);
  });

  it('beside an inventory that lists hosts is rejected before anything is asked for', () => {
    const file = written('cluster: c\nhosts: [a]\nnetwork: { interface: eth0 }\nlineRate: 1gbit\n');
    const flags = { jobWait: asSeconds(20), inventory: file };
    expect(() => sweepPlace({ ...flags, pbs: '-l select=1' }, 1)).toThrow(/lists hosts, but --pbs uses/);
  });

  it('gives a sweep its hosts and its end: the job that ends at its limit is one that has ended', async () => {
    installSchedulers();
    const file = written('cluster: c\nhosts: pbs\nnetwork: { interface: eth0 }\nlineRate: 1gbit\n');
    const place = sweepPlace({ pbs: '-l select=2 -l walltime=1', jobWait: asSeconds(20), inventory: file }, 2);
    expect(place.inventory.hosts).toHaveLength(2);
    await place.use(signal, async ({ inventory, term }) => {
      expect([inventory.mpi.launcher, inventory.job?.scheduler]).toEqual(['openmpi', 'pbs']);
      await expect(term?.admit(60)).rejects.toMatchObject({
        exitCode: 75,
        message: expect.stringMatching(/PBS's job 1\.head/),
      });
      const over = await until(
        async () => await term?.whyOver(),
        (why) => why !== null,
        10,
      );
      expect(over?.message).toContain('it has ended');
    });
  });

  it('of two schedulers is rejected, and so is none where no job is', () => {
    const flags = { jobWait: asSeconds(20) };
    expect(() => sweepPlace({ ...flags, pbs: true, lsf: '-n 4' }, 2)).toThrow(/--pbs and --lsf/);
    expect(() => sweepPlace({ ...flags, lsf: true }, 2)).toThrow(/not inside an allocation of LSF/);
  });
});
