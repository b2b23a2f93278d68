import { at, groupBy } from '../../../base/lists.ts';
import { compareCodePoints, shortened } from '../../../base/text.ts';
import { type CallProfile, oneUnit, type ProfileSelection } from '../tree/call-profile.ts';
import { totalOf } from '../tree/call-tree.ts';
import { type MetricPoint, meanCoefficient, pearson } from './path-statistics.ts';
import { divisorOf, type PathMeasure, pathValues } from './path-values.ts';

interface CorrelationQuestion {
  /** Profiles of a benchmark in which a code path occurs, at least. */
  readonly least: number;
  readonly value: PathMeasure;
  /**
   * The least part (0 to 1) that a code path takes of all that a benchmark's profiles sampled, by the same values: what is rarely seen
   * correlates by chance. Default: any.
   */
  readonly leastShare?: (benchmark: BenchmarkProfiles) => number;
}

interface BenchmarkCorrelation {
  readonly benchmark: string;
  readonly n: number;
  /** Pearson's coefficient of the code path's samples and the profiles' metric; 0 where either is constant. */
  readonly pcc: number;
}

interface PathCorrelation {
  readonly codePath: string;
  /** Mean over the benchmarks. */
  readonly score: number;
  readonly benchmarks: readonly BenchmarkCorrelation[];
}

/**
 * Which code paths rise and fall with the execution time (Lundberg and Rettig 2024, sections 5.3 and 6.2, A.2): of each benchmark over
 * the profiles with a metric in which the code path occurs; falling score, then name. It says nothing of causes.
 */
export function correlate(
  { names, profiles }: ProfileSelection,
  { least, value, leastShare = () => 0 }: CorrelationQuestion,
): readonly PathCorrelation[] {
  const found = new Map<number, BenchmarkCorrelation[]>();
  for (const one of groupBenchmarks(profiles)) {
    const { benchmark, members } = one;
    oneUnit(members, `import those of each unit as a benchmark of its own ('${shortened(benchmark)}' has both)`);
    const paths = new Map<number, { readonly points: MetricPoint[]; sampled: number }>();
    const floor = leastShare(one) * members.reduce((sum, { tree }) => sum + totalOf(tree), 0);
    for (const { tree, metricMean } of members) {
      const by = divisorOf(value, totalOf(tree));
      for (const [name, samples] of pathValues(tree, value)) {
        const path = paths.get(name) ?? { points: [], sampled: 0 };
        paths.set(name, path);
        path.sampled += samples;
        path.points.push({ x: samples / by, y: metricMean });
      }
    }
    for (const [name, { points, sampled }] of paths) {
      if (points.length < least || sampled < floor) continue;
      const of = found.get(name) ?? [];
      found.set(name, of);
      of.push({ benchmark, n: points.length, pcc: pearson(points) });
    }
  }
  return [...found]
    .map(([name, benchmarks]) => ({ codePath: names.text(name), score: meanCoefficient(benchmarks), benchmarks }))
    .sort((a, b) => b.score - a.score || compareCodePoints(a.codePath, b.codePath));
}

/** Profiles with a metric by benchmark, by name. */
export function groupBenchmarks(profiles: readonly CallProfile[]): readonly BenchmarkProfiles[] {
  const measured = profiles.flatMap(({ metricMean, ...one }) => (metricMean === null ? [] : [{ ...one, metricMean }]));
  return groupBy(measured, ({ benchmark }) => benchmark)
    .map((members) => ({ benchmark: at(members, 0).benchmark, members }))
    .sort((a, b) => compareCodePoints(a.benchmark, b.benchmark));
}

export interface BenchmarkProfiles {
  readonly benchmark: string;
  readonly members: readonly (CallProfile & { readonly metricMean: number })[];
}
