import { explainJobs } from '../../../analysis/dag/explain/explain-jobs.ts';
import { WatchedJob } from '../../../analysis/dag/job/watched-job.ts';
import { parseCount, parseNumber, parseSeconds } from '../../../base/bounds.ts';
import { badInput, PredictError } from '../../../base/errors.ts';
import { DAG_RUN_SCHEMA } from '../../../experiments/dag/dag-records.ts';
import { hasDagRun } from '../../../experiments/dag/read-run.ts';
import { createDagRun, type DagRunWriter } from '../../../experiments/dag/write-run.ts';
import { bullmqSource, parseQueues } from '../../dag/bullmq/bullmq-source.ts';
import { flinkSource } from '../../dag/flink/flink-source.ts';
import type { DagListener, DagSource } from '../../dag/source.ts';
import { type Flags, given } from '../flags.ts';
import { untilStopped } from '../interrupt.ts';
import { note } from '../print.ts';
import { parseSaturation, wholeThresholds } from './dag-flags.ts';
import { tellJobs } from './dag-of-runs.ts';
import { createLiveScreen } from './live-screen.ts';
import { type PipesFlags, withPipes } from './watch-pipes.ts';

type Named = 'alpha' | 'beta' | 'saturation' | 'flink' | 'job' | 'redis' | 'queues' | 'out' | 'for';

/** The options of `predict watch`, as given. */
type WatchFlags = PipesFlags & Flags<'capacity', Named>;

/** Probability of intervals. */
const INTERVAL = 0.9;

/** Watches a job until it ends, a signal comes or --for is over; then says what was seen, as `why --method jobs` does. */
export async function dagWatchCommand(flags: WatchFlags): Promise<void> {
  if (flags.out !== undefined && hasDagRun(flags.out))
    throw badInput(`--out: ${flags.out} already contains a run: choose another folder.`);
  const judged = { thresholds: wholeThresholds(flags), saturation: parseSaturation(flags.saturation) };
  const forS = given(flags.for, (text) => parseSeconds(text, '--for'));
  const watch = (signal: AbortSignal) =>
    withSource(flags, async (source) => {
      const watching = new Watching(judged, flags.out);
      try {
        return { done: await source.watch(watching, signal), watched: watching };
      } finally {
        watching.close();
      }
    });
  const { done, watched } = await untilStopped(watch, { afterS: forS, onHangup: true });
  const { job } = watched;
  if (job === null) throw badInput('No task of the job was seen.');
  const share =
    done.samplerShare === null ? '' : ` The sampling took ${(done.samplerShare * 100).toFixed(1)} % of a core.`;
  note(`predict: ${done.why}.${share}`);
  const reads = [{ folder: flags.out ?? 'The job', job, problems: [] }];
  const explained = explainJobs(reads, { level: INTERVAL, target: null, size: null, price: null });
  tellJobs(reads, explained, { json: flags.json });
  if (done.fault !== undefined) throw done.fault;
  if (done.exitCode !== null && done.exitCode !== 0) {
    throw new PredictError(done.failure ?? `The command ended with exit code ${done.exitCode}.`, { kind: 'workload' });
  }
}

async function withSource<T>(flags: WatchFlags, task: (source: DagSource) => Promise<T>): Promise<T> {
  const ways = [
    flags.command !== undefined || flags.pids !== undefined,
    flags.flink !== undefined,
    flags.redis !== undefined,
  ];
  if (ways.filter(Boolean).length !== 1) {
    throw badInput('Name one job to watch: --command or --pids, --flink, or --redis with --queues.');
  }
  const periodS = parseSeconds(flags.period, '--period');
  const hz = parseNumber(flags.hz, '--hz');
  if (flags.flink !== undefined)
    return await task(flinkSource({ address: flags.flink, job: flags.job ?? null, periodS }));
  if (flags.redis !== undefined) {
    if (flags.queues === undefined) throw badInput('--redis needs --queues: give their names, such as parse,load.');
    const capacity = parseCount(flags.capacity, '--capacity');
    return await task(bullmqSource({ server: flags.redis, queues: parseQueues(flags.queues), capacity, periodS, hz }));
  }
  return await withPipes(flags, { periodS, hz }, task);
}

/** The record, the judge and the screen, side by side. */
class Watching implements DagListener {
  job: WatchedJob | null = null;
  readonly #judged: ConstructorParameters<typeof WatchedJob>[1];
  readonly #folder: string | undefined;
  readonly #screen = createLiveScreen();
  #writer: DagRunWriter | null = null;

  constructor(judged: ConstructorParameters<typeof WatchedJob>[1], folder: string | undefined) {
    this.#judged = judged;
    this.#folder = folder;
  }

  readonly onBegin: DagListener['onBegin'] = (run) => {
    if (this.#folder !== undefined) this.#writer = createDagRun(this.#folder, run);
    // What is no graph is refused before anything is judged; the record stays for whoever wants to see why.
    this.job = new WatchedJob({ schema: DAG_RUN_SCHEMA, ...run }, this.#judged);
    for (const text of run.notes) this.#screen.note(text);
  };

  readonly onLine: DagListener['onLine'] = (line, detail) => {
    this.#writer?.append(line);
    const period = this.job?.add(line) ?? null;
    if (line.kind === 'note') this.#screen.note(line.text);
    if (this.job !== null && period !== null) this.#screen.show({ job: this.job, period, detail: detail ?? null });
  };

  readonly onPrinted = (text: string): void => this.#screen.printed(text);

  close(): void {
    this.#screen.end();
    this.#writer?.close();
  }
}
