// Columns of activities (the neutral seam) from what was kept of a Timely trace.
import { ACTIVITY_KINDS, type Activities, type ActivityKind } from '../activities.ts';
import { arrange, byFirst, groupByKey } from '../arrange.ts';
import type { Floats, Ints } from './growing.ts';
import { KEPT } from './kept-events.ts';
import { layered, Stretches } from './layer-stretches.ts';
import { MESSAGE_NAMES } from './timely-messages.ts';
import type { TimelyTrace, TracedWorker } from './timely-trace.ts';

const kindOf = (kind: ActivityKind): number => ACTIVITY_KINDS.indexOf(kind);
const [OP, APPLICATION, WAIT, WAIT_INPUT] = [kindOf('op'), kindOf('application'), kindOf('wait'), kindOf('wait-input')];

/** Activities of a trace on one clock: skew is taken off; every worker runs from the trace's first event to its own last one. */
export function toActivities(trace: TimelyTrace): Activities {
  const names = new Names();
  const workers = trace.traced();
  const skewNs = workers.map(({ number }) => trace.joins.skewOf(number));
  const all = new Stretches(workers.reduce((sum, { log }) => sum + log.kept.length, 0));
  const first = new Uint32Array(workers.length + 1);
  for (const [index, worker] of workers.entries()) {
    const from = all.length;
    addStretches(worker, names, all);
    first[index + 1] = all.length;
    const aheadNs = skewNs[index] ?? 0;
    if (aheadNs === 0) continue;
    for (const { values } of [all.startNs, all.endNs]) {
      for (let row = from; row < all.length; row += 1) values[row] = (values[row] as number) - aheadNs;
    }
  }
  return {
    workers: workers.map(({ number }) => `w${number}`),
    work: {
      first,
      startNs: all.startNs.values.subarray(0, all.length),
      endNs: all.endNs.values.subarray(0, all.length),
      kind: new Uint8Array(all.kind.values.subarray(0, all.length)),
      name: all.name.values.subarray(0, all.length),
    },
    transfers: transfersOf(trace, names, skewNs),
    names: names.list,
    bornNs: new Float64Array(workers.length).fill(trace.bornNs()),
    goneNs: Float64Array.from(workers, ({ lastNs }, index) => lastNs - (skewNs[index] ?? 0)),
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
  const { kept, operators } = log;
  const active = operators.names.map((name) => names.of(`op:${name}`));
  const idle = operators.names.map((name) => names.of(`op:${name} (idle)`));
  const unnamed = names.of(UNNAMED);
  const isLayered = applications.id.length > 0;
  const work = isLayered ? new Stretches(kept.length) : into;
  const waits = isLayered ? new Stretches() : into;
  for (let row = 0; row < kept.length; row += 1) {
    const [start, end, kind, detail] = [kept.start.at(row), kept.end.at(row), kept.kind.at(row), kept.detail.at(row)];
    if (kind === KEPT.wait) waits.push(start, end, WAIT, unnamed);
    else if (kind === KEPT.waitInput) work.push(start, end, WAIT_INPUT, unnamed);
    else work.push(start, end, OP, (kind === KEPT.opActive ? active : idle)[detail] ?? unnamed);
  }
  if (!isLayered) return;
  const named = new Stretches(applications.id.length);
  for (let row = 0; row < applications.id.length; row += 1) {
    const name = names.of(`app:${applications.id.at(row)}`);
    named.push(applications.startNs.at(row), applications.endNs.at(row), APPLICATION, name);
  }
  layered(work, layered(named, waits), into);
}

/** Messages between workers, by target, then by arrival; `skewNs` by the place of a worker in the trace. */
function transfersOf(trace: TimelyTrace, names: Names, skewNs: readonly number[]): Activities['transfers'] {
  const { length, from, to, sentNs, arrivedNs, name } = trace.messages;
  const workers = trace.traced();
  const placeOf = new Int32Array(1 + Math.max(-1, ...workers.map(({ number }) => number)));
  for (const [place, { number }] of workers.entries()) placeOf[number] = place;
  const places = (column: Ints): Int32Array =>
    column.values.subarray(0, length).map((worker) => placeOf[worker] as number);
  const [sources, targets] = [places(from), places(to)];
  const { order, first } = byFirst(groupByKey(targets, workers.length), arrivedNs.values);
  const nameOf = MESSAGE_NAMES.map((one) => names.of(one));
  const onOneClock = (times: Floats, at: Int32Array): Float64Array => {
    const column = arrange(Float64Array, times.values, order);
    if (skewNs.some((ns) => ns !== 0)) {
      for (let row = 0; row < length; row += 1)
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
    name: arrange(Int32Array, name.values, order).map((kind) => nameOf[kind] ?? 0),
    bytes: new Float64Array(length).fill(Number.NaN),
  };
}
