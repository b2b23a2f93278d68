const STATISTICS = ['min', 'firstquartile', 'median', 'thirdquartile', 'max', 'mean', 'stddev'] as const;

/** Order statistics as printed; null where a dialect leaves one out. */
type Spread = Readonly<Record<(typeof STATISTICS)[number], number | null>>;

/** One kernel's statistics: `time` in seconds, `teps` in traversed edges per second. */
interface KernelSummary {
  readonly time: Spread;
  readonly teps: Spread;
  readonly harmonicMeanTeps: number | null;
  readonly harmonicStddevTeps: number | null;
  /** Seconds; null when validation was off. */
  readonly validate: Spread | null;
}

export interface Graph500Summary {
  readonly scale: number;
  readonly edgefactor: number | null;
  readonly nbfs: number | null;
  readonly ranks: number | null;
  readonly constructionS: number | null;
  readonly generationS: number | null;
  readonly nedge: Spread;
  readonly bfs: KernelSummary;
  readonly sssp: KernelSummary | null;
}

type Values = Readonly<Record<string, number>>;

/** The result block in one shape for all dialects; null without a SCALE. */
export function summaryOf(values: Values): Graph500Summary | null {
  if (values.SCALE === undefined) return null;
  const hasSssp = Object.keys(values).some((name) => name.startsWith('sssp_'));
  return {
    scale: values.SCALE,
    edgefactor: values.edgefactor ?? null,
    nbfs: values.NBFS ?? null,
    ranks: values.num_mpi_processes ?? null,
    constructionS: values.construction_time ?? null,
    generationS: values.graph_generation ?? null,
    nedge: spread(values, '', '_nedge'),
    bfs: kernel(values, 'bfs_'),
    sssp: hasSssp ? kernel(values, 'sssp_') : null,
  };
}

function kernel(values: Values, before: string): KernelSummary {
  const validate = spread(values, before, '_validate');
  return {
    time: spread(values, before, '_time'),
    teps: spread(values, before, '_TEPS'),
    harmonicMeanTeps: values[`${before}harmonic_mean_TEPS`] ?? null,
    harmonicStddevTeps: values[`${before}harmonic_stddev_TEPS`] ?? null,
    // The reference prints -1 for every statistic of a validation that was skipped.
    validate: validate.min !== null && validate.min >= 0 ? validate : null,
  };
}

function spread(values: Values, before: string, after: string): Spread {
  return Object.fromEntries(STATISTICS.map((name) => [name, values[before + name + after] ?? null])) as Spread;
}
