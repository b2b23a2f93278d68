import type { Host, Inventory } from '../../inventory/index.ts';

/** What a launcher is asked to start. */
export interface Launch {
  readonly inventory: Inventory;
  /** The hosts of the run in rank order. */
  readonly hosts: readonly Host[];
  readonly ranksPerNode: number;
  readonly argv: readonly string[];
}

/** A rank that a signal ended, as far as the launcher names it. */
export interface RankDeath {
  readonly signal: number;
  readonly rank: number | undefined;
  readonly host: string | undefined;
  readonly pid: number | undefined;
}

/** One way to start an MPI job. */
export interface Launcher {
  /** Its program, unless the inventory names another. */
  readonly command: string;
  /** What compiles for its MPI, the likeliest first, where the inventory names no command of its own beside one. */
  readonly compilers: readonly string[];
  /** The argument list that runs on the head host. */
  argv(launch: Launch): readonly string[];
  /** What its error output says when the cluster, not the program, was the reason. */
  readonly faults: RegExp;
  /** The host that such an error output names, as the group `host`. */
  readonly lostHost: RegExp;
  /** The rank that died first by a signal; null where the error output tells none. */
  death(stderr: string): RankDeath | null;
  /** Whether it ended as it does when it is told to by a signal that it catches. */
  wasToldToEnd(exitCode: number | null, stderr: string): boolean;
}
