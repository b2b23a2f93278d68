// Columns of activities (the neutral seam) from what was kept of a Timely trace.
import { ACTIVITY_KINDS, type Activities } from '../activities.ts';
import { arrange, byFirst, groupByKey } from '../arrange.ts';
import { layered, Stretches } from './stretches.ts';
import type { TimelyTrace, TracedWorker } from './timely-trace.ts';

const [OP, WAIT] = [ACTIVITY_KINDS.indexOf('op'), ACTIVITY_KINDS.indexOf('wait')];

/**
 * Activities of a trace on one clock: skew is taken off; every worker runs from the trace's first event to its own last one. With
 * `openToNs` what goes on then is said up to there: a spin is a wait, whatever ends it.
 */
export function toActivities(trace: TimelyTrace, openToNs = Number.NEGATIVE_INFINITY): Activities {
  const names = new Names();
  const workers = trace.traced();
  const skewNs = workers.map(({ number }) => trace.joins.skewOf(number));
  const all = new Stretches(workers.reduce((sum, { log }) => sum + log.waits.kept.length + 1, 0));
  const first = new Uint32Array(workers.length + 1);
  const goneNs = Float64Array.from(workers, ({ lastNs }, index) => lastNs - (skewNs[index] ?? 0));
  for (const [index, worker] of workers.entries()) {
    const from = all.length;
    const aheadNs = skewNs[index] ?? 0;
    addStretches(worker, names, all);
    for (const column of aheadNs === 0 ? [] : [all.of.startNs, all.of.endNs]) {
      for (let row = from; row < all.length; row += 1) column[row] = (column[row] as number) - aheadNs;
    }
    const open = worker.log.goesOn();
    if (open !== null && open.since - aheadNs < openToNs) {
      const [kind, name] = open.what === 'wait' ? [WAIT, UNNAMED] : [OP, `op:${open.operator}`];
      all.push(open.since - aheadNs, openToNs, kind, names.of(name));
      goneNs[index] = Math.max(goneNs[index] ?? 0, openToNs);
    }
    first[index + 1] = all.length;
  }
  return {
    workers: workers.map(({ number }) => `w${number}`),
    work: { first, ...all.used() },
    transfers: transfersOf(trace, names, skewNs),
    names: names.list,
    bornNs: new Float64Array(workers.length).fill(trace.bornNs()),
    goneNs,
  };
}

/** What has no name of its own goes by its kind. */
const UNNAMED = '';

/** Names by number; each is there once. */
class Names {
  readonly list: string[] = [UNNAMED];
  private readonly numbers = new Map([[UNNAMED, 0]]);

  of(name: string): number {
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    this.numbers.set(name, this.list.length);
    return this.list.push(name) - 1;
  }
}

/** Puts them at the end of `into`, by the worker's own clock. What the program names replaces what it covers, but for waits. */
function addStretches({ log, applications }: TracedWorker, names: Names, into: Stretches): void {
  const { length, of } = log.waits.kept;
  const operators = log.operators.names.flatMap((name) => [names.of(`op:${name}`), names.of(`op:${name} (idle)`)]);
  const unnamed = names.of(UNNAMED);
  const isLayered = applications.length > 0;
  const work = isLayered ? new Stretches(length) : into;
  const waits = isLayered ? new Stretches() : into;
  for (let row = 0; row < length; row += 1) {
    const [start, end, kind] = [of.startNs[row] as number, of.endNs[row] as number, of.kind[row] as number];
    if (end <= start) continue;
    const name = kind === OP ? (operators[of.name[row] as number] as number) : unnamed;
    (kind === WAIT ? waits : work).push(start, end, kind, name);
  }
  if (!isLayered) return;
  const named = new Stretches(applications.length);
  for (let row = 0; row < applications.length; row += 1) {
    named.copy(row, applications);
    named.of.name[row] = names.of(`app:${applications.of.name[row]}`);
  }
  layered(work, layered(named, waits), into);
}

/** Messages between workers, by target, then by arrival; `skewNs` by the place of a worker in the trace. */
function transfersOf(trace: TimelyTrace, names: Names, skewNs: readonly number[]): Activities['transfers'] {
  const { from, to, sentNs, arrivedNs, isProgress } = trace.joins.messages.used();
  const workers = trace.traced();
  const placeOf = new Int32Array(1 + Math.max(-1, ...workers.map(({ number }) => number)));
  for (const [place, { number }] of workers.entries()) placeOf[number] = place;
  const places = (column: Int32Array): Int32Array => column.map((worker) => placeOf[worker] as number);
  const [sources, targets] = [places(from), places(to)];
  const { order, first } = byFirst(groupByKey(targets, workers.length), arrivedNs);
  const nameOf = ['comm:data', 'comm:progress'].map((one) => names.of(one));
  const onOneClock = (times: Float64Array, at: Int32Array): Float64Array => {
    const column = arrange(Float64Array, times, order);
    if (skewNs.some((ns) => ns !== 0)) {
      for (let row = 0; row < column.length; row += 1)
        column[row] = (column[row] as number) - (skewNs[at[row] as number] ?? 0);
    }
    return column;
  };
  const ends = arrange(Int32Array, sources, order);
  return {
    first,
    from: ends,
    startNs: onOneClock(sentNs, ends),
    endNs: onOneClock(arrivedNs, arrange(Int32Array, targets, order)),
    name: arrange(Int32Array, isProgress, order).map((progress) => nameOf[progress] ?? 0),
    bytes: new Float64Array(order.length).fill(Number.NaN),
  };
}
