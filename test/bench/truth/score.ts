import { median, quantile } from 'simple-statistics';

/** Probabilities that are held against what happens, besides 0.9. */
export const LEVELS = [0.51, 0.8, 0.95] as const;

/** One measured value that was predicted, in seconds. */
export interface Answer {
  readonly measured: number;
  readonly predicted: number;
  readonly low: number;
  readonly high: number;
  /** Whether it lies inside the intervals of LEVELS, where those were asked for. */
  readonly inside?: readonly boolean[];
  /** Whether it is given as no answer; the number is there for programs. */
  readonly abstains: boolean;
}

/** The unseen values of one table or campaign, as one method answered; null where it refused. */
export interface Outcome {
  readonly set: string;
  readonly name: string;
  readonly answers: readonly Answer[] | null;
}

const PENALTY = 2 / 0.1;

/** Interval score (Gneiting and Raftery 2007) of ln CT at 90 %: width, and 20 times what lies outside. */
export function intervalScore(answer: Answer): number {
  return Math.log(answer.high / answer.low) + PENALTY * outside(answer);
}

/** Of the 90 % interval. */
export function isInside(answer: Answer): boolean {
  return outside(answer) === 0;
}

/** Figures over outcomes: errors per outcome are medians over its answers. Percent, but for the score and the worst factor. */
export function summary(outcomes: readonly Outcome[]) {
  const answered = outcomes.flatMap(({ answers }) => (answers && answers.length > 0 ? [answers] : []));
  const errors = answered.map((answers) => median(answers.map(errorOf)));
  const all = answered.flat();
  const said = all.filter(({ abstains }) => !abstains);
  return {
    outcomes: outcomes.length,
    refused: outcomes.length - answered.length,
    median: errors.length === 0 ? Number.NaN : median(errors),
    mean: errors.reduce((sum, one) => sum + one, 0) / errors.length,
    p90: errors.length === 0 ? Number.NaN : quantile(errors, 0.9),
    coverage: (all.filter(isInside).length / all.length) * 100,
    halfWidth:
      all.length === 0
        ? Number.NaN
        : median(all.map(({ low, high, predicted }) => ((high - low) / 2 / predicted) * 100)),
    intervalScore: all.reduce((sum, one) => sum + intervalScore(one) / all.length, 0),
    worst: said.reduce((most, one) => Math.max(most, Math.exp(outside(one))), 1),
    abstained: (1 - said.length / all.length) * 100,
  };
}

function errorOf({ measured, predicted }: Answer): number {
  return Math.abs(predicted / measured - 1) * 100;
}

/** How far a measured value lies outside its interval, in ln. */
function outside({ measured, low, high }: Answer): number {
  return Math.max(0, Math.log(low / measured), Math.log(measured / high));
}
