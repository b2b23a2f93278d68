import { ACTIVITY_KINDS, type Activities } from '../../../analysis/path/activities.ts';
import { mulberry32 } from '../../../base/lists.ts';

const [OP, WAIT] = [ACTIVITY_KINDS.indexOf('op'), ACTIVITY_KINDS.indexOf('wait')];

/**
 * A trace of so many activities in columns: 16 workers in rounds, in each of which everybody works for a random time and waits for
 * the slowest, who sends to all. Every fourth activity is a wait.
 */
export function largeActivities(count: number, seed = 1): Activities {
  const [workers, perRound] = [16, 4];
  const rounds = Math.ceil(count / (workers * perRound));
  const rows = rounds * workers * perRound;
  const random = mulberry32(seed);
  const arrivals = rounds * (workers - 1);
  const work = {
    first: Uint32Array.from({ length: workers + 1 }, (_, worker) => worker * rounds * perRound),
    startNs: new Float64Array(rows),
    endNs: new Float64Array(rows),
    kind: new Uint8Array(rows).fill(OP),
    name: Int32Array.from({ length: rows }, (_, row) => row % 3),
  };
  const got = Array.from({ length: workers }, (): [from: number, sentNs: number, arrivedNs: number][] => []);
  let roundNs = 0;
  for (let round = 0; round < rounds; round += 1) {
    const lengths = Array.from({ length: workers }, () => 300 + Math.floor(random() * 1000));
    const slowest = lengths.indexOf(Math.max(...lengths));
    const sentNs = roundNs + (lengths[slowest] ?? 0);
    for (let worker = 0; worker < workers; worker += 1) {
      const row = (worker * rounds + round) * perRound;
      const doneNs = roundNs + (lengths[worker] ?? 0);
      const arrivedNs = sentNs + 50;
      const cuts = [roundNs, roundNs + 100, roundNs + 200, doneNs, arrivedNs];
      for (let part = 0; part < perRound; part += 1) {
        work.startNs[row + part] = cuts[part] ?? 0;
        work.endNs[row + part] = cuts[part + 1] ?? 0;
      }
      if (worker === slowest) continue;
      work.kind[row + 3] = WAIT;
      got[worker]?.push([slowest, sentNs, arrivedNs]);
    }
    roundNs = sentNs + 50;
  }
  const all = got.flat();
  const first = new Uint32Array(workers + 1);
  for (const [worker, own] of got.entries()) first[worker + 1] = (first[worker] ?? 0) + own.length;
  return {
    workers: Array.from({ length: workers }, (_, worker) => String(worker)),
    names: ['read', 'join', 'count', 'message'],
    work,
    transfers: {
      first,
      from: Int32Array.from(all, ([from]) => from),
      startNs: Float64Array.from(all, ([, sentNs]) => sentNs),
      endNs: Float64Array.from(all, ([, , arrivedNs]) => arrivedNs),
      name: new Int32Array(arrivals).fill(3),
      bytes: new Float64Array(arrivals).fill(Number.NaN),
    },
    bornNs: new Float64Array(workers),
    goneNs: new Float64Array(workers).fill(roundNs),
  };
}
