import { z } from 'zod';
import type { DagShape } from '../../../analysis/dag/judge/graph.ts';
import type { Fractions, PeriodShares, Saturation } from '../../../analysis/dag/judge/judge.ts';
import { badInput } from '../../../base/errors.ts';
import { own } from '../../../base/lists.ts';
import { computePressure } from '../../../experiments/dag/dag-records.ts';

const pid = z.number().int().nonnegative();
const ends = z.array(z.tuple([pid, z.number().int().nonnegative()]));
const count = z.number().finite().nonnegative();

/** Samples of processes that are joined by pipes, as /proc shows them (proc(5): syscall, io, fd). */
export const pipeRecordingSchema = z.object({
  hz: z.number().positive(),
  procs: z.array(z.object({ pid, cmd: z.string() })),
  /** Who has which end, as [pid, descriptor]. */
  pipes: z.array(z.object({ id: z.string().min(1), readers: ends, writers: ends })),
  samples: z.array(
    z.object({
      tNs: z.number().int().safe().nonnegative(),
      procs: z.record(
        z.string(),
        z
          .object({
            /** Number and first argument in hex; `running` outside of a call. */
            syscall: z.array(z.string()).min(1),
          })
          .nullable(),
      ),
      /** Bytes in it and its size. */
      pipes: z.record(z.string(), z.tuple([count, count]).nullable()),
    }),
  ),
});
export type PipeRecording = z.infer<typeof pipeRecordingSchema>;

/** x86-64 numbers of the calls that wait on a pipe. */
const [READ, WRITE] = ['0', '1'];
/** A pipe is full by pages: with less free space its writer may be blocked (fs/pipe.c). */
const PAGE = 4096;
/** With fewer of its samples a period is left out. */
const LEAST_SAMPLES = 0.5;

/** A recording as a job: vertices are processes, edges pipes. */
interface RecordedJob {
  readonly shape: {
    readonly vertices: readonly { readonly id: string; readonly label: string; readonly instances: number }[];
    readonly edges: DagShape['edges'];
  };
  readonly periods: readonly PeriodShares[];
  /** What cannot be judged, a sentence each. */
  readonly notes: readonly string[];
}

/** Periods of a recording; every sample of a period weighs the same. Errors: `badInput` for samples that are out of order. */
export function readPipeRecording(
  recording: PipeRecording,
  { periodS, saturation }: { readonly periodS: number; readonly saturation: Saturation },
): RecordedJob {
  const { procs, samples, hz } = recording;
  const channels = channelsOf(recording);
  const periodNs = Math.round(periodS * 1e9);
  const groups = new Map<number, PipeRecording['samples']>();
  let lastNs = -1;
  for (const sample of samples) {
    if (sample.tNs < lastNs) throw badInput(`recording.samples: ${sample.tNs} ns comes after ${lastNs} ns: sort them.`);
    lastNs = sample.tNs;
    const period = Math.floor(sample.tNs / periodNs);
    const group = groups.get(period);
    if (group === undefined) groups.set(period, [sample]);
    else group.push(sample);
  }
  const kept = [...groups].filter(([, group]) => group.length >= (LEAST_SAMPLES * hz * periodNs) / 1e9);
  const left = groups.size - kept.length;
  return {
    shape: {
      vertices: procs.map(({ pid: id, cmd }) => ({ id: String(id), label: cmd, instances: 1 })),
      edges: channels.map(({ id, from, to }) => ({ id, from, to })),
    },
    periods: kept.map(([period, group]) => ({
      ...{ startNs: period * periodNs, endNs: (period + 1) * periodNs },
      ...periodShares({ group, recording, channels, saturation }),
    })),
    notes: [
      ...outsideNotes(recording),
      ...(left > 0
        ? [`${left} of ${groups.size} periods have fewer than half of their samples and are left out.`]
        : []),
    ],
  };
}

interface PipeChannel {
  readonly id: string;
  readonly pipe: string;
  readonly from: string;
  readonly to: string;
}

/** One edge for each pair of a writer and a reader of a pipe; named by the pipe where it has one pair. */
function channelsOf({ pipes, procs }: PipeRecording): PipeChannel[] {
  const known = new Set(procs.map(({ pid: id }) => id));
  return pipes.flatMap(({ id, readers, writers }) => {
    const [from, to] = [writers, readers].map((list) =>
      [...new Set(list.map(([one]) => one))].filter((one) => known.has(one)),
    );
    const pairs = (from ?? []).flatMap((writer) =>
      (to ?? []).map((reader) => [String(writer), String(reader)] as const),
    );
    return pairs.map(([writer, reader]) => ({
      id: pairs.length === 1 ? id : `${id} ${writer}>${reader}`,
      ...{ pipe: id, from: writer, to: reader },
    }));
  });
}

function outsideNotes({ pipes, procs }: PipeRecording): string[] {
  const known = new Set(procs.map(({ pid: id }) => id));
  return pipes.flatMap(({ id, readers, writers }) => {
    const outside = [
      ...(readers.some(([one]) => known.has(one)) ? [] : ['reader']),
      ...(writers.some(([one]) => known.has(one)) ? [] : ['writer']),
    ];
    return outside.map(
      (end) =>
        `The ${end} of ${id} is not among the processes: it is not an edge, but time spent waiting for it counts as waiting.`,
    );
  });
}

interface OnePeriod {
  readonly group: PipeRecording['samples'];
  readonly recording: PipeRecording;
  readonly channels: readonly PipeChannel[];
  readonly saturation: Saturation;
}

function periodShares({
  group,
  recording,
  channels,
  saturation,
}: OnePeriod): Pick<PeriodShares, 'processing' | 'saturated'> {
  const calls = callsOf(recording);
  const waiting = new Map<string, number | null>();
  for (const { pid: id } of recording.procs) {
    const name = String(id);
    waiting.set(
      name,
      shareOf(
        group,
        (sample) => pipeOfCall(sample, name, calls) !== null,
        (sample) => lives(sample, name),
      ),
    );
  }
  const saturatedOf = ({ pipe, from }: PipeChannel): Fractions => {
    if (saturation === 'buffer')
      return [
        shareOf(
          group,
          (sample) => isFull(own(sample.pipes, pipe)),
          ({ pipes }) => (own(pipes, pipe) ?? null) !== null,
        ),
      ];
    const blocks = (sample: Sample): boolean => {
      const call = pipeOfCall(sample, from, calls);
      return call?.writes === true && call.pipe === pipe;
    };
    const blocked = shareOf(group, blocks, (sample) => lives(sample, from));
    const waits = waiting.get(from) ?? null;
    if (saturation === 'writer' || blocked === null || waits === null) return [blocked];
    return [computePressure(blocked, waits)];
  };
  return {
    processing: Object.fromEntries([...waiting].map(([id, share]) => [id, [share === null ? null : 1 - share]])),
    saturated: Object.fromEntries(channels.map((channel) => [channel.id, saturatedOf(channel)])),
  };
}

type Sample = PipeRecording['samples'][number];
/** Which pipe a process uses by a descriptor, and how; by `pid call descriptor`. */
type Calls = ReadonlyMap<string, { readonly pipe: string; readonly writes: boolean }>;

function callsOf({ pipes }: PipeRecording): Calls {
  const calls = new Map<string, { readonly pipe: string; readonly writes: boolean }>();
  for (const { id, readers, writers } of pipes) {
    for (const [owner, fd] of readers) calls.set(`${owner} ${READ} ${fd}`, { pipe: id, writes: false });
    for (const [owner, fd] of writers) calls.set(`${owner} ${WRITE} ${fd}`, { pipe: id, writes: true });
  }
  return calls;
}

/** The pipe that a process is blocked on; null while it is not. */
function pipeOfCall(
  sample: Sample,
  id: string,
  calls: Calls,
): { readonly pipe: string; readonly writes: boolean } | null {
  const [number, argument] = own(sample.procs, id)?.syscall ?? [];
  if (number === undefined || argument === undefined) return null;
  return calls.get(`${id} ${number} ${Number(argument)}`) ?? null;
}

function lives({ procs }: Sample, id: string): boolean {
  return (own(procs, id) ?? null) !== null;
}

function isFull(pipe: readonly [number, number] | null | undefined): boolean {
  return pipe !== null && pipe !== undefined && pipe[1] - pipe[0] < PAGE;
}

/** Share of the samples that count; null without any. */
function shareOf(
  group: readonly Sample[],
  holds: (sample: Sample) => boolean,
  counts: (sample: Sample) => boolean,
): number | null {
  let [all, held] = [0, 0];
  for (const sample of group) {
    if (!counts(sample)) continue;
    all += 1;
    if (holds(sample)) held += 1;
  }
  return all === 0 ? null : held / all;
}
