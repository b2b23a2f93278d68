import type { Cell, Proof } from '../../experiments/records.ts';
import type { Workload } from '../../experiments/workloads/workload.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import type { Cluster } from '../hosts/cluster.ts';
import type { ProbedHost } from '../hosts/facts.ts';
import type { JobKeeper } from './job-keeper.ts';
import type { LinkKeeper } from './link-keeper.ts';

/** What measuring a cell needs beside the cell; the first of the cluster's hosts are its own. */
export interface CellContext {
  readonly cluster: Cluster;
  readonly workload: Workload;
  readonly seed: number;
  readonly links: LinkKeeper;
  readonly jobs: JobKeeper;
  /** Other hosts of the sweep, on which it may measure at the same time. */
  readonly beside: readonly Host[];
  readonly probed: ReadonlyMap<string, ProbedHost>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The folder of each dataset of the workload, the same on every host. */
  readonly datasets: ReadonlyMap<string, string>;
  /** Where outputs go that are too long for memory, until they are stored. */
  readonly outputFolder: string;
  /** No other try follows. */
  readonly isLastTry: boolean;
  /** Told what the workload says of its progress. */
  readonly note?: (text: string) => void;
  /** Told once the links are as a cell needs them, with the probes; `isNew` is false where an earlier proof holds. */
  readonly onLevel?: (cell: Cell, level: Omit<Proof, 'classes'>, isNew: boolean) => void;
}
