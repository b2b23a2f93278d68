import { queryRoots, type RootQuery } from './query-roots.ts';

/** One row per timed search, in columns of equal length: bw percent, ct seconds, teps NaN where unknown. */
export interface Observations {
  readonly length: number;
  readonly scale: Float64Array;
  readonly nodes: Float64Array;
  readonly ranks: Float64Array;
  readonly bw: Float64Array;
  readonly rep: Float64Array;
  readonly root: Float64Array;
  readonly ct: Float64Array;
  readonly teps: Float64Array;
  /** Ids of the rows' cells, if asked for. */
  readonly cell?: readonly string[];
}

const NUMBERS = ['scale', 'nodes', 'ranks', 'bw', 'rep', 'root', 'ct', 'teps'] as const;

/**
 * All timed searches of a campaign's good cells, ordered by scale, nodes, falling bandwidth, repetition and root.
 * `cells` adds each row's cell id. Damaged Parquet is a `badInput` error that names the file.
 */
export async function observations(
  dir: string,
  { roles, cells = false }: RootQuery & { readonly cells?: boolean } = {},
): Promise<Observations> {
  const numbers = NUMBERS.map((name) => `coalesce(${name}::DOUBLE, 'nan'::DOUBLE) AS ${name}`);
  const order = 'ORDER BY scale, nodes, bw DESC, rep, cell, root';
  const result = await queryRoots(
    dir,
    { roles },
    (from) => `SELECT ${numbers.join(', ')}${cells ? ', cell' : ''} ${from} ${order}`,
  );
  const length = Number(result?.rowCount ?? 0);
  const column = (): Float64Array => new Float64Array(length);
  const columns = {
    scale: column(),
    nodes: column(),
    ranks: column(),
    bw: column(),
    rep: column(),
    root: column(),
    ct: column(),
    teps: column(),
  };
  const ids: string[] = [];
  let offset = 0;
  for (let chunk = await result?.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result?.fetchChunk()) {
    for (const [index, name] of NUMBERS.entries()) {
      const target = columns[name];
      const vector = chunk.getColumnVector(index);
      for (let row = 0; row < chunk.rowCount; row += 1) target[offset + row] = Number(vector.getItem(row));
    }
    if (cells) for (const id of chunk.getColumnValues(NUMBERS.length)) ids.push(String(id));
    offset += chunk.rowCount;
  }
  return { length, ...columns, ...(cells && { cell: ids }) };
}
