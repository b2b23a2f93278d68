import { describe, expect, test } from 'vitest';
import { communicationShareOf, communicationSummary } from '../../experiments/communication-share.ts';

const communicationShare = (...asked: Parameters<typeof communicationSummary>) =>
  communicationShareOf(communicationSummary(...asked));
const RECORDED = { timed: null, runs: [{ ct: 10e-9 }], iterations: null };
const csv = (header: string, ...rows: string[]): string => `${[header, ...rows].join('\n')}\n`;
const calls = (...rows: string[]): string => csv('worker,phase,start_ns,end_ns,thread', ...rows);

describe('the share of communication', () => {
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
    const timed = { phase: 'bfs', key: 'root' };
    expect(communicationShare(phases, { timed, runs: [], iterations: null })).toBeCloseTo(1 - (4 + 8 + 5) / 25, 12);
  });

  test('of recorded calls is that between the marks of the program', () => {
    const phases = calls(
      '0,compute,0,100,',
      '0,MPI_Pcontrol_on,100,100,',
      '0,compute,100,103,',
      '0,MPI_Send,103,110,',
      '0,MPI_Pcontrol_off,110,110,',
      '0,MPI_Barrier,110,500,',
      '1,MPI_Pcontrol_on,90,90,',
      '1,compute,90,110,',
      '1,MPI_Pcontrol_off,110,110,',
      '1,compute,110,500,',
    );
    expect(communicationShare(phases, RECORDED)).toBeCloseTo(7 / 30, 12);
  });

  const whole = calls(
    ...[
      '0,MPI_Init,0,100,',
      '0,compute,100,106,',
      '0,MPI_Send,106,110,',
      '0,compute,100,108,2',
      '0,MPI_Finalize,110,300,',
    ],
    ...['1,MPI_Init,0,100,', '1,compute,100,110,', '1,MPI_Finalize,110,300,'],
  );

  test('without marks is that of the whole run, but for its beginning and end, by main threads', () => {
    expect(communicationShare(whole, RECORDED)).toBeCloseTo(4 / 20, 12);
  });

  test('is not known where most of the run was not timed', () => {
    expect(communicationShare(whole, { ...RECORDED, runs: [{ ct: 6e-9 }] })).toBeNull();
    expect(communicationShare(whole, { ...RECORDED, runs: [{ ct: 7e-9 }] })).not.toBeNull();
    // A mean of four iterations.
    expect(communicationShare(whole, { ...RECORDED, runs: [{ ct: 2e-9 }], iterations: 4 })).not.toBeNull();
  });

  test('is not known of a trace without spans', () => {
    expect(communicationShare('', RECORDED)).toBeNull();
    expect(communicationShare(calls(), RECORDED)).toBeNull();
    expect(communicationShare(whole, { ...RECORDED, timed: { phase: 'bfs', key: 'root' } })).toBeNull();
  });
});
