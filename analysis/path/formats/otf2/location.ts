import type { Slice } from '../../activities.ts';

/** A stretch of time in the innermost region. */
export interface Piece extends Slice {
  readonly region: number;
}

export interface Send {
  readonly from: number;
  readonly to: number;
  /** Communicator and tag: between two locations messages of one channel arrive in their order. */
  readonly channel: string;
  readonly atNs: number;
  readonly bytes: number;
  readonly line: number;
}

/** A message that is complete at `atNs`, in a call that could wait for it from `beganNs` on. */
export interface Receive extends Send {
  /** Of its receiver's calls, divided where they send: of several messages in one part only one can have been the last. */
  readonly part: number;
  readonly beganNs: number;
  /** In the order in which messages of one channel are matched. */
  readonly posted: number;
}

export interface Collective {
  readonly location: number;
  readonly comm: number;
  readonly operation: string;
  /** Location; -1 where there is none. */
  readonly root: number;
  readonly bytes: number;
  readonly beganNs: number;
  readonly endedNs: number;
  readonly line: number;
}

interface Call {
  readonly region: number;
  /** Since when nothing was sent in it. */
  beganNs: number;
  part: number;
}

/** What happens on one location of an OTF2 trace, event by event. Each method answers whether the event has its partner. */
export class Location {
  readonly pieces: Piece[] = [];
  lastNs = 0;
  readonly #calls: Call[] = [];
  readonly #posted = new Map<string, number>();
  readonly #collectives: number[] = [];
  #sinceNs = 0;
  #count = 0;
  #parts = 0;

  enter(region: number, atNs: number): void {
    this.#cut(atNs);
    this.#parts += 1;
    this.#calls.push({ region, beganNs: atNs, part: this.#parts });
  }

  leave(region: number, atNs: number): boolean {
    if (this.#calls.at(-1)?.region !== region) return false;
    this.#cut(atNs);
    this.#calls.pop();
    return true;
  }

  send(atNs: number): void {
    const call = this.#calls.at(-1);
    if (call === undefined) return;
    this.#parts += 1;
    [call.beganNs, call.part] = [atNs, this.#parts];
  }

  post(request: string): void {
    this.#count += 1;
    this.#posted.set(request, this.#count);
  }

  receive(atNs: number, request: string | undefined): Pick<Receive, 'part' | 'beganNs' | 'posted'> {
    this.#count += 1;
    const posted = this.#posted.get(request ?? '') ?? this.#count;
    if (request !== undefined) this.#posted.delete(request);
    const call = this.#calls.at(-1);
    this.#parts += 1;
    return { posted, part: call?.part ?? this.#parts, beganNs: call?.beganNs ?? atNs };
  }

  beginCollective(atNs: number): void {
    this.#collectives.push(atNs);
  }

  /** When the collective that ends began; null if it did not. */
  endCollective(): number | null {
    return this.#collectives.pop() ?? null;
  }

  /** Calls that are still open end with the location's last event. Answers how many there are. */
  close(): number {
    this.#cut(this.lastNs);
    return this.#calls.length;
  }

  #cut(atNs: number): void {
    const region = this.#calls.at(-1)?.region;
    if (region !== undefined && atNs > this.#sinceNs) this.pieces.push({ startNs: this.#sinceNs, endNs: atNs, region });
    this.#sinceNs = atNs;
  }
}
