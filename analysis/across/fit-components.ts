import { PredictError } from '../../base/index.ts';
import { createRandom, type Estimate, type Fit, fitModel, predict, rowsFrom } from '../../modeling/index.ts';
import { componentNames, type Run, type Setting, secondsOf } from './runs.ts';

/** The time that one component explains, as a function of nodes, bandwidth and scale. */
export interface ComponentFit {
  readonly name: string;
  readonly fit: Fit;
  /** Fits of the same form to runs drawn anew. */
  readonly replicas: readonly Fit[];
}

/** Either all components, or one sentence that says why they could not be fitted. */
export type ComponentFits =
  | { readonly kind: 'fitted'; readonly components: readonly ComponentFit[] }
  | { readonly kind: 'refused'; readonly reason: string };

/** A component that a run had nothing of counts as a nanosecond: fits take times above 0. */
const LEAST = 1e-9;
const REPLICAS = 200;

/**
 * Fits each component like completion time, by the volume form: work shared by ranks, volume over the link, messages to
 * partners; coefficients below 0 are ruled out, so that parts stay parts. Replicas are of runs drawn with replacement.
 */
export function fitComponents(
  runs: readonly Run[],
  { ranksPerNode, seed = 1 }: { readonly ranksPerNode: number; readonly seed?: number },
): ComponentFits {
  if (runs.length === 0) return { kind: 'refused', reason: 'There are no runs.' };
  const random = createRandom(seed);
  const draws = Array.from({ length: REPLICAS }, () =>
    runs.map(() => runs[Math.floor(random.uniform() * runs.length)] ?? runs[0]),
  );
  const rowsOf = (some: readonly (Run | undefined)[], name: string) =>
    rowsFrom(some.flatMap((run) => (run ? [{ ...run, ct: Math.max(LEAST, secondsOf(run, name)) }] : [])));
  try {
    const components = componentNames(runs).map((name): ComponentFit => {
      const found = fitModel('volume', rowsOf(runs, name), { ranksPerNode });
      const form = { ...found.form, freeSize: false };
      const replicas = draws.flatMap((draw) => {
        try {
          return [fitModel(form, rowsOf(draw, name), { ranksPerNode, baseScale: found.baseScale })];
        } catch (error) {
          // A draw without a second node count or bandwidth tells nothing.
          if (error instanceof PredictError) return [];
          throw error;
        }
      });
      return { name, fit: found, replicas };
    });
    return { kind: 'fitted', components };
  } catch (error) {
    if (error instanceof PredictError) return { kind: 'refused', reason: error.message };
    throw error;
  }
}

/** Seconds of one component at a setting, with a 90 % interval. */
export function componentAt({ fit: found, replicas }: ComponentFit, setting: Setting): Estimate {
  const drawn = replicas.map((replica) => predict(replica, setting)).sort((a, b) => a - b);
  const at = (share: number): number | null => drawn[Math.round(share * (drawn.length - 1))] ?? null;
  return { value: predict(found, setting), low: at(0.05), high: at(0.95) };
}
