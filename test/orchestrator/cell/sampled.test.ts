import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSampled as readPieces } from '../../../orchestrator/cell/sampled.ts';
import { processorSeconds } from '../../processor-seconds.ts';

const readSampled = (host: string, whole: string) => readPieces(host, [whole]);

const START = 1_700_000_000;
const line = (s: number, metric: string, instance: string, value: number): string =>
  `${BigInt(START) * 1_000_000_000n + BigInt(Math.round(s * 1e9))}\t${metric}\t${instance}\t${Math.round(value)}`;

const NEVER = (_: number): boolean => false;

/** A host of two cores at 20 readings a second, on which rank 0 uses `own` cores and others use `others`. */
function text({ seconds = 5, own = 0.5, others = 0, bornAt = 0.2, skip = NEVER } = {}): string {
  const lines = ['#predict-samples 1 host=n1 clock=realtime hz=20 cores=2'];
  for (let tick = 0; tick <= seconds * 20; tick += 1) {
    const t = tick / 20;
    if (skip(t)) continue;
    if (tick === 0) lines.push(line(0, 'cpu.capacity_mcores', 'all', 2000), line(0, 'memory.oom_kills', 'all', 7));
    const ran = Math.max(t - bornAt, 0) * own * 1e9;
    lines.push(line(t, 'cpu.busy_ns', 'cpu0', ran), line(t, 'cpu.busy_ns', 'cpu1', t * others * 1e9));
    lines.push(line(t, 'cpu.interrupts_ns', 'all', t * 0.05e9), line(t, 'cpu.steal_ns', 'all', t * 0.01e9));
    if (t > bornAt) lines.push(line(t, 'rank.cpu_ns', '0', ran));
  }
  return `${lines.join('\n')}\n`;
}
const END = '#end samples=101 missed=0 cpu_ns=20000000\n';

describe('what a sampler saw', () => {
  it('is its readings, its own end and the time between them', async () => {
    const seen = await readSampled('n1', text() + END);
    expect(seen).toMatchObject({ host: 'n1', samples: 101, oomKills: 7 });
    expect(seen.end).toEqual({ samples: 101, missed: 0, cpuNs: 20e6 });
    expect(seen.seconds).toBeCloseTo(5, 5);
    expect(seen.longestGapS).toBeCloseTo(0.05, 5);
  });

  it('tells who used the processors while ranks ran', async () => {
    const { cpu } = await readSampled('n1', text({ own: 0.5, others: 0.3 }) + END);
    expect(cpu?.seconds).toBeCloseTo(4.75, 5);
    expect(cpu?.cores).toBe(2);
    expect(cpu?.ranksS).toBeCloseTo(4.75 * 0.5, 1);
    expect((cpu?.busyS ?? 0) - (cpu?.ranksS ?? 0)).toBeCloseTo(4.75 * 0.3, 1);
    expect(cpu?.interruptsS).toBeCloseTo(4.75 * 0.05, 5);
    expect(cpu?.stealS).toBeCloseTo(4.75 * 0.01, 5);
  });

  it('counts a rank that is seen late, or follows another of its number, from its birth', async () => {
    const first = [line(0, 'cpu.capacity_mcores', 'all', 1000), line(0, 'cpu.busy_ns', 'cpu0', 0)];
    const ranks = [
      line(1, 'rank.cpu_ns', '0', 0.8e9),
      line(3, 'rank.cpu_ns', '1', 0.7e9),
      line(4, 'rank.cpu_ns', '0', 0.2e9),
    ];
    // Rank 0 is there from the start of the window; rank 1 was born in it, and so was the second rank 0.
    const { cpu } = await readSampled('n1', [...first, ...ranks, ''].join('\n'));
    expect(cpu?.ranksS).toBeCloseTo(0.9, 6);
  });

  it('has no end when the sampler was killed, and a gap where it stood still', async () => {
    const seen = await readSampled('n1', text({ skip: (t) => t > 2 && t < 3.5 }));
    expect(seen.end).toBeNull();
    expect(seen.longestGapS).toBeCloseTo(1.5, 5);
    expect(seen.samples).toBe(72);
  });

  it('has no end where its figures are no figures of a run', async () => {
    const seen = await readSampled('n1', `${text()}#end samples=99999999999999999999 missed=0 cpu_ns=1\n`);
    expect([seen.samples, seen.end]).toEqual([101, null]);
  });

  it('is read in time that grows with its length, also without ends of lines', async () => {
    const piece = 'x'.repeat(65_536);
    const pieces = [
      ...[text({ seconds: 1 }), ...Array<string>(400).fill(piece)],
      ...[`\n${line(2, 'cpu.busy_ns', 'cpu0', 1)}\n`, END],
    ];
    const read = readPieces('n1', pieces);
    expect(await processorSeconds(() => read)).toBeLessThan(2);
    const seen = await read;
    expect([seen.samples, seen.end?.samples]).toEqual([22, 101]);
  });

  it('is nothing of a sampler that said nothing', async () => {
    expect(await readSampled('n1', '')).toEqual({
      ...{
        host: 'n1',
        samples: 0,
        seconds: 0,
        longestGapS: 0,
        ranks: [],
        libraries: [],
        end: null,
        oomKills: null,
        cpu: null,
      },
    });
  });

  it('is read wherever the text is cut off, with finite numbers', async () => {
    const whole = text({ seconds: 1 }) + END;
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length), fc.string(), async (length, noise) => {
        const { samples, seconds, longestGapS } = await readSampled('n1', whole.slice(0, length) + noise);
        expect([samples, seconds, longestGapS].every(Number.isFinite)).toBe(true);
        expect(samples).toBeLessThanOrEqual(21);
      }),
    );
  });

  it('is the same in one piece and in many', async () => {
    const whole = text({ seconds: 1, own: 0.5, others: 0.2 }) + END;
    const seen = await readSampled('n1', whole);
    for (const size of [1, 7, 64, 1000]) {
      const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
        whole.slice(at * size, (at + 1) * size),
      );
      expect(await readPieces('n1', pieces)).toEqual(seen);
    }
  });
});
