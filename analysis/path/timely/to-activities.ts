// Columns of activities (the neutral seam) from what was kept of a Timely trace.
import { ACTIVITY_KINDS, type Activities, type ActivityKind } from '../activities.ts';
import { KEPT } from './kept.ts';
import { MESSAGE_NAMES } from './messages.ts';
import { layered, Stretches } from './stretches.ts';
import type { TimelyTrace, TracedWorker } from './trace.ts';

const kindOf = (kind: ActivityKind): number => ACTIVITY_KINDS.indexOf(kind);
const [OP, APPLICATION, WAIT, WAIT_INPUT] = [kindOf('op'), kindOf('application'), kindOf('wait'), kindOf('wait-input')];

/** Activities of a trace on one clock: skew is taken off; every worker runs from the trace's first event to its own last one. */
export function toActivities(trace: TimelyTrace): Activities {
  const names = new Names();
  const workers = trace.traced();
  const parts = workers.map((worker) => stretchesOf(worker, names));
  const first = new Uint32Array(workers.length + 1);
  for (const [index, part] of parts.entries()) first[index + 1] = (first[index] ?? 0) + part.length;
  const count = first[workers.length] ?? 0;
  const [startNs, endNs] = [new Float64Array(count), new Float64Array(count)];
  const [kind, name] = [new Uint8Array(count), new Int32Array(count)];
  for (const [index, part] of parts.entries()) {
    const skewNs = trace.joins.skewOf(workers[index]?.number ?? 0);
    const at = first[index] ?? 0;
    for (let row = 0; row < part.length; row += 1) {
      startNs[at + row] = part.startNs.at(row) - skewNs;
      endNs[at + row] = part.endNs.at(row) - skewNs;
    }
    kind.set(part.kind.values.subarray(0, part.length), at);
    name.set(part.name.values.subarray(0, part.length), at);
  }
  const transfers = transfersOf(trace, names);
  const bornNs = trace.bornNs();
  return {
    workers: workers.map(({ number }) => `w${number}`),
    names: names.list,
    work: { first, startNs, endNs, kind, name },
    transfers,
    bornNs: new Float64Array(workers.length).fill(bornNs),
    goneNs: Float64Array.from(workers, ({ number, lastNs }) => lastNs - trace.joins.skewOf(number)),
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

/** By the worker's own clock. What the program names replaces what it covers, but for waits. */
function stretchesOf({ log, applications }: TracedWorker, names: Names): Stretches {
  const { kept, operators } = log;
  const active = operators.names.map((name) => names.of(`op:${name}`));
  const idle = operators.names.map((name) => names.of(`op:${name} (idle)`));
  const unnamed = names.of(UNNAMED);
  const work = new Stretches();
  const waits = new Stretches();
  const named = new Stretches();
  const isLayered = applications.id.length > 0;
  for (let row = 0; row < kept.length; row += 1) {
    const [start, end, kind, detail] = [kept.start.at(row), kept.end.at(row), kept.kind.at(row), kept.detail.at(row)];
    if (kind === KEPT.wait) (isLayered ? waits : work).push(start, end, WAIT, unnamed);
    else if (kind === KEPT.waitInput) work.push(start, end, WAIT_INPUT, unnamed);
    else work.push(start, end, OP, (kind === KEPT.opActive ? active : idle)[detail] ?? unnamed);
  }
  for (let row = 0; row < applications.id.length; row += 1) {
    const name = names.of(`app:${applications.id.at(row)}`);
    named.push(applications.startNs.at(row), applications.endNs.at(row), APPLICATION, name);
  }
  return isLayered ? layered(work, layered(named, waits)) : work;
}

/** Messages between workers, by target, then by arrival. */
function transfersOf(trace: TimelyTrace, names: Names): Activities['transfers'] {
  const { messages, joins } = trace;
  const workers = trace.traced();
  const indexOf = new Map(workers.map(({ number }, index) => [number, index]));
  const rowsOf = workers.map((): number[] => []);
  for (let row = 0; row < messages.length; row += 1) rowsOf[indexOf.get(messages.to.at(row)) ?? 0]?.push(row);
  for (const rows of rowsOf) inOrder(rows, messages.arrivedNs.values);
  const nameOf = MESSAGE_NAMES.map((name) => names.of(name));
  const order = rowsOf.flat();
  const first = new Uint32Array(workers.length + 1);
  for (const [index, rows] of rowsOf.entries()) first[index + 1] = (first[index] ?? 0) + rows.length;
  const skew = new Map(workers.map(({ number }) => [number, joins.skewOf(number)]));
  const onOneClock = (times: Float64Array, of: { at(row: number): number }): Float64Array =>
    Float64Array.from(order, (row) => (times[row] ?? 0) - (skew.get(of.at(row)) ?? 0));
  return {
    first,
    from: Int32Array.from(order, (row) => indexOf.get(messages.from.at(row)) ?? 0),
    startNs: onOneClock(messages.sentNs.values, messages.from),
    endNs: onOneClock(messages.arrivedNs.values, messages.to),
    name: Int32Array.from(order, (row) => nameOf[messages.name.at(row)] ?? 0),
    bytes: new Float64Array(order.length).fill(Number.NaN),
  };
}

/** Messages are read nearly in the order in which they arrive, so most often there is nothing to sort. */
function inOrder(rows: number[], times: Float64Array): void {
  const isSorted = rows.every((row, index) => index === 0 || (times[rows[index - 1] ?? 0] ?? 0) <= (times[row] ?? 0));
  if (!isSorted) rows.sort((one, other) => (times[one] ?? 0) - (times[other] ?? 0) || one - other);
}
