import type { Host, Inventory } from '../../inventory/index.ts';

/** What a launcher is asked to start. */
export interface Launch {
  readonly inventory: Inventory;
  /** The hosts of the run in rank order. */
  readonly hosts: readonly Host[];
  readonly ranksPerNode: number;
  readonly argv: readonly string[];
}

/** One way to start an MPI job. */
export interface Launcher {
  /** Its program, unless the inventory names another. */
  readonly command: string;
  /** The argument list that runs on the head host. */
  argv(launch: Launch): readonly string[];
  /** What its error output says when the cluster, not the program, was the reason. */
  readonly faults: RegExp;
}
