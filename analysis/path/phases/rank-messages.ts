// Recorded messages by the rank that waited for them: what ended each of its waits, and since when that was on its way.
import { at } from '../../../base/lists.ts';
import type { Problem } from '../../problems.ts';
import { type MessageColumns, matchMessages } from '../match-messages.ts';
import { problem } from './rank-phases.ts';

/** What ended a wait: a message that a rank received, or its own one, for whose buffer it waited. Times in ns on one clock. */
export interface Sight {
  /** The row of the message's send, by which both of its ends are known. */
  readonly send: number;
  readonly rank: number;
  /** The rank at the other end. */
  readonly peer: number;
  readonly isOwn: boolean;
  /** When the rank saw that the message had arrived, or that the buffer of its own was free. */
  readonly seenNs: number;
  /** When its sender handed it over; the last instant before it was seen where clocks say later. */
  readonly handedNs: number;
  /** How long the rank had been waiting when it saw it; 0: it was there already; NaN where it is not known. */
  readonly waitedNs: number;
  /** What its sender lacked a processor as it handed it over, and the rank before it saw it. */
  readonly senderIdleNs: number;
  readonly idleNs: number;
  /** NaN where they are not known. */
  readonly bytes: number;
}

export interface RankMessages {
  /** By rank, in the order in which it saw them. */
  readonly seen: readonly (readonly Sight[])[];
  /** What was received, in the order in which it was handed over. */
  readonly sent: readonly Sight[];
  readonly problems: readonly Problem[];
}

/**
 * Joins both ends of messages; sends are kept where the rank waited for their buffer. A message without its send or receive, of a
 * rank that the run lacks, or seen before it was handed over (by the clocks) is named by its entry (from 1). `onClock` puts a rank's
 * stamp on the common clock.
 */
export function rankMessages(
  columns: MessageColumns,
  { ranks, onClock }: { readonly ranks: number; readonly onClock: (rank: number, ns: number) => number },
): RankMessages {
  const { worker, peer, kind, timeNs, doneNs, waitedNs, queuedNs, bytes } = columns;
  const { messages, alone, strange } = matchMessages(columns, ranks);
  /** Entries of what was seen before it was handed over. */
  const early = new Map<Sight, number>();
  const sightOf = (row: number, send: number): Sight => {
    const [rank, isOwn, known] = [at(worker, row), row === send, at(bytes, row)];
    const seenNs = onClock(rank, at(isOwn ? doneNs : timeNs, row));
    const handedNs = onClock(at(worker, send), at(timeNs, send));
    const sight = {
      ...{ send, rank, peer: at(peer, row), isOwn, seenNs, waitedNs: at(waitedNs, row) },
      // On clocks that are apart no message may lead back to its own beginning.
      handedNs: handedNs > seenNs ? seenNs - 1 : handedNs,
      ...{ senderIdleNs: at(queuedNs, send) || 0, idleNs: isOwn ? 0 : at(queuedNs, row) || 0 },
      bytes: Number.isNaN(known) ? at(bytes, send) : known,
    };
    if (handedNs > seenNs) early.set(sight, row + 1);
    return sight;
  };
  const isStrange = new Set(strange);
  const awaited = [...worker.keys()].filter(
    (row) => kind[row] === 'send' && at(waitedNs, row) > 0 && !Number.isNaN(at(doneNs, row)) && !isStrange.has(row),
  );
  const sights = [...awaited.map((row) => sightOf(row, row)), ...messages.map((one) => sightOf(one.receive, one.send))];
  const seen = Array.from({ length: ranks }, (): Sight[] => []);
  for (const sight of sights.sort((a, b) => a.seenNs - b.seenNs)) seen[sight.rank]?.push(sight);
  return {
    seen,
    sent: seen
      .flat()
      .filter(({ isOwn }) => !isOwn)
      .sort((a, b) => a.handedNs - b.handedNs),
    problems: [
      problem(
        'message of a rank that the run does not have',
        strange.map((row) => row + 1),
      ),
      problem(
        'message without its send or receive',
        alone.map((row) => row + 1),
      ),
      problem(
        'message that arrived before it was sent',
        seen.flat().flatMap((sight) => early.get(sight) ?? []),
      ),
    ].filter(({ count }) => count > 0),
  };
}
