import { z } from 'zod';
import { cellSchema } from '../records.ts';
import { queryRoots, type RootQuery } from './query-roots.ts';

const rowSchema = z.object({
  cell: cellSchema.shape.id,
  role: cellSchema.shape.role,
  scale: z.number(),
  nodes: z.number(),
  ranks: z.number(),
  bw: z.number(),
  rep: z.number(),
  /** Timed searches. */
  count: z.number(),
  meanCt: z.number(),
  medianCt: z.number(),
  minCt: z.number(),
  maxCt: z.number(),
  /** Null where the workload knows no TEPS. */
  harmonicMeanTeps: z.number().nullable(),
});
/** A cell and its statistics: times in seconds. */
export type CellRow = z.infer<typeof rowSchema>;

/** One row per good cell (drift baselines too, unless `roles` leaves them out), ordered as observations are. */
export async function cellTable(
  dir: string,
  { roles = ['measure', 'drift'] }: RootQuery = {},
): Promise<readonly CellRow[]> {
  const result = await queryRoots(
    dir,
    { roles },
    (from) => `SELECT cell, any_value("role") AS "role", any_value(scale) AS scale, any_value(nodes) AS nodes,
        any_value(ranks) AS ranks, any_value(bw) AS bw, any_value(rep) AS rep, count(*)::DOUBLE AS count,
        avg(ct) AS "meanCt", median(ct) AS "medianCt", min(ct) AS "minCt", max(ct) AS "maxCt",
        count(teps) / sum(1 / teps) AS "harmonicMeanTeps"
      ${from} GROUP BY cell ORDER BY scale, nodes, bw DESC, rep, "role" DESC, cell`,
  );
  return z.array(rowSchema).parse((await result?.getRowObjectsJS()) ?? []);
}
