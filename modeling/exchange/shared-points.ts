import { badInput } from '../../base/index.ts';
import { coordinateKey, type Experiment, seriesName } from './experiment.ts';

/** Extra-P refuses an experiment whose series have different points; so do its formats here, with the first that lacks one. */
export function requireSharedPoints(experiment: Experiment, source: string): Experiment {
  const all = new Map(
    experiment.series.flatMap(({ points }) => points.map(({ coordinate }) => [coordinateKey(coordinate), coordinate])),
  );
  for (const series of experiment.series) {
    const own = new Set(series.points.map(({ coordinate }) => coordinateKey(coordinate)));
    const missing = [...all].find(([key]) => !own.has(key))?.[1];
    if (missing !== undefined) {
      throw badInput(
        `${source}: ${seriesName(series)} has no value at ${pointText(experiment.parameters, missing)}, where another series ` +
          'has one. Extra-P needs every series at the same points; csv and parquet do not.',
      );
    }
  }
  return experiment;
}

/** `nodes=4, bw=10` */
export function pointText(parameters: readonly string[], coordinate: readonly number[]): string {
  return parameters.map((name, index) => `${name}=${coordinate[index]}`).join(', ');
}
