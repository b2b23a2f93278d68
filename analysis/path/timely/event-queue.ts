import { TimelyEvent } from './event.ts';

/** Copies of events in the order in which they came; taking one costs the same however many there are. */
export class EventQueue {
  private events: TimelyEvent[] = [];
  private taken = 0;

  get length(): number {
    return this.events.length - this.taken;
  }

  get first(): TimelyEvent | undefined {
    return this.events[this.taken];
  }

  push(event: TimelyEvent): void {
    this.events.push(Object.assign(new TimelyEvent(), event));
  }

  dropFirst(): void {
    this.taken += 1;
    if (this.taken * 2 < this.events.length) return;
    this.events = this.events.slice(this.taken);
    this.taken = 0;
  }
}
