import { badInput } from '../base/errors.ts';
import { ascending, groupBy, own } from '../base/lists.ts';
import { joinWords } from '../base/text.ts';
import type { Algorithm } from './graphs/benchmark-terms.ts';
import type { AskedSweep } from './sweep.ts';
import type { GraphalyticsDefinition } from './workloads/workload-schema.ts';

// The experiments of Graphalytics (table 5.3 of W. L. Ngai, "Fine-grained performance evaluation of large-scale graph
// processing systems", 2017): one sweep each.

type Graph = Pick<GraphalyticsDefinition['graphs'][number], 'name' | 'family' | 'scale'>;

interface Site {
  readonly graphs: readonly Graph[];
  readonly hosts: number;
}

interface Preset {
  /** All that the graphs are made for where none are named. */
  readonly algorithms?: readonly Algorithm[];
  /** What is measured where nobody says otherwise; bandwidth is full, a visit is one run. */
  readonly texts: (site: Site) => AskedSweep;
}

const TRAVERSE_AND_ITERATE = ['bfs', 'pr'] as const;
/** Runs of one job (section 5.4.7). */
const VARIABILITY_RUNS = '10';
const USUAL_RUNS = '3';

const PRESETS: Readonly<Record<string, Preset>> = {
  /** Every algorithm once, on one node, two and more: whether a new site gives the reference outputs. */
  'graphalytics-selftest': {
    texts: ({ hosts }) => ({ nodes: doubling(hosts).join(','), reps: '1' }),
  },
  /** Every graph on one node. */
  'graphalytics-variety': {
    algorithms: TRAVERSE_AND_ITERATE,
    texts: () => ({ nodes: '1', reps: USUAL_RUNS }),
  },
  /** All algorithms on one node. */
  'graphalytics-algorithms': {
    texts: () => ({ nodes: '1', reps: USUAL_RUNS }),
  },
  /** More and more ranks on one node, and threads of each. */
  'graphalytics-vertical': {
    algorithms: TRAVERSE_AND_ITERATE,
    texts: () => ({ nodes: '1', reps: USUAL_RUNS, ranksPerNode: '1,2,4,8', param: { threads: [1, 2, 4] } }),
  },
  /** A graph on more and more nodes. */
  'graphalytics-strong': {
    algorithms: TRAVERSE_AND_ITERATE,
    texts: ({ hosts }) => ({ nodes: doubling(hosts).join(','), reps: USUAL_RUNS }),
  },
  /** Nodes double with every larger graph of a family. */
  'graphalytics-weak': {
    algorithms: TRAVERSE_AND_ITERATE,
    texts: ({ graphs, hosts }) => ({ cells: weakCells(graphs, hosts) }),
  },
  /** Graphs of all sizes on one node: the smallest that breaks the SLA. */
  'graphalytics-stress': {
    algorithms: ['bfs'],
    texts: () => ({ nodes: '1', reps: '1' }),
  },
  /** The same for the benchmark's renewal (section 3.5): the class of the largest graph that keeps the SLA. */
  'graphalytics-renew': {
    algorithms: ['bfs'],
    texts: () => ({ nodes: '1', reps: '1' }),
  },
  /** Ten runs on one node and on all. */
  'graphalytics-variability': {
    algorithms: ['bfs'],
    texts: ({ hosts }) => ({ nodes: hosts === 1 ? '1' : `1,${hosts}`, reps: VARIABILITY_RUNS }),
  },
};

export const PRESET_NAMES: readonly string[] = Object.keys(PRESETS);

/** A named experiment. Errors: `badInput` listing the names. */
export function findPreset(name: string): Preset {
  const preset = own(PRESETS, name);
  if (preset) return preset;
  throw badInput(`--preset: '${name}' is not one of ${joinWords(PRESET_NAMES)}.`);
}

/** 1, 2, 4, ... and the most. */
function doubling(most: number): readonly number[] {
  const powers = Array.from({ length: Math.floor(Math.log2(most)) + 1 }, (_, power) => 2 ** power);
  return ascending([...powers, most]);
}

/** The smallest graph of a family on one node, the next on two, and so on as far as the hosts go. */
function weakCells(graphs: readonly Graph[], hosts: number): string {
  const families = groupBy(graphs, ({ family }) => family).filter((family) => family.length > 1);
  const cells = families.flatMap((family) =>
    [...family]
      .sort((a, b) => a.scale - b.scale)
      .map(({ scale }, place) => ({ nodes: 2 ** place, scale }))
      .filter(({ nodes }) => nodes <= hosts),
  );
  if (cells.length < 2) {
    throw badInput('Weak scaling needs two graphs of one family (such as graph500-18 and graph500-19) and two hosts.');
  }
  const runs = Array.from({ length: Number(USUAL_RUNS) }, (_, index) => index + 1);
  return cells.flatMap(({ nodes, scale }) => runs.map((run) => `${nodes}:${scale}:100:${run}`)).join(',');
}
