import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { networkOf } from '../../../inventory/draft.ts';
import { joinRequest } from '../../../orchestrator/cli/register/older-names.ts';
import { mpiDefault } from '../../../orchestrator/schedulers/describe-allocation.ts';
import { expectedS, JobTerm } from '../../../orchestrator/schedulers/job-term.ts';
import { isHopeless, requestWords } from '../../../orchestrator/schedulers/request.ts';
import { type JobState, lives, parseTimeLeft, readJobState } from '../../../orchestrator/schedulers/schedulers.ts';
import { goodRecord, newCampaign } from '../../experiments/make.ts';

describe("squeue's time left", () => {
  test.each([
    ['2:57', 177],
    ['0:00', 0],
    ['1:02:03', 3723],
    ['2-00:00:10', 172_810],
    ['UNLIMITED', Number.POSITIVE_INFINITY],
    ['INVALID', 0],
    ['NOT_SET', null],
    ['', null],
    ['slurm_load_jobs error', null],
    ['7', null],
  ] as const)('%j is %j s', (text, seconds) => {
    expect(parseTimeLeft(text)).toBe(seconds);
  });

  it('is read back from any number of seconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 8 }), (seconds) => {
        const pad = (value: number): string => String(value).padStart(2, '0');
        const [days, hours] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24];
        const rest = `${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`;
        const text = days > 0 ? `${days}-${pad(hours)}:${rest}` : hours > 0 ? `${hours}:${rest}` : rest;
        expect(parseTimeLeft(text)).toBe(seconds);
      }),
    );
  });
});

describe('a job', () => {
  it('is read from the line of squeue', () => {
    const job = readJobState('slurm', { exitCode: 0, stdout: 'RUNNING|2:57|None\n', stderr: '' });
    expect(job).toEqual({ state: 'RUNNING', leftS: 177, reason: 'None' });
    expect(job && lives('slurm', job)).toBe(true);
  });

  it.each([
    { exitCode: 1, stdout: '', stderr: 'slurm_load_jobs error: Invalid job id specified\n' },
    { exitCode: 0, stdout: '\n', stderr: '' },
    { exitCode: 0, stdout: 'COMPLETING|2:55|None\n', stderr: '' },
    { exitCode: 0, stdout: 'PENDING|10:00|BeginTime\n', stderr: '' },
  ])('that is gone runs nothing: %j', (answer) => {
    const job = readJobState('slurm', answer);
    expect(job && lives('slurm', job)).toBe(false);
  });

  it('is unknown where SLURM does not answer', () => {
    expect(
      readJobState('slurm', {
        exitCode: 1,
        stdout: '',
        stderr: 'slurm_load_jobs error: Unable to contact slurm controller',
      }),
    ).toBeNull();
  });
});

describe('the term of a sweep', () => {
  const term = (job: Partial<JobState> | null) =>
    new JobTerm(
      { scheduler: 'slurm', id: '125' },
      async () => job && { state: 'RUNNING', leftS: 100, reason: 'None', ...job },
    );
  const unfinished = { kind: 'unfinished', exitCode: 75, message: expect.stringContaining('rerun the same command') };

  it('admits what fits, and what nobody knows the time of', async () => {
    await term({ leftS: 100 }).admit(60);
    await term({ leftS: 100 }).admit(null);
    await term({ leftS: Number.POSITIVE_INFINITY }).admit(1e6);
    await term(null).admit(1e6);
  });

  it.each([
    ['time', { leftS: 60 }, 60],
    ['time even for the end', { leftS: 5 }, null],
    ['job', { state: null, leftS: 0 }, 1],
    ['job any more', { state: 'COMPLETING' }, 1],
  ] as const)('refuses a cell where there is no %s', async (_, job, seconds) => {
    await expect(term(job).admit(seconds)).rejects.toMatchObject(unfinished);
  });

  it('refuses every cell after a warning', async () => {
    const warned = term({});
    warned.warn();
    await expect(warned.admit(1)).rejects.toMatchObject(unfinished);
  });

  it('is over when the job is, and not when SLURM is silent', async () => {
    expect(await term({ state: 'TIMEOUT' }).whyOver()).toMatchObject(unfinished);
    expect(await term({}).whyOver()).toBeNull();
    expect(await term(null).whyOver()).toBeNull();
  });
});

test('the time of a cell is judged by the measured cell that says least', async () => {
  const { cells } = await newCampaign({ nodes: '1,4', bw: '50,100' });
  const [cell] = cells;
  if (!cell) throw new Error('no cell');
  const record = (change: object, totalMs: number) => {
    const good = goodRecord({ ...cell, ...change });
    return { ...good, timing: { ...good.timing, totalMs } };
  };
  expect(expectedS(cell, [])).toBeNull();
  expect(expectedS(cell, [record({}, 8000), record({ scale: cell.scale + 3 }, 20_000)])).toBe(8);
  expect(expectedS({ ...cell, bw: 25 }, [record({ bw: 100 }, 1000)])).toBe(4);
  expect(expectedS({ ...cell, scale: cell.scale + 2 }, [record({}, 1000)])).toBe(4);
  expect(expectedS({ ...cell, params: { algorithm: 'pr' } }, [record({}, 1000)])).toBeNull();
});

describe('a request', () => {
  it('is parted into words as a shell does', () => {
    expect(requestWords('slurm', '-N 16  -t 2:00:00 --comment="a b" -C \'x y\'')).toEqual([
      ...['-N', '16', '-t', '2:00:00', '--comment=a b', '-C', 'x y'],
    ]);
    expect(() => requestWords('slurm', ' ')).toThrow(/--slurm/);
  });

  it.each([
    [
      ['sweep', '--slurm', '-N 4 -t 10'],
      ['sweep', '--slurm=-N 4 -t 10'],
    ],
    [
      ['sweep', '--slurm', '--nodes=4 -t 10'],
      ['sweep', '--slurm=--nodes=4 -t 10'],
    ],
    [
      ['sweep', '--slurm', '-N4', '--nodes', '2'],
      ['sweep', '--slurm=-N4', '--nodes', '2'],
    ],
    [
      ['sweep', '--slurm', '--nodes', '2'],
      ['sweep', '--slurm', '--nodes', '2'],
    ],
    [
      ['sweep', '--slurm', '-h'],
      ['sweep', '--slurm', '-h'],
    ],
    [
      ['sweep', '--slurm'],
      ['sweep', '--slurm'],
    ],
    [
      ['sweep', '--pbs', '-l select=4', '--slurm-wait', '1h', '--slurm-wait=2h'],
      ['sweep', '--pbs=-l select=4', '--job-wait', '1h', '--job-wait=2h'],
    ],
  ])('is the value of --slurm though it begins with a dash: %j', (words, joined) => {
    expect(joinRequest(words)).toEqual(joined);
  });

  it.each([
    'PartitionNodeLimit',
    'PartitionTimeLimit',
    'ReqNodeNotAvail, UnavailableNodes:node05',
    'PartitionDown',
    'InvalidAccount',
  ])('that waits for %s waits in vain', (reason) => {
    expect(isHopeless('slurm', reason)).toBe(true);
  });

  it.each(['Resources', 'Priority', 'None', 'BeginTime', 'QOSGrpNodeLimit'])(
    'that waits for %s may be granted',
    (reason) => {
      expect(isHopeless('slurm', reason)).toBe(false);
    },
  );
});

test('the network of an address', () => {
  expect(networkOf('10.77.3.9/16')).toBe('10.77.0.0/16');
  expect(networkOf('192.168.7.201/26')).toBe('192.168.7.192/26');
  expect(networkOf('200.1.2.3/32')).toBe('200.1.2.3/32');
});

test('MpiDefault is found in the configuration', () => {
  expect(mpiDefault('MinJobAge               = 300 sec\nMpiDefault              = pmix\nMpiParams = x\n')).toBe('pmix');
  expect(mpiDefault('')).toBeUndefined();
});
