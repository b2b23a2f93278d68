import { z } from 'zod';
import type { PeriodShares, Saturation } from '../../../analysis/dag/judge/judge.ts';
import { badInput } from '../../../base/errors.ts';
import { computePressure } from '../../../experiments/dag/dag-records.ts';
import { idRecord } from './id-record.ts';

const time = z.number().int().safe();

/** The life of an instance or channel, and the stretches of it in which it is WAITING, full or blocked; ns. */
export const trackSchema = z.object({ start: time, end: time, on: z.array(z.tuple([time, time])) });
export type Track = z.infer<typeof trackSchema>;

/** Tracks by id of a vertex (one per instance) or an edge (one per channel, or per producing instance). */
export const tracksSchema = z.object({
  waiting: idRecord(z.array(trackSchema)),
  full: idRecord(z.array(trackSchema)).default({}),
  /** By producing instance, in the order of its `waiting`. */
  blocked: idRecord(z.array(trackSchema)).default({}),
});
export type Tracks = z.infer<typeof tracksSchema>;

/** From when to when a period is; ns, end exclusive. */
export interface Span {
  readonly startNs: number;
  readonly endNs: number;
}

/**
 * Shares of each period by tracks: who begins or ends in a period counts with the part of it in which it lived. Errors: `badInput` for
 * a life that ends before it begins, and for stretches that are not sorted or overlap, of any list.
 */
export function sharesOfTracks(
  tracks: Tracks,
  {
    spans,
    edges,
    saturation,
  }: { readonly spans: readonly Span[]; readonly edges: readonly EdgeEnds[]; readonly saturation: Saturation },
): PeriodShares[] {
  for (const list of ['waiting', 'full', 'blocked'] as const) refuseDisorder(tracks[list], list);
  const waiting = mapTracks(tracks.waiting, (track) => onShares(track, spans));
  const saturated = saturatedShares(tracks, { spans, edges, waiting, saturation });
  return spans.map(({ startNs, endNs }, period) => ({
    ...{ startNs, endNs },
    processing: Object.fromEntries(
      [...waiting].map(([id, list]) => [id, list.map((shares) => less(1, shares[period]))]),
    ),
    saturated: Object.fromEntries(
      [...saturated].map(([id, list]) => [id, list.map((shares) => shares[period] ?? null)]),
    ),
  }));
}

interface EdgeEnds {
  readonly id: string;
  readonly from: string;
}

/** Of one track, its share in each period; null where it did not live. */
type Shares = readonly (number | null)[];
type SharesById = ReadonlyMap<string, readonly Shares[]>;

function saturatedShares(
  tracks: Tracks,
  {
    spans,
    edges,
    waiting,
    saturation,
  }: {
    readonly spans: readonly Span[];
    readonly edges: readonly EdgeEnds[];
    readonly waiting: SharesById;
    readonly saturation: Saturation;
  },
): SharesById {
  if (saturation === 'buffer') return mapTracks(tracks.full, (track) => onShares(track, spans));
  const blocked = mapTracks(tracks.blocked, (track) => onShares(track, spans));
  if (saturation === 'writer') return blocked;
  const producers = new Map(edges.map(({ id, from }) => [id, waiting.get(from) ?? []]));
  return new Map(
    [...blocked].map(([id, list]) => [
      id,
      list.map((shares, instance) => {
        const waits = producers.get(id)?.[instance];
        return shares.map((share, period) => {
          const wait = waits?.[period] ?? null;
          return share === null || wait === null ? null : computePressure(share, wait);
        });
      }),
    ]),
  );
}

function mapTracks(tracks: Tracks['waiting'], map: (track: Track) => Shares): SharesById {
  return new Map(Object.entries(tracks).map(([id, list]) => [id, list.map(map)]));
}

/** Share of its life in each period that a track is on. Periods are ascending, so one pass over both is enough. */
function onShares({ start, end, on }: Track, spans: readonly Span[]): Shares {
  let next = 0;
  return spans.map(({ startNs, endNs }) => {
    const [fromNs, toNs] = [Math.max(startNs, start), Math.min(endNs, end)];
    if (toNs <= fromNs) return null;
    while (next < on.length && (on[next]?.[1] ?? 0) <= fromNs) next += 1;
    let onNs = 0;
    for (let index = next; index < on.length; index += 1) {
      const [first, last] = on[index] as readonly [number, number];
      if (first >= toNs) break;
      onNs += Math.min(last, toNs) - Math.max(first, fromNs);
    }
    return onNs / (toNs - fromNs);
  });
}

function refuseDisorder(tracks: Tracks['waiting'], listed: string): void {
  for (const [id, list] of Object.entries(tracks)) {
    for (const [index, { start, end, on }] of list.entries()) {
      const where = `tracks.${listed}.${id}[${index}]`;
      if (end < start) throw badInput(`${where} ends at ${end} ns, before its start at ${start} ns: correct it.`);
      let lastNs = Number.NEGATIVE_INFINITY;
      for (const [first, last] of on) {
        if (last < first || first < lastNs) {
          throw badInput(`${where}: the interval from ${first} to ${last} is out of order or overlaps: sort them.`);
        }
        lastNs = last;
      }
    }
  }
}

function less(whole: number, share: number | null | undefined): number | null {
  return share === null || share === undefined ? null : whole - share;
}
