import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WatchedProcess } from '../../../orchestrator/dag/pipes/host-watch.ts';
import { runShare, stillShare } from '../../../orchestrator/dag/pipes/period-of.ts';
import { hostOf, processLines } from './lines.ts';

/** A process that was seen in two slices of a second; the kernel counted these ms of it in the second one. */
function processOf({ running, cpuMs, queueMs = 0, threads = 1 }: Record<string, number>): WatchedProcess {
  const did = (cpu: number, queue: number, samples: number, ran: number): string =>
    `did 7 ${samples} ${ran} 0 0 0 ${cpu * 1e6} ${queue * 1e6} - - ${threads}`;
  // A kernel that does not count says zero.
  const before = cpuMs === undefined ? 0 : 100;
  const host = hostOf('h', [
    ...processLines(7, 'sort', []).slice(0, 2),
    ...['slice 0 1000000000 0 0', did(before, before / 10, 0, 0)],
    ...['slice 1000000000 2000000000 100 0', did(before + (cpuMs ?? 0), before / 10 + queueMs, 100, running ?? 0)],
  ]);
  const process = host.processes.get(7);
  if (process === undefined) throw new Error('no process');
  return process;
}

describe('the share of time in which a process ran', () => {
  it.each([
    ['is what the kernel counts, the wait for a processor too', { running: 50, cpuMs: 300, queueMs: 140 }, 0.44],
    ['is what samples say where they contradict it', { running: 90, cpuMs: 300 }, 0.9],
    ['is what samples say of several threads', { running: 50, cpuMs: 440, threads: 2 }, 0.5],
    ['is what samples say where the kernel counts nothing', { running: 3 }, 0.03],
    ['is what samples say of one that never stood still', { running: 100, cpuMs: 950 }, 1],
  ])('%s', (_, given, expected) => {
    expect(runShare(processOf(given))).toBeCloseTo(expected, 12);
  });

  it('leaves the rest to what it did otherwise', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 1000 }), (running, cpuMs) => {
        const process = processOf({ running, cpuMs });
        const still = stillShare(process, 100 - running);
        expect(runShare(process) + still).toBeCloseTo(1, 12);
        expect(still).toBeGreaterThanOrEqual(0);
        expect(stillShare(process, (100 - running) / 2)).toBeCloseTo(still / 2, 12);
      }),
    );
  });
});
