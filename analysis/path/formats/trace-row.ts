// A row of the intermediate trace: `{worker, start, end, type, name}` is an activity, `{from, to, start, end, type: "comm", name,
// bytes}` a transfer, `{running, from, to}` the life of a worker. Times are whole ns.
import { ACTIVITY_KINDS } from '../activities.ts';
import type { ActivityBuilder } from './activity-builder.ts';

export type TraceRow = {
  readonly [Key in 'worker' | 'from' | 'to' | 'start' | 'end' | 'type' | 'name' | 'bytes' | 'running']?: unknown;
};

/** Reads a time by its key; null if there is none. */
export type TimeOf = (row: TraceRow, key: 'start' | 'end' | 'from' | 'to') => number | null;

/** Puts a row to the others; what is wrong with it goes to the problems. Whether it is a row of such a trace at all. */
export function addRow(
  builder: ActivityBuilder,
  row: TraceRow,
  { line, timeOf }: { line: number; timeOf: TimeOf },
): boolean {
  const { problems } = builder;
  if (row.running !== undefined) {
    const [worker, born, gone] = [nameOf(row.running), timeOf(row, 'from'), timeOf(row, 'to')];
    if (worker === null || born === null || gone === null) problems.add('activity without worker or times', line);
    else builder.addRunning(worker, { born, gone, line });
    return true;
  }
  const isTransfer = row.type === 'comm';
  if (!isTransfer && row.worker === undefined) {
    problems.add('neither activity nor transfer', line);
    return false;
  }
  const [startNs, endNs] = [timeOf(row, 'start'), timeOf(row, 'end')];
  const name = row.name === undefined || row.name === null ? '' : String(row.name);
  if (startNs === null || endNs === null) {
    problems.add('time that is not a whole number of ns', line);
    return true;
  }
  if (isTransfer) {
    const [from, to] = [nameOf(row.from), nameOf(row.to)];
    const bytes = typeof row.bytes === 'number' && row.bytes >= 0 ? row.bytes : Number.NaN;
    if (from === null || to === null) problems.add('transfer without its sender or receiver', line);
    else builder.addTransfer({ from, to, startNs, endNs, name, bytes, line });
    return true;
  }
  const worker = nameOf(row.worker);
  const kind = ACTIVITY_KINDS.find((known) => known === row.type);
  if (worker === null) problems.add('activity without its worker', line);
  else if (kind === undefined) problems.add('unknown type of activity', line);
  else builder.addWork({ worker, startNs, endNs, kind, name, line });
  return true;
}

function nameOf(value: unknown): string | null {
  if (typeof value === 'string' && value !== '') return value;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : null;
}
