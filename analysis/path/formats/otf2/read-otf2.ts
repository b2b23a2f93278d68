import { badInput } from '../../../../base/errors.ts';
import { groupBy } from '../../../../base/lists.ts';
import { ActivityBuilder, type ReadActivities } from '../activity-builder.ts';
import { Definitions, lastId } from './definitions.ts';
import { joinCollectives, joinMessages, type Wait } from './join-calls.ts';
import { type Collective, Location, type Piece, type Receive, type Send } from './location.ts';
import { type Otf2Record, printRecords } from './print-records.ts';

/** Events that say nothing about who did or awaited what. */
const SILENT = new Set(['MPI_ISEND_COMPLETE', 'MPI_REQUEST_TEST', 'METRIC', 'MEASUREMENT_ON_OFF']);

/**
 * An OTF2 archive by its anchor file: regions become activities (the innermost counts), messages and collectives transfers and
 * waits; every location runs from the first event of the trace to its own last one. Null for a file that is not called *.otf2.
 * What is not used is in `problems`, with lines of what `otf2-print -A --timestamps=offset` prints.
 */
export async function readOtf2(anchor: string): Promise<ReadActivities | null> {
  if (!anchor.endsWith('.otf2')) return null;
  const trace = new Otf2Trace();
  for await (const records of printRecords(anchor)) for (const record of records) trace.add(record);
  return trace.finish(anchor);
}

class Otf2Trace {
  readonly #definitions = new Definitions();
  readonly #locations = new Map<number, Location>();
  readonly #builder = new ActivityBuilder();
  readonly #sends: Send[] = [];
  readonly #receives: Receive[] = [];
  readonly #collectives: Collective[] = [];
  #events = 0;

  add(record: Otf2Record): void {
    if (!record.event) {
      this.#definitions.add(record);
      return;
    }
    this.#events += 1;
    const { keyword, id, ticks, text, line } = record;
    const atNs = Math.round((ticks * 1e9) / this.#definitions.ticksPerSecond);
    const location = this.#locations.get(id) ?? new Location();
    this.#locations.set(id, location);
    if (atNs < location.lastNs) this.#builder.problems.add('time stamp that decreases', line);
    location.lastNs = Math.max(location.lastNs, atNs);
    const region = Number(/<(\d+)>\s*$/.exec(text)?.[1] ?? -1);
    switch (keyword) {
      case 'ENTER':
        location.enter(region, atNs);
        return;
      case 'LEAVE':
        if (!location.leave(region, atNs)) this.#builder.problems.add('LEAVE of a region that was not entered', line);
        return;
      case 'MPI_SEND':
      case 'MPI_ISEND':
        location.send(atNs);
        this.#message(record, (to, rest) => this.#sends.push({ from: id, to, atNs, ...rest }));
        return;
      case 'MPI_IRECV_REQUEST':
        location.post(/Request: (\d+)/.exec(text)?.[1] ?? '');
        return;
      case 'MPI_RECV':
      case 'MPI_IRECV': {
        const call = location.receive(atNs, keyword === 'MPI_IRECV' ? /, Request: (\d+)/.exec(text)?.[1] : undefined);
        this.#message(record, (from, rest) => this.#receives.push({ from, to: id, atNs, ...call, ...rest }));
        return;
      }
      case 'MPI_COLLECTIVE_BEGIN':
        location.beginCollective(atNs);
        return;
      case 'MPI_COLLECTIVE_END':
        this.#collective(record, location.endCollective(), atNs);
        return;
      default:
        if (!SILENT.has(keyword)) this.#builder.problems.add(`unused event ${keyword}`, line);
    }
  }

  finish(anchor: string): ReadActivities {
    if (this.#locations.size === 0) throw badInput(`${anchor} has no events, so there is no critical path.`);
    const builder = this.#builder;
    const missing = this.#definitions.announcedEvents - this.#events;
    if (missing > 0) builder.problems.add('event that the archive announces but does not contain', 0, missing);
    const names = this.#definitions.nameLocations([...this.#locations.keys()].sort((a, b) => a - b));
    const nameOf = (location: number) => names.get(location) ?? `location ${location}`;
    const messages = joinMessages(this.#sends, this.#receives, builder.problems);
    const collectives = joinCollectives(this.#collectives, this.#definitions, builder.problems);
    const waits = [...messages.waits, ...collectives.waits].sort((a, b) => a.startNs - b.startNs);
    const waitsOf = new Map(groupBy(waits, ({ location }) => String(location)).map((own) => [own[0]?.location, own]));
    let bornNs = Number.POSITIVE_INFINITY;
    for (const { pieces, lastNs } of this.#locations.values()) bornNs = Math.min(bornNs, pieces[0]?.startNs ?? lastNs);
    for (const [id, location] of this.#locations) {
      if (location.close() > 0) builder.problems.add('region without a LEAVE', 0);
      const worker = nameOf(id);
      builder.addRunning(worker, { born: Math.min(bornNs, location.lastNs), gone: location.lastNs, line: 0 });
      const own = waitsOf.get(id) ?? [];
      for (const { startNs, endNs, region } of outside(location.pieces, own)) {
        const { name, isFile } = this.#definitions.region(region);
        builder.addWork({ worker, startNs, endNs, kind: isFile ? 'io' : 'op', name, line: 0 });
      }
      for (const { startNs, endNs } of own) {
        builder.addWork({ worker, startNs, endNs, kind: 'wait', name: '', line: 0 });
      }
    }
    for (const { from, to, ...transfer } of [...messages.transfers, ...collectives.transfers]) {
      builder.addTransfer({ ...transfer, from: nameOf(from), to: nameOf(to) });
    }
    return builder.finish();
  }

  #message({ text, line }: Otf2Record, use: (partner: number, rest: Omit<Send, 'from' | 'to' | 'atNs'>) => void): void {
    // Names may hold anything: what stands behind the last of them counts.
    const tagAt = text.lastIndexOf('>, Tag: ');
    const commAt = text.lastIndexOf('>), Communicator: ', tagAt);
    const [, tag, length] = /^>, Tag: (\d+), Length: (\d+)/.exec(text.slice(tagAt)) ?? [];
    const [partner, comm] = [lastId(text.slice(0, commAt + 1)), lastId(text.slice(0, tagAt + 1))];
    if (!/^(?:Receiver|Sender): /.test(text) || commAt < 0 || tag === undefined || partner < 0 || comm < 0) {
      this.#builder.problems.add('message whose partner is not defined', line);
      return;
    }
    use(partner, { channel: `${comm} ${tag}`, bytes: Number(length), line });
  }

  #collective({ id, text, line }: Otf2Record, beganNs: number | null, endedNs: number): void {
    const [, operation] = /^Operation: (\S+), Communicator: /.exec(text) ?? [];
    const [rootAt, sentAt] = [text.indexOf('>, Root: '), text.lastIndexOf(', Sent: ')];
    const [, sent, received] = /^, Sent: (\d+), Received: (\d+)/.exec(text.slice(sentAt)) ?? [];
    const [comm, root] = [lastId(text.slice(0, rootAt + 1)), lastId(text.slice(rootAt + 1, sentAt))];
    if (operation === undefined || comm < 0 || sent === undefined || sentAt < rootAt || beganNs === null) {
      this.#builder.problems.add('collective without its beginning or communicator', line);
      return;
    }
    this.#collectives.push({
      ...{ location: id, comm, operation, beganNs, endedNs, line, root },
      bytes: Number(sent) + Number(received),
    });
  }
}

/** The parts of pieces that are in no wait; both ascend. */
function* outside(pieces: readonly Piece[], waits: readonly Wait[]): Generator<Piece> {
  let next = 0;
  for (const piece of pieces) {
    while (next < waits.length && (waits[next] as Wait).endNs <= piece.startNs) next += 1;
    let fromNs = piece.startNs;
    for (let index = next; index < waits.length && (waits[index] as Wait).startNs < piece.endNs; index += 1) {
      const { startNs, endNs } = waits[index] as Wait;
      if (startNs > fromNs) yield { ...piece, startNs: fromNs, endNs: startNs };
      fromNs = Math.max(fromNs, endNs);
    }
    if (fromNs < piece.endNs) yield { ...piece, startNs: fromNs };
  }
}
