// Messages that were joined, in columns: edges between workers. Those to oneself are counted, and no edges.
import { EVENT, type TimelyEvent } from './event.ts';
import { Floats, Ints } from './growing.ts';
import type { Joins } from './joins.ts';

export const MESSAGE_NAMES = ['comm:data', 'comm:progress'] as const;

export class TimelyMessages {
  /** Workers by number; times by the clocks of their processes, ns; 0 data, 1 progress. */
  readonly from = new Ints();
  readonly to = new Ints();
  readonly sentNs = new Floats();
  readonly arrivedNs = new Floats();
  readonly name = new Ints();
  readonly counts = { data: 0, progress: 0, toOneself: 0, network: 0 };

  add({
    event,
    joined,
    joins,
    reader,
  }: {
    readonly event: TimelyEvent;
    readonly joined: 'local' | 'network';
    readonly joins: Joins;
    readonly reader: number;
  }): void {
    const isData = event.kind === EVENT.dataRead;
    this.counts[isData ? 'data' : 'progress'] += 1;
    if (joined === 'network') this.counts.network += 1;
    if (event.source === reader) {
      this.counts.toOneself += 1;
      return;
    }
    this.from.push(event.source);
    this.to.push(reader);
    this.sentNs.push(joins.sent);
    this.arrivedNs.push(joins.arrived);
    this.name.push(isData ? 0 : 1);
  }

  get length(): number {
    return this.from.length;
  }

  /** Keeps the edges for which `keep` says so (by row), in their order. */
  filter(keep: (row: number) => boolean): void {
    let kept = 0;
    const columns = [this.from, this.to, this.sentNs, this.arrivedNs, this.name];
    for (let row = 0; row < this.length; row += 1) {
      if (!keep(row)) continue;
      for (const column of columns) column.values[kept] = column.at(row);
      kept += 1;
    }
    for (const column of columns) column.length = kept;
  }
}
