import { formatSeconds } from '../../base/index.ts';
import type { BenchmarkData, JobRow, SpeedupRow } from '../content/benchmark.ts';
import { fixed, NONE, number, seconds } from '../format.ts';
import type { Markup } from '../html.ts';
import { section } from './section.ts';
import { folded, tableOf } from './table.ts';

/** The benchmark's own metrics of every job, and its experiments as far as the campaign has them. */
export function benchmark(data: BenchmarkData | null): Markup | null {
  if (data === null || data.jobs.length === 0) return null;
  return section({
    id: 'benchmark',
    title: 'The benchmark’s metrics',
    lead: `Processing time is that of the algorithm alone; the makespan is the whole job with its start and the loading of the graph. A job counts if its result is right and its makespan is at most ${formatSeconds(data.slaS)} (the SLA).`,
    content: [
      jobs(data, 'at full bandwidth', ({ bw }) => bw === 100),
      speedups(data, 'nodes'),
      speedups(data, 'ranks'),
      weak(data),
      variability(data),
      stress(data),
      data.jobs.every(({ bw }) => bw === 100)
        ? null
        : folded(
            'The same at every bandwidth',
            jobs(data, 'at every bandwidth', () => true),
          ),
    ],
  });
}

function jobs({ jobs: all }: BenchmarkData, where: string, isShown: (row: JobRow) => boolean): Markup {
  return tableOf({
    caption: `Processing time and makespan (means), rates, and jobs that broke the SLA, ${where}`,
    rows: all.filter(isShown),
    columns: [
      { head: 'Algorithm', text: ({ algorithm }) => algorithm },
      { head: 'Graph', text: ({ graph }) => whole(graph) },
      { head: 'Class', text: ({ size }) => size },
      { head: 'Nodes', value: ({ nodes }) => nodes, decimals: 0, key: true },
      { head: 'Ranks', value: ({ ranks }) => ranks, decimals: 0, key: true },
      { head: 'Bandwidth', unit: '%', value: ({ bw }) => bw, show: number, key: true },
      { head: 'Processing', unit: 's', value: ({ processingS }) => processingS },
      { head: 'Loading', unit: 's', value: ({ loadS }) => loadS },
      { head: 'Makespan', unit: 's', value: ({ makespanS }) => makespanS },
      {
        head: 'Share',
        unit: '%',
        value: ({ processingS, makespanS }) =>
          processingS === null || makespanS === null ? null : (processingS / makespanS) * 100,
        decimals: 1,
      },
      { head: 'EPS', unit: 'million', value: ({ eps }) => (eps === null ? null : eps / 1e6) },
      { head: 'EVPS', unit: 'million', value: ({ evps }) => (evps === null ? null : evps / 1e6) },
      { head: 'Broken', value: ({ broken }) => broken, decimals: 0 },
      { head: 'Result', text: ({ validation, reason }) => reason ?? validation },
    ],
  });
}

/** A name that stays on one line. */
function whole(name: string): string {
  return name.replaceAll('-', '\u2011');
}

function speedups({ speedups: all }: BenchmarkData, over: SpeedupRow['over']): Markup | null {
  const rows = all.filter((row) => row.over === over);
  if (rows.length === 0) return null;
  const what = over === 'nodes' ? 'Strong scaling' : 'Vertical scaling';
  return tableOf({
    caption: `${what}: speedup over ${over} at full bandwidth`,
    rows,
    columns: [
      { head: 'Algorithm', text: ({ algorithm }) => algorithm },
      { head: 'Graph', text: ({ graph }) => graph },
      {
        head: `Time and speedup on ${over}`,
        text: ({ steps }) =>
          steps
            .map(({ count, seconds: time, speedup }) => `${count}: ${seconds(time)} (${fixed(speedup, 2)})`)
            .join(', '),
      },
      { head: 'Largest speedup', value: ({ most }) => most, decimals: 2 },
    ],
  });
}

function weak({ weak: rows }: BenchmarkData): Markup | null {
  if (rows.length === 0) return null;
  return tableOf({
    caption: 'Weak scaling: slowdown while graph and nodes double (1 is perfect)',
    rows,
    columns: [
      { head: 'Algorithm', text: ({ algorithm }) => algorithm },
      {
        head: 'Nodes, graph, time and slowdown',
        text: ({ steps }) =>
          steps
            .map(
              ({ nodes, graph, seconds: time, slowdown }) =>
                `${nodes}: ${graph} ${seconds(time)} (${fixed(slowdown, 2)})`,
            )
            .join(', '),
      },
    ],
  });
}

/** Runs of a job that are fewer say nothing about its spread. */
const LEAST_RUNS = 3;

function variability({ jobs: all }: BenchmarkData): Markup | null {
  const rows = all.filter(({ bw, runs, cvPercent }) => bw === 100 && runs >= LEAST_RUNS && cvPercent !== null);
  if (rows.length === 0) return null;
  return tableOf({
    caption: 'Variability: mean processing time and its coefficient of variation',
    rows,
    columns: [
      { head: 'Algorithm', text: ({ algorithm }) => algorithm },
      { head: 'Graph', text: ({ graph }) => graph },
      { head: 'Nodes', value: ({ nodes }) => nodes, decimals: 0, key: true },
      { head: 'Ranks', value: ({ ranks }) => ranks, decimals: 0, key: true },
      { head: 'Runs', value: ({ runs }) => runs, decimals: 0 },
      { head: 'Mean', unit: 's', value: ({ processingS }) => processingS },
      { head: 'CV', unit: '%', value: ({ cvPercent }) => cvPercent, decimals: 1 },
    ],
  });
}

function stress({ stress: rows }: BenchmarkData): Markup | null {
  if (rows.length === 0) return null;
  return tableOf({
    caption: 'Stress: the smallest graph that breaks the SLA',
    rows,
    columns: [
      { head: 'Algorithm', text: ({ algorithm }) => algorithm },
      { head: 'Nodes', value: ({ nodes }) => nodes, decimals: 0, key: true },
      { head: 'Largest that keeps it', text: ({ largestGood }) => largestGood ?? NONE },
      { head: 'Smallest that breaks it', text: ({ smallestBroken }) => smallestBroken ?? 'none' },
      { head: 'Why', text: ({ reason }) => reason ?? '' },
    ],
  });
}
