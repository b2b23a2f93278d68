import { badInput } from '../../base/errors.ts';
import { writeFileWhole } from '../../experiments/store/whole.ts';
import type { Experiment } from '../../modeling/exchange/experiment.ts';
import { encodeExperiment, parseFormat, readExperiment } from '../../modeling/exchange/formats.ts';
import {
  chooseSeries,
  experimentFromRows,
  parseParameterMap,
  selectSeries,
  seriesRows,
} from '../../modeling/exchange/to-rows.ts';
import type { ImportFlags } from './flags.ts';
import { left, note, print, printJson, printTable, right } from './print.ts';

/** Checks a file of measurements and says what is in it, or writes one series as rows that `--data` takes. */
export async function importRows([file = '', ...others]: readonly string[], flags: ImportFlags): Promise<void> {
  if (others.length > 0) throw badInput(`${file} is a file of measurements, which is imported alone: name no other.`);
  const format = parseFormat(flags.format, file);
  const target = flags.out === undefined ? null : flags.out === '-' ? 'csv' : parseFormat(undefined, flags.out);
  const map = flags.map === undefined ? new Map() : parseParameterMap(flags.map);
  const experiment = selectSeries(await readExperiment(file, format), flags, file);
  const { parameters, series } = experiment;
  if (flags.out === undefined || target === null) {
    if (flags.json) printJson({ format, parameters, series: seriesSummaries(experiment), measurements: series });
    else printSeries(`${format} with the parameters ${parameters.join(', ')}`, experiment);
    return;
  }
  const chosen = chooseSeries(experiment, flags, file);
  const { rows, defaults } = seriesRows(experiment, chosen, { source: file, map });
  for (const [variable, value] of Object.entries(defaults)) {
    note(`${file} has no ${variable}: the rows get ${variable} ${value}. Use --map to name the parameter for it.`);
  }
  await writeFileWhole(flags.out, await encodeExperiment(experimentFromRows(rows), target));
  const shown = { parameters, series: [chosen] };
  if (flags.json) {
    printJson({ format, parameters, series: seriesSummaries(shown), measurements: shown.series, out: flags.out });
  } else {
    print(`${rows.length} rows of metric '${chosen.metric}', call path '${chosen.callpath}': ${flags.out}`);
  }
}

/** Of each series: points, repetitions of the point that has the fewest, and values of all points together. */
export function seriesSummaries({ series }: Experiment) {
  return series.map(({ callpath, metric, points }) => {
    const counts = points.map(({ values }) => values.length);
    const repetitions = counts.reduce((least, count) => Math.min(least, count));
    return { callpath, metric, points: points.length, repetitions, values: counts.reduce((sum, count) => sum + count) };
  });
}

export function printSeries(heading: string, experiment: Experiment): void {
  const shown = (name: string): string => (name === '' ? '(none)' : name);
  print(heading);
  printTable(seriesSummaries(experiment), [
    left('call path', ({ callpath }) => shown(callpath)),
    left('metric', ({ metric }) => shown(metric)),
    right('points', ({ points }) => points),
    right('repetitions', ({ repetitions }) => repetitions),
    right('values', ({ values }) => values),
  ]);
}
