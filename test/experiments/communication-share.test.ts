import { describe, expect, test } from 'vitest';
import { communicationShareOf, communicationSummary } from '../../experiments/communication-share.ts';

const csv = (header: string, ...rows: string[]): string => `${[header, ...rows].join('\n')}\n`;
/** Rows of `rank,call,from,to,thread,comm,turn`, times in ms since 1970 and some years. */
const calls = (...rows: string[]): string =>
  csv(
    'worker,phase,start_ns,end_ns,thread,comm,turn',
    ...rows.map((row) => {
      const [rank, call, from, to, ...keys] = row.split(',');
      const ns = (ms = ''): string => `${1_764_235_690_000_000_000n + BigInt(ms) * 1_000_000n}`;
      return [rank, call, ns(from), ns(to), ...keys, ...['', '', ''].slice(keys.length)].join(',');
    }),
  );

type Asked = Parameters<typeof communicationSummary>;
/** Of two ranks on hosts a and b that printed one time, seconds. */
const shareOf = (
  phases: string,
  ct = 10e-3,
  { timed = null, part, clocks = [], summary = {} }: Partial<Asked[1] & Asked[2]> = {},
) => {
  const runs = [{ index: 0, ct, teps: null, nedge: null, validateS: null }];
  const cell = {
    ...{ id: '0', workload: 'own', nodes: 2, ranks: 2, scale: 0 },
    bw: 100,
    rep: 1,
    role: 'measure',
    roots: 1,
  } as const;
  const record = { cell, hosts: ['a', 'b'], clocks, runs, summary };
  return communicationShareOf(communicationSummary(phases, record, { timed, ...(part && { part }) }));
};

describe('the share of communication', () => {
  const timed = { phases: ['bfs'], key: 'root' };

  test('is what within timed runs is no computing, over all ranks', () => {
    // Search 0: 10 and 10 ns, 4 and 8 of them computing; search 1: 5 ns of one rank, all computing. Outside of searches nothing counts.
    const phases = csv(
      'worker,phase,start_ns,end_ns,root',
      '0,compute,1764235690000000000,1764235690000000500,',
      '0,bfs,1764235690000000500,1764235690000000510,0',
      '0,compute,1764235690000000500,1764235690000000504,0',
      '0,expand,1764235690000000504,1764235690000000510,0',
      '1,bfs,1764235690000000500,1764235690000000510,0',
      '1,compute,1764235690000000501,1764235690000000509,0',
      '1,bfs,1764235690000000600,1764235690000000605,1',
      '1,compute,1764235690000000600,1764235690000000605,1',
    );
    expect(shareOf(phases, 1, { timed })).toBeCloseTo(1 - (4 + 8 + 5) / 25, 12);
  });

  test('of recorded calls is that between the marks of the program', () => {
    // From the last rank's first mark, 100, to the last one's second, 112: rank 0 computes 3 of 12 ms, rank 1 10.
    const phases = calls(
      ...['0,compute,0,100', '0,MPI_Pcontrol_on,100,100', '0,compute,100,103', '0,MPI_Send,103,112'],
      ...['0,MPI_Pcontrol_off,112,112', '0,MPI_Barrier,112,500'],
      ...['1,compute,0,90', '1,MPI_Pcontrol_on,90,90', '1,compute,90,110', '1,MPI_Pcontrol_off,110,110'],
      ...['1,MPI_Send,110,500'],
    );
    expect(shareOf(phases)).toBeCloseTo(1 - (3 + 10) / 24, 12);
  });

  test('is that between the calls that the workload names', () => {
    const phases = calls(
      ...['0,MPI_Init,0,10', '0,compute,10,100', '0,MPI_Scan,100,110', '0,compute,110,130', '0,MPI_Send,130,140'],
      ...['1,MPI_Init,0,10', '1,compute,10,100', '1,MPI_Scan,100,110', '1,compute,110,140', '1,MPI_Send,140,150'],
    );
    expect(shareOf(phases, 1, { part: { from: 'MPI_Scan', to: 'MPI_Send' } })).toBeCloseTo(10 / 60, 12);
  });

  test('is that of what took as long as the program printed, however long it was starting', () => {
    // 500 ms of starting; then 40 ms, in which rank 0 computes for 10 and rank 1 for 30. Host b's clock is 5 s ahead.
    const phases = calls(
      ...['0,MPI_Init,0,300', '0,compute,300,480', '0,MPI_Barrier,480,500,,0,1', '0,compute,500,510'],
      ...['0,MPI_Allreduce,510,540,,0,2', '0,compute,540,560', '0,MPI_Finalize,560,600'],
      ...['1,MPI_Init,5000,5300', '1,compute,5300,5499', '1,MPI_Barrier,5499,5500,,0,1', '1,compute,5500,5530'],
      ...['1,MPI_Allreduce,5530,5540,,0,2', '1,compute,5540,5560', '1,MPI_Finalize,5560,5600'],
    );
    const clocks = ['a', 'b'].map((host) => ({ host, offsetNs: host === 'a' ? 0 : 5e9, errorNs: 1000 }));
    expect(shareOf(phases, 40e-3, { clocks })).toBeCloseTo(1 - (10 + 30) / 80, 9);
    expect(shareOf(phases, 5e-3, { clocks })).toBeNull();
  });

  const whole = calls(
    ...['0,MPI_Init,0,100', '0,compute,100,106', '0,MPI_Send,106,110', '0,compute,100,108,2', '0,MPI_Finalize,110,300'],
    ...['1,MPI_Init,0,100', '1,compute,100,110', '1,MPI_Finalize,110,300'],
  );

  test('without marks is that of the whole run, but for its beginning and end, by main threads', () => {
    expect(shareOf(whole)).toBeCloseTo(4 / 20, 12);
  });

  test('is not known where most of the run was not timed', () => {
    expect(shareOf(whole, 6.5e-3)).toBeNull();
    expect(shareOf(whole, 7e-3)).not.toBeNull();
    // A mean of four iterations.
    expect(shareOf(whole, 2e-3, { summary: { timed_iterations: 4 } })).not.toBeNull();
  });

  test('is not known of a trace without spans', () => {
    expect(shareOf('')).toBeNull();
    expect(shareOf(calls())).toBeNull();
    expect(shareOf(whole, 1, { timed })).toBeNull();
  });
});
