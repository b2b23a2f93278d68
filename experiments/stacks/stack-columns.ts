// What a profiler saw of a run's ranks, folded: stacks.parquet. docs/tables.md lists them.
import type { TraceColumn } from '../trace.ts';

interface StackColumn extends Pick<TraceColumn, 'name' | 'meaning'> {
  readonly type: 'INTEGER' | 'BIGINT' | 'VARCHAR' | 'DOUBLE';
}

/** What a rank did while its stack was as it was. */
export const STACK_KINDS = ['cpu', 'wait', 'queued'] as const;
export type StackKind = (typeof STACK_KINDS)[number];

export const STACK_COLUMNS: readonly StackColumn[] = [
  { name: 'host', type: 'VARCHAR', meaning: 'where' },
  { name: 'rank', type: 'INTEGER', meaning: 'the MPI rank, from 0' },
  {
    name: 'search',
    type: 'INTEGER',
    meaning: 'index of the timed run; NULL outside of timed runs, or when none are traced',
  },
  { name: 'phase', type: 'VARCHAR', meaning: 'the innermost traced phase; NULL where none is' },
  {
    name: 'kind',
    type: 'VARCHAR',
    meaning: '`cpu`: running; `wait`: asleep; `queued`: ready to run but without a CPU',
  },
  { name: 'stack', type: 'VARCHAR', meaning: 'functions from the outermost inwards, separated by `;`' },
  { name: 'samples', type: 'BIGINT', meaning: 'number of samples' },
  { name: 'seconds', type: 'DOUBLE', meaning: 'time in this state' },
];

/** One row of the table; `stack` is an index. */
export interface StackRow {
  readonly host: string;
  readonly rank: number;
  readonly search: number | null;
  readonly phase: string | null;
  readonly kind: StackKind;
  readonly stack: number;
  readonly samples: number;
  readonly seconds: number;
}

/** Rows, and the different stacks that they point at. */
export interface StackTable {
  readonly stacks: readonly string[];
  readonly rows: readonly StackRow[];
}
