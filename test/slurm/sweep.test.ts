import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../base/paths.ts';
import { quoteAll } from '../../base/shell.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { labStateFolder } from '../../inventory/lab/spec.ts';
import { until } from '../lab/fixture.ts';
import { ANN } from './configuration.ts';
import { eventsOf, NEEDS, noSlurm, noSpank, useSlurm } from './slurm-lab.ts';

/** A program that takes a while and says where each of its ranks is. */
const WHERE = [
  'kind: command',
  'name: where',
  'command: [sh, -c, "sleep {scale}; echo rank $SLURM_PROCID on $(hostname); [ $SLURM_PROCID = 0 ] && echo took 1.0 s || true"]',
  'time: { pattern: "took ([0-9.]+) s", unit: s }',
  '',
].join('\n');

/** What docs/cluster.md has a user do where ssh is refused. */
function ownSshd(): string {
  const page = readFileSync(join(projectRoot(), 'docs/cluster.md'), 'utf8');
  return /```sh\n(mkdir[\s\S]*?predict-sshd[\s\S]*?)```/.exec(page)?.[1] ?? 'exit 9';
}

describe.skipIf(noSlurm)(`a sweep ${NEEDS}`, () => {
  const lab = useSlurm('test-slurm', { hosts: 9 });
  const salloc = (...words: readonly string[]): readonly string[] => ['salloc', '--exclusive', ...words];
  const out = (name: string): string => join(lab().folder, name);
  const where = (): string => {
    const file = join(lab().folder, 'where.yaml');
    writeFileSync(file, WHERE);
    return file;
  };
  const sweep = (name: string, ...words: readonly string[]): readonly string[] => [
    ...['sweep', '--inventory', lab().inventory(), '--repeats', '0', '--out', out(name), ...words],
  ];

  it('of 4 and 9 hosts ends with its allocation and goes on in the next', async () => {
    const words = sweep(
      'long',
      '--slurm',
      '--nodes',
      '4,9',
      '--scales',
      '14',
      '--roots',
      '16',
      '--bw',
      '20,30,40,50,60,70,80',
    );
    const first = await lab().predict(words, salloc('-N', '9', '-t', '1'));
    expect(first.stderr).toMatch(
      /The sweep stops with SLURM's job \d+ .*rerun the same command in the next allocation/,
    );
    expect(first.exitCode).toBe(75);
    const before = (await openCampaign(out('long'))).records;
    expect(before.length).toBeGreaterThan(0);
    expect(before.filter(({ status }) => status === 'failed')).toEqual([]);
    await lab().untilIdle(9);
    const second = await lab().predict(words, salloc('-N', '9', '-t', '10'));
    const reasons = eventsOf(out('long')).flatMap(({ kind, reason }) =>
      kind === 'cell-finished' && reason ? [reason] : [],
    );
    expect(reasons).toEqual([]);
    expect([second.exitCode, second.stderr]).toEqual([0, expect.not.stringContaining('The sweep stops')]);
    const after = (await openCampaign(out('long'))).records;
    expect(after.length).toBe(18);
    const startOf = (id: string) => after.find(({ cell }) => cell.id === id)?.startedAt;
    for (const { cell, startedAt } of before) expect(startOf(cell.id)).toBe(startedAt);
  }, 400_000);

  it('whose job is cancelled leaves no failed cell', async () => {
    const words = sweep('cancelled', '--slurm', '--workload', where(), '--nodes', '4', '--scales', '20', '--bw', '100');
    const running = lab().predict(words, salloc('-N', '4', '-t', '5', '--no-kill', '-J', 'ends'));
    await until(
      async () => (await lab().run('squeue -h -s -n ends -o %i; squeue -h -s -o %i')).stdout,
      (text) => /\d+\.0/.test(text),
      60,
    );
    await lab().run('scancel -n ends');
    const { exitCode, stderr } = await running;
    expect(stderr).toMatch(/rerun the same command in the next allocation/);
    expect(exitCode).toBe(75);
    expect((await openCampaign(out('cancelled'))).records.length).toBe(0);
    await lab().untilIdle(9);
  }, 200_000);

  it('does not count the time that it waits for busy nodes', async () => {
    const script = ['srun -N 4 -n 16 sleep 12 & sleep 1', '"$@"'].join('\n');
    const words = sweep(
      'busy',
      '--slurm',
      '--workload',
      where(),
      '--nodes',
      '4',
      '--scales',
      '6',
      '--bw',
      '100',
      '--cell-timeout',
      '15s',
    );
    const { exitCode, stderr } = await lab().predict(words, [
      ...salloc('-N', '4', '-t', '5'),
      'sh',
      '-c',
      script,
      'sh',
    ]);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('4 nodes')]);
    const attempts = eventsOf(out('busy')).filter(({ kind }) => kind === 'cell-retried');
    expect(attempts).toEqual([]);
    for (const { timing } of (await openCampaign(out('busy'))).records) expect(timing.workloadMs).toBeGreaterThan(6000);
  }, 200_000);

  it('keeps an order of hosts that is not that of SLURM', async () => {
    const words = sweep('order', '--workload', where(), '--nodes', '3', '--scales', '0', '--bw', '100');
    const given = ['env', 'SLURM_JOB_NODELIST=node03,node01,node02'];
    const { exitCode, stderr } = await lab().predict(words, [
      ...salloc('-N', '3', '-w', 'node[01-03]', '-t', '5'),
      ...given,
    ]);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('3 nodes')]);
    const [record] = (await openCampaign(out('order'))).records;
    expect(record?.hosts).toEqual(['node03', 'node01', 'node02']);
    const said = (await lab().run(`cat ${out('order')}/cells/*/stdout.txt`)).stdout;
    for (const [rank, host] of (record?.hosts ?? []).entries()) expect(said).toContain(`rank ${rank} on ${host}`);
  }, 200_000);

  it('asks for an allocation, and gives it back', async () => {
    const words = sweep(
      'asked',
      '--slurm',
      '-N 4 -t 5',
      '--workload',
      where(),
      '--nodes',
      '4',
      '--scales',
      '0',
      '--bw',
      '100',
    );
    const { exitCode, stderr } = await lab().predict(words);
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/SLURM's job \d+ has 4 hosts/)]);
    await lab().untilIdle(9);
  }, 200_000);

  it.each([
    ['-N 12 -t 5', /PartitionNodeLimit|Requested/],
    ['-N 2 -t 20:00:00', /PartitionTimeLimit|Requested/],
    ['-N 2 -p nowhere', /[Ii]nvalid partition/],
  ])(
    'says at once that there will never be an allocation of %s',
    async (request, why) => {
      const words = sweep(
        'never',
        '--slurm',
        request,
        '--workload',
        where(),
        '--nodes',
        '2',
        '--bw',
        '100',
        '--scales',
        '0',
      );
      const { exitCode, stderr } = await lab().predict(words);
      expect([exitCode, stderr]).toEqual([2, expect.stringMatching(why)]);
      expect((await lab().run('squeue -h')).stdout).toBe('');
    },
    60_000,
  );

  it('ends at a start of ranks without PMI, and says what to set', async () => {
    const inventory = lab().inventory({ args: ['--mpi=none'] });
    const words = ['sweep', '--slurm', '--inventory', inventory, '--nodes', '4', '--scales', '10', '--bw', '100'];
    const { exitCode, stderr } = await lab().predict([...words, '--out', out('pmi')], salloc('-N', '4'));
    expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/MpiDefault.*--mpi=pmix/)]);
  }, 60_000);

  it('needs no root at full bandwidth, and below it throttles by the plugin', async () => {
    await lab().addAnn();
    const asAnn = `setpriv --reuid=${ANN} --regid=${ANN} --clear-groups env HOME=/home/ann`;
    const asked = await lab().run(`cd / && ${asAnn} salloc --exclusive -N 4 -w node[01-04] -t 10 --no-shell`);
    const job = /Granted job allocation (\d+)/.exec(asked.stderr)?.[1];
    const given = ['env', `SLURM_JOB_ID=${job}`, 'SLURM_JOB_NODELIST=node[01-04]'];
    const inventory = lab().inventory({ user: 'ann' });
    for (const [bw, said] of [
      ['100', /links are only read, not throttled/],
      ...(noSpank ? [] : ([['20', /links are throttled by SLURM's --link-rate/]] as const)),
    ] as const) {
      const words = ['sweep', '--slurm', '--inventory', inventory, '--nodes', '4', '--scales', '12', '--roots', '4'];
      const more = ['--bw', bw, '--repeats', '0', '--out', out(`ann-${bw}`)];
      const { exitCode, stderr } = await lab().predict([...words, ...more], given);
      expect([exitCode, stderr]).toEqual([0, expect.stringMatching(said)]);
    }
    await lab().run(`scancel ${job}`);
    if (noSpank) return;
    const throttled = (await openCampaign(out('ann-20'))).records.find(({ cell }) => cell.bw === 20);
    expect(throttled?.proof?.rateBps).toBe(40e6);
    for (const { outBps } of throttled?.proof?.probes ?? []) expect(outBps).toBeLessThan(41e6);
    expect((await lab().run('tc qdisc show dev eth0', { on: 'node01' })).stdout).not.toContain('7077:');
  }, 200_000);

  it('needs no way by ssh: an sshd that a step of the job starts for its user does', async () => {
    await lab().addAnn();
    const folder = join(labStateFolder('test-slurm'), 'ann');
    const asAnn = ['setpriv', `--reuid=${ANN}`, `--regid=${ANN}`, '--clear-groups', 'env', `HOME=${folder}`];
    const made = await lab().run(
      `install -d -m 700 -o ann -g ann ${folder} && ${quoteAll([...asAnn, 'sh', '-euc', ownSshd()])}`,
    );
    expect([made.exitCode, made.stderr]).toEqual([0, '']);
    const inventory = join(folder, 'inventory.yaml');
    const text = {
      ...JSON.parse(readFileSync(lab().inventory({ user: 'ann' }), 'utf8')),
      ssh: {
        user: 'ann',
        key: `${folder}/.predict-sshd/user`,
        knownHosts: `${folder}/.predict-sshd/known_hosts`,
        config: 'none',
        proxyCommand: `srun --overlap --quiet --unbuffered --nodes=1 --ntasks=1 --nodelist=%h ${folder}/.predict-sshd/sshd`,
      },
    };
    writeFileSync(inventory, JSON.stringify(text));
    chmodSync(inventory, 0o644);
    const out = join(folder, 'own');
    const words = ['sweep', '--slurm', '--inventory', inventory, '--nodes', '4', '--scales', '12', '--roots', '4'];
    const sweep = [join(projectRoot(), 'predict'), ...words, '--bw', '100', '--repeats', '0', '--out', out];
    const command = quoteAll([...asAnn, 'salloc', '--exclusive', '-N', '4', '-t', '5', ...sweep]);
    const { exitCode, stderr } = await lab().run(`cd ${folder} && ${command}`);
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/links are only read, not throttled/)]);
    const records = (await openCampaign(out)).records;
    expect(records.map(({ status, samplers }) => [status, samplers.length])).toEqual([
      ['ok', 4],
      ['ok', 4],
    ]);
    for (const { samples } of records.flatMap(({ samplers }) => samplers)) expect(samples).toBeGreaterThan(0);
  }, 200_000);
});
