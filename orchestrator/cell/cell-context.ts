import type { Workload } from '../../experiments/workloads/workload.ts';
import type { Cluster } from '../hosts/cluster.ts';
import type { ProbedHost } from '../hosts/facts.ts';
import type { JobKeeper } from './job-keeper.ts';
import type { LinkKeeper } from './link-keeper.ts';

/** What measuring a cell needs beside the cell and its hosts. */
export interface CellContext {
  readonly cluster: Cluster;
  readonly workload: Workload;
  readonly seed: number;
  readonly links: LinkKeeper;
  readonly jobs: JobKeeper;
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
}
