import type { Host, Inventory } from '../../inventory/inventory-schema.ts';
import type { Daemon } from './daemon.ts';

/** What a launcher is asked to start. */
export interface Launch {
  readonly inventory: Inventory;
  /** The hosts of the run in rank order. */
  readonly hosts: readonly Host[];
  readonly ranksPerNode: number;
  /** Of each rank, where there are several: it may use as many cores. */
  readonly threads?: number | undefined;
  readonly argv: readonly string[];
  /** On the host where the launcher runs: a file with the host of each rank, a line each, for one that `readsHostFile`. */
  readonly hostFile?: string | undefined;
  /** A program on the head that takes ssh's place for what the launcher starts on other hosts. */
  readonly agent?: string | undefined;
  /** The name of the data interface, where it is the same on all hosts. */
  readonly link?: string | undefined;
}

/** A rank that a signal ended, as far as the launcher names it. */
export interface RankDeath {
  readonly signal: number;
  readonly rank: number | undefined;
  readonly host: string | undefined;
  readonly pid: number | undefined;
}

/** Why no run can start until something is changed: in what was asked for, or on the cluster. */
export interface Refusal {
  readonly kind: 'badInput' | 'infrastructure';
  /** One sentence. */
  readonly text: string;
}

/**
 * What launchers of every kind print when the cluster, not the program, was the reason: SSH between hosts, and what a program
 * needs before its first line.
 */
const EVERYWHERE =
  /Host key verification failed|Permission denied \(publickey|Connection (refused|reset|timed out)|No route to host|Could not resolve hostname|error while loading shared libraries/;

/** The words of one launcher and those of all. */
export function faultPattern(own: RegExp): RegExp {
  return new RegExp(`${own.source}|${EVERYWHERE.source}`);
}

/** One way to start an MPI job. */
export interface Launcher {
  /** Its program, unless the inventory names another. */
  readonly command: string;
  /** What the program says at `--version`, where those of other MPIs have its name too; null where the name tells. */
  readonly says: string | null;
  /** The MPI whose programs it starts; null where it starts those of several. */
  readonly library: 'Open MPI' | 'MPICH' | null;
  /** What compiles for its MPI, the likeliest first, where the inventory names no command of its own beside one. */
  readonly compilers: readonly string[];
  /** The argument list that runs on the head host. */
  argv(launch: Launch): readonly string[];
  /** What it starts on other hosts over SSH, by the way of `Launch.agent`; null where nothing is. */
  readonly daemon: Daemon | null;
  /** What its error output says when the cluster, not the program, was the reason. */
  readonly faults: RegExp;
  /** The host that such an error output names, as the group `host`. */
  readonly lostHost: RegExp;
  /** The rank that died first by a signal; null where the error output tells none. */
  death(stderr: string): RankDeath | null;
  /** Whether it ended as it does when it is told to by a signal that it catches. */
  wasToldToEnd?(exitCode: number | null, stderr: string): boolean;
  /** The ranks of a run are a step of a scheduler's job, which its head takes part in. */
  readonly startsSteps?: true;
  readonly readsHostFile?: true;
  /** The version, by what `--version` says, of an MPI whose ranks may never leave MPI_Finalize by themselves; null for any other. */
  mayHang?(version: string): string | null;
  /** The exit code of the rank that ended first, by itself (128 + a signal), where the launcher's own tells of others; else null. */
  ownExit?(stderr: string): number | null;
  /** What it says, at any exit code, of a job that others ended; null where it says nothing of that. */
  endedByOthers?(stderr: string): string | null;
  /** The rank that crashed before the program said anything, which is the launcher's fault as likely as the program's. */
  crashAtStart?(printed: { readonly stdout: string; readonly stderr: string }): RankDeath | null;
  /** Null where another try may do. */
  refusal?(stderr: string): Refusal | null;
  /** Whether the job waits for its hosts, by what was said so far: that is no time of the program's. */
  isWaiting?(stderr: string): boolean;
}
