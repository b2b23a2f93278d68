import { setTimeout as sleep } from 'node:timers/promises';
import type { DagEdge, EdgePeriod, VertexPeriod } from '../../../experiments/dag/dag-records.ts';
import { type PolledPeriod, pollJob, sleepUntil } from '../poll-job.ts';
import type { DagSource } from '../source.ts';
import {
  type FlinkJob,
  type FlinkShares,
  flinkBackPressureSchema,
  flinkJobSchema,
  flinkPlanSchema,
  flinkShape,
  flinkShares,
  UNKNOWN_SHARES,
} from './flink-answers.ts';
import { FlinkRest } from './flink-rest.ts';

interface FlinkOptions {
  readonly address: string;
  /** Null: the only one that runs. */
  readonly job: string | null;
  readonly periodS: number;
}

/** An answer that is out of date makes Flink measure anew: it is asked again after so long, so often. */
const ASK_AGAIN_MS = 250;
const MOST_ASKED = 4;
/** So many periods without an answer, and the job manager is gone. */
const MOST_SILENT = 3;
const LONGEST_WAIT_MS = 10_000;
const OVER = new Set(['FINISHED', 'CANCELED', 'FAILED', 'SUSPENDED']);

/** A job of Flink, asked for its back pressure once in every period. */
export function flinkSource({ address, job: asked, periodS }: FlinkOptions): DagSource {
  return {
    async watch(listener, signal) {
      const rest = new FlinkRest(address, Math.min(LONGEST_WAIT_MS, periodS * 1000));
      const id = asked ?? (await rest.onlyJob(signal));
      const path = `jobs/${encodeURIComponent(id)}`;
      const job = await rest.get(path, flinkJobSchema, signal);
      const plan = await rest.get(`${path}/plan`, flinkPlanSchema, signal);
      const { vertices, edges } = flinkShape(job, plan);
      let before = job;
      const ask = async (endMs: number): Promise<PolledPeriod> => {
        // What Flink answers is of the time just before.
        await sleepUntil(endMs, signal);
        const after = await rest.get(path, flinkJobSchema, signal);
        const shares = await Promise.all(
          vertices.map(async (vertex) => {
            const place = `${path}/vertices/${encodeURIComponent(vertex.id)}/backpressure`;
            return [vertex.id, await askShares(rest, place, signal)] as const;
          }),
        );
        const period = periodOf({ edges, before, after, shares: new Map(shares) });
        before = after;
        return { ...period, tasks: flinkShape(after, plan).vertices, ...endOf(after) };
      };
      const run = {
        ...{ source: 'flink' as const, periodS, hz: null, bw: null, vertices, edges },
        command: `${job.name} (${id} at ${rest.where})`,
        notes: ['Flink does not report each edge of a task: every edge gets the back pressure of its task.'],
      };
      const silence = (periods: number): string => `${rest.where} has not answered for ${periods} periods`;
      const polled = { run, ask, silence, missing: ' This period is missing.', patience: MOST_SILENT };
      return await pollJob(polled, listener, signal);
    },
  };
}

/** What a vertex did, by an answer that is not out of date, if one comes. */
async function askShares(rest: FlinkRest, path: string, signal: AbortSignal): Promise<FlinkShares> {
  for (let asked = 0; asked < MOST_ASKED; asked += 1) {
    const answer = await rest.get(path, flinkBackPressureSchema, signal);
    if (answer.status !== 'deprecated') return flinkShares(answer);
    await sleep(ASK_AGAIN_MS, undefined, { signal });
  }
  return UNKNOWN_SHARES;
}

function endOf({ state }: FlinkJob): Pick<PolledPeriod, 'end'> {
  if (!OVER.has(state)) return {};
  return { end: { why: `the job is ${state}`, exitCode: state === 'FAILED' ? 1 : 0, samplerShare: null } };
}

function periodOf({
  edges,
  before,
  after,
  shares,
}: {
  readonly edges: readonly DagEdge[];
  readonly before: FlinkJob;
  readonly after: FlinkJob;
  readonly shares: ReadonlyMap<string, FlinkShares>;
}): Pick<PolledPeriod, 'vertices' | 'edges'> {
  /** A count that falls began anew: the task was started again. */
  const growth = (id: string, key: keyof FlinkJob['vertices'][number]['metrics']): number | null => {
    const [from, to] = [before, after].map(({ vertices }) => vertices.find((one) => one.id === id)?.metrics[key]);
    return typeof from === 'number' && typeof to === 'number' && to >= from ? to - from : null;
  };
  const isFed = (id: string): boolean => edges.some(({ to }) => to === id);
  const vertexEntries = [...shares].map(([id, { processing, busyAtMost }]): [string, VertexPeriod] => {
    // What a task took in, a source what it handed on.
    const records = growth(id, isFed(id) ? 'read-records' : 'write-records');
    return [id, { processing, cpu: null, disk: null, busyAtMost, records }];
  });
  const edgeEntries = edges.map(({ id, from }): [string, EdgePeriod] => {
    const { writer, pressure } = shares.get(from) ?? UNKNOWN_SHARES;
    // What a task wrote is an edge's where it has no other.
    const isOnly = edges.filter((edge) => edge.from === from).length === 1;
    const bytes = isOnly ? growth(from, 'write-bytes') : null;
    return [id, { buffer: null, writer: measured(writer), pressure: measured(pressure), bytes, records: null }];
  });
  return { vertices: Object.fromEntries(vertexEntries), edges: Object.fromEntries(edgeEntries) };
}

function measured(shares: readonly (number | null)[]): (number | null)[] | null {
  return shares.some((share) => share !== null) ? [...shares] : null;
}
