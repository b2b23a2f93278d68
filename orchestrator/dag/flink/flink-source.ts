import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { PredictError } from '../../../base/errors.ts';
import type { DagEdge, DagVertex, EdgePeriod, VertexPeriod } from '../../../experiments/dag/dag-records.ts';
import type { DagEnd, DagListener, DagSource } from '../source.ts';
import { FlinkRest, flinkCountsSchema } from './rest.ts';

/** What answers of Flink mean. */
interface FlinkReading<Job, Plan, Pressure> {
  readonly job: z.ZodType<Job>;
  readonly plan: z.ZodType<Plan>;
  readonly pressure: z.ZodType<Pressure>;
  readonly shape: (
    job: Job,
    plan: Plan,
  ) => {
    readonly vertices: readonly { readonly id: string; readonly label: string; readonly instances: number }[];
    readonly edges: readonly { readonly id: string; readonly from: string; readonly to: string }[];
  };
  readonly shares: (pressure: Pressure) => {
    readonly processing: VertexPeriod['processing'];
    readonly busyAtMost: number | null;
    readonly pressure: NonNullable<EdgePeriod['pressure']>;
    readonly writer: NonNullable<EdgePeriod['writer']>;
  };
}

interface FlinkOptions<Job, Plan, Pressure> {
  readonly address: string;
  /** Null: the only one that runs. */
  readonly job: string | null;
  readonly periodS: number;
  readonly reading: FlinkReading<Job, Plan, Pressure>;
}

/** An answer that is out of date makes Flink measure anew: it is asked again after so long, so often. */
const ASK_AGAIN_MS = 250;
const MOST_ASKED = 4;
/** So many periods without an answer, and the job manager is gone. */
const MOST_SILENT = 3;
const LONGEST_WAIT_MS = 10_000;
const OVER = new Set(['FINISHED', 'CANCELED', 'FAILED', 'SUSPENDED']);

/** A job of Flink, asked for its back pressure once in every period. */
export function flinkSource<
  Job extends { readonly name: string; readonly state: string },
  Plan,
  Pressure extends { readonly status: string },
>(options: FlinkOptions<Job, Plan, Pressure>): DagSource {
  const { address, periodS, reading } = options;
  return {
    async watch(listener: DagListener, signal: AbortSignal): Promise<DagEnd> {
      const rest = new FlinkRest(address, Math.min(LONGEST_WAIT_MS, periodS * 1000));
      const id = options.job ?? (await rest.onlyJob(signal));
      const path = `jobs/${encodeURIComponent(id)}`;
      const job = await rest.get(path, reading.job, signal);
      const plan = await rest.get(`${path}/plan`, reading.plan, signal);
      const { vertices, edges } = reading.shape(job, plan);
      const begun = Date.now();
      let instances = new Map(vertices.map((vertex) => [vertex.id, vertex.instances]));
      listener.onBegin({
        ...{ source: 'flink', startedAt: new Date(begun).toISOString(), periodS, hz: null, bw: null },
        vertices: vertices.map(vertexOf),
        edges: edges.map((edge): DagEdge => ({ ...edge, capacity: null, unit: 'records', linkBps: null })),
        command: `${job.name} (${id} at ${rest.where})`,
        notes: ['Flink does not report each edge of a task: every edge gets the back pressure of its task.'],
      });
      let silent = 0;
      let before = await counts(rest, path, signal);
      for (let period = 0; !signal.aborted; period += 1) {
        const [startNs, endNs] = [period, period + 1].map((each) => Math.round(each * periodS * 1e9)) as [
          number,
          number,
        ];
        // What Flink answers is of the time just before.
        await sleep(Math.max(0, begun + endNs / 1e6 - Date.now()), undefined, { signal }).catch(() => undefined);
        if (signal.aborted) break;
        try {
          const now = await rest.get(path, reading.job, signal);
          const after = await counts(rest, path, signal);
          const answers = await Promise.all(
            vertices.map(async (vertex) => {
              const answer = await upToDate(
                () =>
                  rest.get(`${path}/vertices/${encodeURIComponent(vertex.id)}/backpressure`, reading.pressure, signal),
                signal,
              );
              return [vertex.id, answer === null ? null : reading.shares(answer)] as const;
            }),
          );
          const shares = new Map(answers);
          const grown = reading.shape(now, plan).vertices;
          for (const vertex of grown) {
            if (instances.get(vertex.id) === vertex.instances) continue;
            listener.onLine({ kind: 'vertex', atNs: startNs, vertex: vertexOf(vertex) });
          }
          instances = new Map(grown.map((vertex) => [vertex.id, vertex.instances]));
          listener.onLine({
            ...{ kind: 'period', startNs, endNs },
            vertices: Object.fromEntries(
              vertices.map(({ id: vertex }) => [
                vertex,
                vertexPeriod(shares.get(vertex), recordsOf(vertex, { before, after, edges })),
              ]),
            ),
            edges: Object.fromEntries(
              edges.map((edge) => [
                edge.id,
                edgePeriod(shares.get(edge.from), bytesOf(edge.from, { before, after, edges })),
              ]),
            ),
          });
          before = after;
          silent = 0;
          if (OVER.has(now.state)) {
            return { why: `the job is ${now.state}`, exitCode: now.state === 'FAILED' ? 1 : 0, samplerShare: null };
          }
        } catch (error) {
          if (signal.aborted) break;
          if (!(error instanceof PredictError)) throw error;
          silent += 1;
          listener.onLine({ kind: 'note', atNs: endNs, text: `${error.message} This period is missing.` });
          if (silent >= MOST_SILENT) {
            return {
              why: `${rest.where} has not answered for ${silent} periods`,
              exitCode: null,
              samplerShare: null,
              fault: error,
            };
          }
        }
      }
      return { why: 'watching was stopped', exitCode: null, samplerShare: null };
    },
  };
}

function vertexOf({
  id,
  label,
  instances,
}: {
  readonly id: string;
  readonly label: string;
  readonly instances: number;
}): DagVertex {
  return { id, label, hosts: [], instances };
}

/** An answer that is not out of date; null where none comes. */
async function upToDate<T extends { readonly status: string }>(
  ask: () => Promise<T>,
  signal: AbortSignal,
): Promise<T | null> {
  for (let asked = 0; asked < MOST_ASKED; asked += 1) {
    const answer = await ask();
    if (answer.status !== 'deprecated') return answer;
    await sleep(ASK_AGAIN_MS, undefined, { signal });
  }
  return null;
}

type Counts = ReadonlyMap<
  string,
  { readonly read: number | null; readonly written: number | null; readonly bytes: number | null }
>;

async function counts(rest: FlinkRest, path: string, signal: AbortSignal): Promise<Counts> {
  const { vertices } = await rest.get(path, flinkCountsSchema, signal);
  return new Map(
    vertices.map(({ id, metrics }) => [
      id,
      {
        read: metrics['read-records'] ?? null,
        written: metrics['write-records'] ?? null,
        bytes: metrics['write-bytes'] ?? null,
      },
    ]),
  );
}

interface Between {
  readonly before: Counts;
  readonly after: Counts;
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/** What a task took in, a source what it handed on. */
function recordsOf(id: string, { before, after, edges }: Between): number | null {
  const key = edges.some(({ to }) => to === id) ? 'read' : 'written';
  return growth(before.get(id)?.[key], after.get(id)?.[key]);
}

/** What a task wrote is an edge's where it has no other. */
function bytesOf(from: string, { before, after, edges }: Between): number | null {
  if (edges.filter((edge) => edge.from === from).length !== 1) return null;
  return growth(before.get(from)?.bytes, after.get(from)?.bytes);
}

/** A count that falls began anew: the task was started again. */
function growth(before: number | null | undefined, after: number | null | undefined): number | null {
  if (typeof before !== 'number' || typeof after !== 'number') return null;
  return after >= before ? after - before : null;
}

function vertexPeriod(
  shares: { readonly processing: VertexPeriod['processing']; readonly busyAtMost: number | null } | null | undefined,
  records: number | null,
): VertexPeriod {
  const busyAtMost = shares?.busyAtMost ?? null;
  return { processing: shares?.processing ?? [], cpu: null, disk: null, busyAtMost, records };
}

function edgePeriod(
  shares:
    | { readonly pressure: NonNullable<EdgePeriod['pressure']>; readonly writer: NonNullable<EdgePeriod['writer']> }
    | null
    | undefined,
  bytes: number | null,
): EdgePeriod {
  const measured = (values: readonly (number | null)[] | undefined): (number | null)[] | null => {
    return values?.some((value) => value !== null) ? [...values] : null;
  };
  return { buffer: null, writer: measured(shares?.writer), pressure: measured(shares?.pressure), bytes, records: null };
}
