import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, onTestFinished } from 'vitest';
import { programFile } from '../../agents/host-programs.ts';
import type { CellRecord } from '../../experiments/records.ts';
import { readEvents } from '../../experiments/store/campaign-events.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { NEEDS, noLab, predict, until, useLab } from './fixture.ts';
import { itUnlessStolen } from './it-unless-stolen.ts';

describe.skipIf(noLab)(`what a run's record claims ${NEEDS}`, () => {
  const lab = useLab({ name: 'test-truth', hosts: 5, cpu: '30%' });
  const agent = programFile('agent');

  /** Runs of some seconds on four of the five hosts, or of a second. */
  const sweep = (out: string, cells: string, roots = 300) =>
    predict([
      ...['sweep', '--inventory', lab.inventory(), '--cells', cells, '--roots', String(roots), '--validate', '1'],
      // What a test disturbs is to stay as it is.
      ...['--repeats', '0', '--out', join(lab.folder, out), '--json'],
    ]);
  /** Without what is said of the machine as a whole, on which anything may run beside these tests. */
  const recordsOf = async (out: string): Promise<CellRecord[]> =>
    (await openCampaign(join(lab.folder, out))).records.map((record) => ({
      ...record,
      marks: record.marks.filter(({ kind, host }) => !(kind === 'stolen-cpu' && host === null)),
    }));
  const folders = (host: string): string[] =>
    [...readFileSync(lab.inventory(), 'utf8').matchAll(/["' ](\/[^"'\s,\]]*\{host\}[^"'\s,\]]*)/g)].map(
      ([, folder = '']) => folder.replaceAll('{host}', host),
    );
  const processes = (host: string): { pid: number; words: string[] }[] => {
    const pids = readFileSync(join(folders(host)[0] ?? '', 'cgroup.procs'), 'utf8')
      .split('\n')
      .filter(Boolean);
    return pids.flatMap((pid) => {
      try {
        return [{ pid: Number(pid), words: readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0') }];
      } catch {
        return [];
      }
    });
  };
  /** The process of a host with such words, once it is there. */
  const processOf = async (host: string, program: string, word = ''): Promise<number> => {
    const found = await until(
      async () =>
        processes(host).find(
          ({ words: [name = '', ...rest] }) => name.endsWith(program) && (word === '' || rest.includes(word)),
        ),
      (process) => process !== undefined,
      60,
    );
    if (!found) throw new Error(`${host} never had ${program} ${word}`);
    return found.pid;
  };
  /** The process of a host's sampler once the level is proved, so while its searches run or are about to. */
  const measuring = async (host: string): Promise<number> => {
    await processOf(host, 'predict-graph500');
    await processOf(host, 'predict-agent', 'probe');
    return await processOf(host, 'predict-agent', 'sample');
  };
  /** By the first process of a host, which stays: those of a sweep that has just ended may go at any moment. */
  const space = (host: string): string[] => {
    return ['nsenter', '-t', String(Math.min(...processes(host).map(({ pid }) => pid))), '-n'];
  };
  /** A stream from one host to another for some seconds, or until the function that it gives is called. */
  const stream = async (from: string, to: string, seconds: number): Promise<() => void> => {
    const [sender, receiver] = [space(from), space(to)];
    const shown = await execa(receiver[0] ?? '', [...receiver.slice(1), 'ip', '-o', '-4', 'addr', 'show', 'eth0']);
    const address = `${/inet ([\d.]+)/.exec(shown.stdout)?.[1]}:31234`;
    const run = ([command = '', ...rest]: string[], end: string): (() => void) => {
      const child = spawn(command, [...rest, agent, 'probe', end, address, '--seconds', String(seconds)], {
        stdio: 'ignore',
      });
      const stop = (): void => void child.kill('SIGKILL');
      onTestFinished(stop);
      return stop;
    };
    const listening = run(receiver, '--listen');
    const sockets = [...receiver.slice(1), 'ss', '-ltnH', 'sport = :31234'];
    const isThere = await until(
      async () => (await execa(receiver[0] ?? '', sockets)).stdout,
      (text) => text !== '',
      30,
    );
    if (!isThere) throw new Error(`${to} never listened`);
    const stops = [listening, run(sender, '--connect')];
    return () => stops.forEach((stop) => void stop());
  };

  itUnlessStolen('is without a mark on a quiet lab', async () => {
    const { exitCode, stderr } = await sweep('quiet', '4:12:100,4:12:50', 120);
    expect(exitCode, stderr).toBe(0);
    expect((await recordsOf('quiet')).map(({ marks }) => marks)).toEqual([[], []]);
  });

  itUnlessStolen('is none of a run whose rank was killed: it is tried again, and the try names the host', async () => {
    const running = sweep('killed', '4:12:50', 120);
    // While ranks start, Open MPI may end without a word about who was killed.
    await measuring('node03');
    process.kill(await processOf('node03', 'predict-graph500'), 'SIGKILL');
    expect((await running).exitCode).toBe(0);
    const [record] = await recordsOf('killed');
    expect([record?.status, record?.marks]).toEqual(['ok', []]);
    const retried = readEvents(join(lab.folder, 'killed')).find(({ kind }) => kind === 'cell-retried');
    expect(retried).toMatchObject({
      reason: expect.stringMatching(/^node03: rank 2 \(pid \d+\) was killed from outside by SIGKILL\.$/),
    });
    const attempts = join(lab.folder, 'killed', 'attempts');
    const [attempt = ''] = readdirSync(attempts);
    expect(JSON.parse(readFileSync(join(attempts, attempt, 'attempt.json'), 'utf8'))).toMatchObject({ host: 'node03' });
  });

  itUnlessStolen('says that a sampler was killed', async () => {
    const running = sweep('unsampled', '4:12:50', 150);
    process.kill(await measuring('node02'), 'SIGKILL');
    expect((await running).exitCode).toBe(0);
    expect(readEvents(join(lab.folder, 'unsampled')).filter(({ kind }) => kind === 'cell-retried')).toEqual([]);
    const [record] = await recordsOf('unsampled');
    expect(record?.marks).toEqual([
      {
        kind: 'sampler',
        host: 'node02',
        text: expect.stringMatching(/^node02: the sampler ended with signal (SIG)?KILL/),
      },
    ]);
    const { stdout } = await predict(['status', join(lab.folder, 'unsampled')]);
    expect(stdout).toContain(
      'Careful: 1 of 1 cell has data-quality flags: samples with gaps (4 nodes, scale 12, 50 %: node02:',
    );
  });

  itUnlessStolen('says that others used the processors', async () => {
    const running = sweep('burnt', '4:12:50');
    await processOf('node04', 'predict-graph500');
    const burner = spawn('sh', ['-c', 'read go; while :; do :; done'], { stdio: ['pipe', 'ignore', 'ignore'] });
    onTestFinished(() => void burner.kill('SIGKILL'));
    for (const folder of folders('node04')) writeFileSync(join(folder, 'cgroup.procs'), String(burner.pid));
    burner.stdin.write('go\n');
    expect((await running).exitCode).toBe(0);
    const [record] = await recordsOf('burnt');
    expect(record?.marks).toEqual([
      { kind: 'stolen-cpu', host: 'node04', text: expect.stringMatching(/used [01]\.\d\d of 1\.00 cores/) },
    ]);
  });

  itUnlessStolen('says that other traffic came in the middle of a run at 100 %', async () => {
    const running = sweep('joined', '4:12:100');
    await measuring('node02');
    await stream('node02', 'node05', 4);
    expect((await running).exitCode).toBe(0);
    const [record] = await recordsOf('joined');
    expect(record?.marks).toEqual([
      {
        kind: 'foreign-traffic',
        host: 'node02',
        text: expect.stringMatching(/^node02: the hosts of the run sent .* none of them received \(node02: /),
      },
    ]);
  });

  itUnlessStolen(
    'is none where other traffic was there before a run at 100 %: it is refused until the link is free',
    async () => {
      const stop = await stream('node02', 'node05', 160);
      const running = sweep('crowded', '4:12:100', 120);
      const dir = join(lab.folder, 'crowded');
      const retried = async (): Promise<string[]> =>
        existsSync(join(dir, 'events.jsonl'))
          ? readEvents(dir).flatMap((event) => (event.kind === 'cell-retried' ? [event.reason] : []))
          : [];
      const reasons = await until(retried, ({ length }) => length > 0, 150);
      stop();
      expect((await running).exitCode).toBe(0);
      expect(reasons[0]).toMatch(
        /of 100 % could not be verified: the probe from node0[12] to node0[23] reached .* other traffic/,
      );
      const [record] = await recordsOf('crowded');
      expect([record?.status, record?.marks]).toEqual(['ok', []]);
    },
  );
});
