import { join } from 'node:path';
import { infrastructure, PredictError } from '../../base/errors.ts';
import { createDagRun, type DagRunWriter } from '../../experiments/dag/write-run.ts';
import type { Cell } from '../../experiments/records.ts';
import type { RunOutput, Watch } from '../../experiments/workloads/workload.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import { pipesSource } from '../dag/pipes/pipes-source.ts';
import type { DagEnd, DagListener } from '../dag/source.ts';
import type { CommandResult } from '../hosts/executor.ts';
import type { CellContext } from './cell-context.ts';

/** Below the folder of long outputs. */
const FOLDER = 'dag';
/** Of what the commands say, so much of its end is kept. */
const KEPT = 1 << 20;

interface WatchedJobRun {
  readonly result: CommandResult;
  readonly command: string;
  readonly watched: NonNullable<RunOutput['watched']>;
  /** The record of the job; undefined where nothing was seen. */
  readonly dagFolder: string | undefined;
}

/** Runs a command on each host of a cell, under the cell's bandwidth, and watches the job that they are. */
export async function watchJob(
  { bw }: Cell,
  hosts: readonly Host[],
  { watch, context }: { readonly watch: Watch; readonly context: CellContext },
): Promise<WatchedJobRun> {
  const { cluster, signal, timeoutMs, outputFolder } = context;
  const tasks = hosts.map((host, place) => ({
    host,
    task: { command: watch.commands[place] ?? '', folder: cluster.workFolder, pids: [] },
  }));
  const { periodS, hz, recordBytes } = watch;
  const link = { rateBps: (cluster.inventory.lineRate * bw) / 100, bw };
  const source = pipesSource({ periodS, hz, recordBytes, local: null, remote: { cluster, tasks }, link });
  const record = new JobRecord(join(outputFolder, FOLDER));
  const timeout = AbortSignal.timeout(timeoutMs);
  const startedMs = performance.now();
  let end: DagEnd | null = null;
  let problem: string | null = null;
  try {
    end = await source.watch(record, AbortSignal.any([signal, timeout]));
  } catch (error) {
    // A job that is over before it is seen, or that is no graph, is so every time.
    if (!(error instanceof PredictError && error.kind === 'badInput')) throw error;
    problem = error.message;
  } finally {
    record.close();
  }
  const [lost] = end?.lost ?? [];
  if (lost !== undefined && !signal.aborted) throw infrastructure(`${lost}.`.replace(/\.\.$/, '.'));
  const command = hosts.map(({ name }, place) => `${name}: ${watch.commands[place] ?? ''}`).join('\n');
  const result: CommandResult = {
    ...{ host: hosts[0]?.name ?? '', exitCode: end?.exitCode ?? (problem === null ? null : 0), signal: null },
    ...{ stdout: '', stderr: said(record.printed, end), durationMs: performance.now() - startedMs },
    ...{ timedOut: timeout.aborted && !signal.aborted, printedTooMuch: false },
  };
  const watched = { seconds: end?.commandS ?? null, problem };
  return { result, command, watched, dagFolder: record.folder };
}

/** What a shell does not say of itself: which of its commands failed. */
function said(printed: string, end: DagEnd | null): string {
  return end?.failure ? `${printed}${printed === '' || printed.endsWith('\n') ? '' : '\n'}${end.failure}\n` : printed;
}

/** Keeps what is seen of a job, and the end of what its commands say. */
class JobRecord implements DagListener {
  printed = '';
  readonly #folder: string;
  #writer: DagRunWriter | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get folder(): string | undefined {
    return this.#writer === null ? undefined : this.#folder;
  }

  readonly onBegin: DagListener['onBegin'] = (run) => {
    this.#writer = createDagRun(this.#folder, run);
  };

  readonly onLine: DagListener['onLine'] = (line) => this.#writer?.append(line);

  readonly onPrinted = (text: string): void => {
    this.printed = (this.printed + text).slice(-KEPT);
  };

  close(): void {
    this.#writer?.close();
  }
}
