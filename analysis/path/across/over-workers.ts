// Profiles of critical paths over worker counts (Sager, ETH 2016, section 7.3, figures 7.7 and 7.8).
import { own } from '../../../base/lists.ts';
import { componentNames } from '../../across/run-of-cell.ts';
import type { Finding } from '../../finding.ts';
import { limitOf } from './path-findings.ts';
import { meansOver } from './path-runs.ts';

/** The critical path of one trace: how many workers it has, and the path's time by key, ns. */
export interface TracePath {
  readonly workers: number;
  readonly lengthNs: number;
  readonly byOperator: Readonly<Record<string, number>>;
}

/** One key of the path: its mean time at each worker count, ns, and its share of the path, 0 to 100. */
interface KeyOverWorkers {
  readonly key: string;
  readonly ns: readonly number[];
  readonly percent: readonly number[];
  /** Whether it takes longer at the largest worker count than at the smallest; null for one count alone. */
  readonly grows: boolean | null;
}

/** What several traces of a program say together; traces of as many workers count as their mean. */
interface OverWorkers {
  readonly counts: readonly { readonly workers: number; readonly traces: number; readonly lengthNs: number }[];
  /** The largest in sum first. */
  readonly keys: readonly KeyOverWorkers[];
  /** Up to which worker count the path gets shorter, and which parts grow; none for one count alone. */
  readonly findings: readonly Finding[];
}

/** Compares the paths of traces by worker count. */
export function overWorkers(traces: readonly TracePath[]): OverWorkers {
  const runs = traces.map(({ workers, lengthNs, byOperator }) => ({
    nodes: workers,
    seconds: lengthNs / 1e9,
    components: Object.fromEntries(Object.entries(byOperator).map(([key, ns]) => [key, ns / 1e9])),
  }));
  const means = meansOver(runs);
  const [first, last] = [means[0], means.at(-1)];
  const keys = componentNames(means).map((key): KeyOverWorkers => {
    const seconds = means.map(({ components }) => own(components, key) ?? 0);
    return {
      key,
      ns: seconds.map((one) => one * 1e9),
      percent: seconds.map((one, index) => (one / Math.max(1e-12, means[index]?.seconds ?? 0)) * 100),
      grows: first === last ? null : (seconds.at(-1) ?? 0) > (seconds[0] ?? 0),
    };
  });
  return {
    counts: means.map(({ nodes, seconds }) => ({
      workers: nodes,
      traces: traces.filter(({ workers }) => workers === nodes).length,
      lengthNs: seconds * 1e9,
    })),
    keys,
    findings: limitOf(means, {
      begin: 'The critical path',
      countText: (workers) => `${workers} ${workers === 1 ? 'worker' : 'workers'}`,
      after: '',
    }),
  };
}
