// Operators of one worker: which executions count, and since when each has not run.
import type { Declaration } from './event.ts';

/** Timely's placeholder for a scope's own inputs and outputs; it has no operator. */
const PLACEHOLDER = -1;
const NONE = -1;

/** Operators by a number of their own, small and dense. The order of their last starts tells whether every one has run since an instant. */
export class Operators {
  /** All that are neither subgraphs nor shut down, by their last start. */
  readonly byStart = new StartOrder();
  /** Those whose last execution did something, by its start. */
  readonly activeByStart = new StartOrder();
  /** By operator: position in the log and instant (ns) of the last start; what `reads` held then (`WorkerLog`). */
  readonly lastPosition: number[] = [];
  readonly lastStart: number[] = [];
  readonly seenNews: number[] = [];
  readonly names: string[] = [];
  private parkingNumber = -1;
  private readonly numbers = new Map<number, number>();
  private readonly addresses = new Map<string, number>();
  private readonly scopes = new Set<string>();
  private readonly isSubgraph: boolean[] = [];

  declare(id: number, { name, address }: Declaration): void {
    const number = this.numberOf(id, name);
    this.addresses.set(address.join('.'), number);
    if (this.scopes.has(address.join('.'))) this.makeSubgraph(number);
    for (let length = 1; length < address.length; length += 1) {
      const scope = address.slice(0, length).join('.');
      this.scopes.add(scope);
      const subgraph = this.addresses.get(scope);
      if (subgraph !== undefined) this.makeSubgraph(subgraph);
    }
  }

  /** The operator whose executions are told apart by `id`; -1 for subgraphs and the placeholder, whose executions hold others. */
  find(id: number): number {
    const known = this.numbers.get(id);
    if (known !== undefined) return this.isSubgraph[known] ? -1 : known;
    return id === PLACEHOLDER ? -1 : this.numberOf(id, '?');
  }

  /** What a worker that sleeps until something arrives is said to run; it is no operator whose turn others wait for. */
  parking(): number {
    if (this.parkingNumber < 0) {
      this.parkingNumber = this.names.length;
      this.add('Park');
      this.byStart.remove(this.parkingNumber);
    }
    return this.parkingNumber;
  }

  /** An execution begins at `t` (ns) and `position` of the log; `news` have come so far. */
  started(number: number, { t, position, news }: { t: number; position: number; news: number }): void {
    this.lastStart[number] = t;
    this.lastPosition[number] = position;
    this.seenNews[number] = news;
    this.activeByStart.remove(number);
    if (number !== this.parkingNumber) this.byStart.toEnd(number);
  }

  shutDown(id: number): void {
    const number = this.numbers.get(id);
    if (number === undefined) return;
    this.byStart.remove(number);
    this.activeByStart.remove(number);
  }

  private numberOf(id: number, name: string): number {
    const number = this.numbers.get(id) ?? this.names.length;
    this.numbers.set(id, number);
    if (number === this.names.length) this.add(`${name}#${id}`);
    return number;
  }

  private add(name: string): void {
    this.byStart.toEnd(this.names.length);
    this.names.push(name);
    this.isSubgraph.push(false);
    this.lastPosition.push(-1);
    this.lastStart.push(Number.NEGATIVE_INFINITY);
    this.seenNews.push(0);
  }

  private makeSubgraph(number: number): void {
    this.isSubgraph[number] = true;
    this.byStart.remove(number);
  }
}

/** Small numbers in an order; any may leave or go to the end. */
class StartOrder {
  // A set has its items in the order in which they were added.
  private readonly items = new Set<number>();

  /** The one that is longest in it; -1 where there is none. */
  get first(): number {
    for (const item of this.items) return item;
    return NONE;
  }

  /** Puts an item at the end, wherever it was. */
  toEnd(item: number): void {
    this.items.delete(item);
    this.items.add(item);
  }

  remove(item: number): void {
    this.items.delete(item);
  }
}
