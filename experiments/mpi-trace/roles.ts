/** Whom a call of MPI waits for. */
export type Role =
  /** The last of all ranks, the root, the last of all ranks at the root alone, the last of the lower ranks. */
  | 'all'
  | 'from-root'
  | 'to-root'
  | 'prefix'
  /** Somebody whom the record does not name: locks of windows, probes. */
  | 'others'
  | 'files'
  /** Nobody. */
  | 'none';

const ALL =
  /^MPI_(Finalize|Barrier|Allgatherv?|Alltoall[vw]?|Allreduce|Reduce_scatter(_block)?|Neighbor_\w+|Comm_(dup|dup_with_info|split|split_type|create|spawn|spawn_multiple)|Cart_(create|sub)|Graph_create|Dist_graph_create(_adjacent)?|Intercomm_(create|merge)|Win_(create|allocate|allocate_shared|create_dynamic|free|fence))$/;
const OTHERS =
  /^MPI_(Wait(all|any|some)?|Recv|Mrecv|Sendrecv(_replace)?|M?[Pp]robe|Ssend|Win_(start|complete|wait|lock|lock_all|unlock|unlock_all|flush|flush_all)|Comm_(free|disconnect|create_group))$/;

/** By the name of a call; of one that only begins, what waits for it later waits so (see `blockingName`). */
export function roleOf(name: string): Role {
  if (ALL.test(name)) return 'all';
  if (/^MPI_(Bcast|Scatterv?)$/.test(name)) return 'from-root';
  if (/^MPI_(Reduce|Gatherv?)$/.test(name)) return 'to-root';
  if (/^MPI_(Scan|Exscan)$/.test(name)) return 'prefix';
  if (name.startsWith('MPI_File_')) return 'files';
  return OTHERS.test(name) ? 'others' : 'none';
}

/** MPI_Iallreduce -> MPI_Allreduce; null for a call that does not begin another one. */
export function blockingName(name: string): string | null {
  const begun = /^MPI_I([a-z_]+)$/.exec(name)?.[1];
  if (begun === undefined) return null;
  const whole = `MPI_${begun.charAt(0).toUpperCase()}${begun.slice(1)}`;
  return roleOf(whole) === 'none' ? null : whole;
}
