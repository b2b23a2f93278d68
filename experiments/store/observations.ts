import { badInput } from '../../base/errors.ts';
import { communicationShareOf } from '../communication-share.ts';
import type { Cell, CellRecord, Observation } from '../records.ts';
import { threadsOf } from './programs.ts';

/**
 * One row per timed run of the good cells, with the seconds of it that were communication where its trace told, ordered by scale, nodes, falling bandwidth, repetition, cell and run. By default
 * those that models may see: the measurements, without the drift baselines.
 */
export function listObservations(
  records: Iterable<CellRecord>,
  { roles = ['measure'] }: { readonly roles?: readonly Cell['role'][] } = {},
): (Observation & { readonly run: number; readonly teps: number | null; readonly communication: number | null })[] {
  return [...records]
    .filter(({ status, cell }) => status === 'ok' && roles.includes(cell.role))
    .sort(({ cell: a }, { cell: b }) => inOrder(a, b) || (a.id < b.id ? -1 : 1))
    .flatMap(({ cell: { scale, nodes, ranks, bw, rep, params }, runs, summary }) => {
      const threads = threadsOf(params);
      const share = communicationShareOf(summary);
      return runs.map(({ index, ct, teps }) => {
        const communication = share === null ? null : share * ct;
        const place = { scale, nodes, ranks, bw, ...(threads === 1 ? {} : { threads }), rep, run: index };
        return { ...place, ct, teps, communication };
      });
    });
}

/** The measurements among some records of a campaign. Errors: `badInput` where there is none. */
export function measuredRows(dir: string, records: readonly CellRecord[]): ReturnType<typeof listObservations> {
  const rows = listObservations(records);
  if (rows.length === 0) throw badInput(`${dir} has no measured cell yet: run its sweep first.`);
  return rows;
}

/** The order in which cells are listed: scale, nodes, falling bandwidth, repetition. */
export function inOrder(a: Cell, b: Cell): number {
  return a.scale - b.scale || a.nodes - b.nodes || b.bw - a.bw || a.rep - b.rep;
}
