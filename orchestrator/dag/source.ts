import type { PredictError } from '../../base/errors.ts';
import type { DagLine, DagRun } from '../../experiments/dag/dag-records.ts';

/** What a period says beside its record. */
export interface LiveDetail {
  /** Mean fill of each edge's channels, 0 to 1; null where it is not known. */
  readonly fill: ReadonlyMap<string, number | null>;
}

/** Who hears what a live source sees. Times of lines are ns since the run's `startedAt`. */
export interface DagListener {
  /** The job as the first period found it; comes once, before any line. */
  readonly onBegin: (run: Omit<DagRun, 'schema'>) => void;
  /** One line of the record; of a period also what only people who look on want. */
  readonly onLine: (line: DagLine, detail?: LiveDetail) => void;
  /** What the watched command says. */
  readonly onPrinted: (text: string) => void;
}

/** How the watching ended. */
export interface DagEnd {
  /** In a few words: `the command ended`. */
  readonly why: string;
  /** Of the watched command; null where there is none or where it was ended by us. */
  readonly exitCode: number | null;
  /** Share of one core that the sampling took on the host where it took most; null where it was not counted. */
  readonly samplerShare: number | null;
  /** Which of its commands failed first and how, a sentence; it stands for the exit code too where the shell itself ends well. */
  readonly failure?: string | null;
  /** From the start of the last of its commands to the end of the last of them, s; null where none was started or they were ended by us. */
  readonly commandS?: number | null;
  /** Hosts whose watching ended before the job, a sentence each. */
  readonly lost?: readonly string[];
  /** What went wrong in the end, to be thrown once what was seen is told. */
  readonly fault?: PredictError;
}

/**
 * A job that runs. `watch` goes on until the job ends or `signal` aborts, which is no error, and leaves nothing behind.
 * Errors: `infrastructure` where the job cannot be reached, `badInput` where there is no such job.
 */
export interface DagSource {
  watch(listener: DagListener, signal: AbortSignal): Promise<DagEnd>;
}
