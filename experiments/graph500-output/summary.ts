/** Order statistics as printed; null where a dialect leaves one out. */
export interface Spread {
  readonly min: number | null;
  readonly firstquartile: number | null;
  readonly median: number | null;
  readonly thirdquartile: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  readonly stddev: number | null;
}

/** One kernel's statistics: `time` in seconds, `teps` in traversed edges per second. */
export interface KernelSummary {
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
export function summarise(values: Values): Graph500Summary | null {
  if (values.SCALE === undefined) return null;
  const hasSssp = Object.keys(values).some((name) => name.startsWith('sssp_'));
  return {
    scale: values.SCALE,
    edgefactor: values.edgefactor ?? null,
    nbfs: values.NBFS ?? null,
    ranks: values.num_mpi_processes ?? null,
    constructionS: values.construction_time ?? null,
    generationS: values.graph_generation ?? null,
    nedge: spread(values, { after: '_nedge' }),
    bfs: kernel(values, 'bfs_'),
    sssp: hasSssp ? kernel(values, 'sssp_') : null,
  };
}

function kernel(values: Values, before: string): KernelSummary {
  const validate = spread(values, { before, after: '_validate' });
  return {
    time: spread(values, { before, after: '_time' }),
    teps: spread(values, { before, after: '_TEPS' }),
    harmonicMeanTeps: values[`${before}harmonic_mean_TEPS`] ?? null,
    harmonicStddevTeps: values[`${before}harmonic_stddev_TEPS`] ?? null,
    // The reference prints -1 for every statistic of a validation that was skipped.
    validate: validate.min !== null && validate.min >= 0 ? validate : null,
  };
}

function spread(values: Values, { before = '', after }: { before?: string; after: string }): Spread {
  const of = (name: string): number | null => values[`${before}${name}${after}`] ?? null;
  return {
    min: of('min'),
    firstquartile: of('firstquartile'),
    median: of('median'),
    thirdquartile: of('thirdquartile'),
    max: of('max'),
    mean: of('mean'),
    stddev: of('stddev'),
  };
}
