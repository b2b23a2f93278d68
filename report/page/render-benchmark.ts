import { formatSeconds } from '../../base/units.ts';
import type { BenchmarkData } from '../content/benchmark.ts';
import { fixed, NONE, seconds } from '../format.ts';
import type { Markup } from '../html.ts';
import { folded, key, type PageColumn, tableOf } from './render-table.ts';
import { section } from './section.ts';

type JobRow = BenchmarkData['jobs'][number];

/** Runs of a job that are fewer say nothing about its spread. */
const LEAST_RUNS = 3;

/** The benchmark's own metrics of every job, and its experiments as far as the campaign has them. */
export function benchmark(data: BenchmarkData | null): Markup | null {
  if (data === null || data.jobs.length === 0) return null;
  const { jobs, speedups, weak, stress, slaS } = data;
  const full = jobs.filter(({ bw }) => bw === 100);
  return section({
    id: 'benchmark',
    title: 'The benchmark’s metrics',
    lead: `Processing time is that of the algorithm alone; the makespan is the whole job with its start and the loading of the graph. A job counts if its result is right and its makespan is at most ${formatSeconds(slaS)} (the SLA).`,
    content: [
      table(`${JOBS}, at full bandwidth`, full, JOB_COLUMNS),
      ...(['nodes', 'ranks'] as const).map((over) =>
        table(
          `${over === 'nodes' ? 'Strong' : 'Vertical'} scaling: speedup over ${over} at full bandwidth`,
          speedups.filter((row) => row.over === over),
          [
            ALGORITHM,
            GRAPH,
            {
              head: `Time and speedup on ${over}`,
              text: ({ steps }) =>
                steps.map((one) => `${one.count}: ${seconds(one.seconds)} (${fixed(one.speedup, 2)})`).join(', '),
            },
            { head: 'Largest speedup', value: ({ most }) => most, decimals: 2 },
          ],
        ),
      ),
      table('Weak scaling: slowdown while graph and nodes double (1 is perfect)', weak, [
        ALGORITHM,
        {
          head: 'Nodes, graph, time and slowdown',
          text: ({ steps }) =>
            steps
              .map((one) => `${one.nodes}: ${one.graph} ${seconds(one.seconds)} (${fixed(one.slowdown, 2)})`)
              .join(', '),
        },
      ]),
      table(
        'Variability: mean processing time and its coefficient of variation',
        full.filter(({ runs, cvPercent }) => runs >= LEAST_RUNS && cvPercent !== null),
        [
          ...[ALGORITHM, GRAPH, key.nodes, RANKS],
          { head: 'Runs', value: ({ runs }) => runs, decimals: 0 },
          { head: 'Mean', unit: 's', value: ({ processingS }) => processingS },
          { head: 'CV', unit: '%', value: ({ cvPercent }) => cvPercent, decimals: 1 },
        ],
      ),
      table('Stress: the smallest graph that breaks the SLA', stress, [
        ALGORITHM,
        key.nodes,
        { head: 'Largest that keeps it', text: ({ largestGood }) => largestGood ?? NONE },
        { head: 'Smallest that breaks it', text: ({ smallestBroken }) => smallestBroken ?? 'none' },
        { head: 'Why', text: ({ reason }) => reason ?? '' },
      ]),
      full.length === jobs.length
        ? null
        : folded('The same at every bandwidth', table(`${JOBS}, at every bandwidth`, jobs, JOB_COLUMNS)),
    ],
  });
}

const JOBS = 'Processing time and makespan (means), rates, and jobs that broke the SLA';

const ALGORITHM = { head: 'Algorithm', text: ({ algorithm }: Pick<JobRow, 'algorithm'>) => algorithm };
// On one line.
const GRAPH = { head: 'Graph', text: ({ graph }: Pick<JobRow, 'graph'>) => graph.replaceAll('-', '\u2011') };
const RANKS = { head: 'Ranks', value: ({ ranks }: JobRow) => ranks, decimals: 0, key: true };

const JOB_COLUMNS: readonly PageColumn<JobRow>[] = [
  ALGORITHM,
  GRAPH,
  { head: 'Class', text: ({ size }) => size },
  ...[key.nodes, RANKS, key.bw],
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
];

/** Null for no rows. */
function table<T>(caption: string, rows: readonly T[], columns: readonly PageColumn<T>[]): Markup | null {
  return rows.length === 0 ? null : tableOf({ caption, rows, columns });
}
