// Ways of answering for node counts that were not seen: predict's own, forms by themselves, and other ways of making intervals.
import { quantileSorted } from 'simple-statistics';
import { attempt } from '../../../base/errors.ts';
import { collapse } from '../../../modeling/fit/collapse.ts';
import { type Solved, solveModel } from '../../../modeling/fit/fit.ts';
import { paperModelFor, peerForms, variesIn } from '../../../modeling/forms/candidates.ts';
import type { Form } from '../../../modeling/forms/form.ts';
import type { ModelName } from '../../../modeling/forms/models.ts';
import { pmnfForm } from '../../../modeling/forms/pmnf.ts';
import { predict } from '../../../modeling/forms/predict.ts';
import { chooseAmong, compare } from '../../../modeling/judge/compare-candidates.ts';
import { createRandom } from '../../../modeling/judge/distributions.ts';
import { estimateNoise } from '../../../modeling/judge/noise.ts';
import { extrapolate } from '../../../modeling/judge/predict-unseen.ts';
import { distinct, type Rows, settingAt } from '../../../modeling/rows.ts';
import { type Answer, type Outcome, summary } from './score.ts';
import type { Split } from './tables.ts';

export interface Method {
  readonly name: string;
  /** False where only values are given, no intervals. */
  readonly intervals: boolean;
  readonly answer: (split: Split) => Omit<Outcome, 'set' | 'name'>;
}

const REPLICATES = 400;
const REFUSED = { answers: null } as const;

/** The mixture that `--model auto` is. */
const auto: Method = { name: 'predict', intervals: true, answer: (split) => answersOf(split) };

/** The same without the upward curvature that programs have beyond the largest node count. */
const expectingNothing: Method = {
  name: 'no late overheads',
  intervals: true,
  answer: (split) => answersOf(split, 0),
};

/** The mixture, expecting so many times the usual late overheads. */
function answersOf(
  { training, unseen, ranksPerNode, traffic }: Split,
  upward = 1,
): { readonly answers: readonly Answer[] | null } {
  const solved = attempt(() => chooseAmong(training, { ranksPerNode, traffic }).solved);
  if (!solved) return REFUSED;
  const particles = solved.posterior.particles.map((one) => ({
    ...one,
    strays: { ...one.strays, upward: one.strays.upward * upward },
  }));
  const expecting = { ...solved, posterior: { ...solved.posterior, particles } };
  const told = extrapolate(expecting, unseen, { replicates: REPLICATES });
  const answers = told.cells.map(({ measured, predicted, interval, abstains }) => ({
    measured,
    predicted,
    low: interval?.low ?? 0,
    high: interval?.high ?? Number.MAX_VALUE,
    abstains: abstains !== null,
  }));
  return { answers };
}

/** Times the usual late overheads. */
const SIZES = [0, 0.5, 1, 1.5, 2] as const;

/**
 * The mixture with the late overheads that do best on the other programs (by the logarithm of the mean interval score, each program
 * alike): what a program's own tables have no part in.
 */
export function learntElsewhere(splits: readonly Split[]): Method {
  const sets = [...new Set(splits.map(({ set }) => set))];
  const asked = SIZES.map((size) => {
    const outcomes = splits.map((split) => ({ split, set: split.set, name: split.name, ...answersOf(split, size) }));
    const scores = sets.map((set) => summary(outcomes.filter((one) => one.set === set)).intervalScore);
    return { outcomes, scores };
  });
  const bestFor = new Map(
    sets.map((set) => {
      const lossOf = ({ scores }: (typeof asked)[number]): number =>
        scores.reduce((sum, score, index) => sum + (sets[index] === set ? 0 : Math.log(score)), 0);
      return [set, [...asked].sort((a, b) => lossOf(a) - lossOf(b))[0]];
    }),
  );
  return {
    name: 'late overheads of other programs',
    intervals: true,
    answer: (asking) => ({
      answers: bestFor.get(asking.set)?.outcomes.find(({ split }) => split === asking)?.answers ?? null,
    }),
  };
}

/** Forms by themselves, as least squares of relative errors finds them. */
const alone: readonly Method[] = (
  [
    ['Eq 2, Eq 6', (rows) => paperModelFor(variesIn(collapse(rows)))],
    ['Amdahl', (rows) => peerNamed(rows, 'amdahl')],
    ['USL', (rows) => peerNamed(rows, 'usl')],
    ['Ernest', (rows) => peerNamed(rows, 'ernest')],
    ["Extra-P's form", (rows, ranksPerNode) => pmnfForm(collapse(rows), { ranksPerNode, baseScale: 0 })],
  ] as const satisfies readonly (readonly [string, (rows: Rows, ranksPerNode: number) => Form | ModelName | null])[]
).map(([name, formFor]) => ({
  name,
  intervals: false,
  answer: ({ training, unseen, ranksPerNode }) => {
    const solved = attempt(() => {
      const form = formFor(training, ranksPerNode);
      return form && solveModel(form, training, { ranksPerNode, baseScale: 0, errors: 'relative' });
    });
    if (!solved) return REFUSED;
    return { answers: cellsOf(unseen).map((cell) => certain(cell, predict(solved.fit, cell))) };
  },
}));

function peerNamed(rows: Rows, name: string): Form | null {
  return peerForms(variesIn(collapse(rows))).find((form) => form.name === name) ?? null;
}

/** The form of the lowest BIC, its cells redrawn around it and fitted again: nothing is said of other forms. */
const bootstrapOfOne: Method = {
  name: 'bootstrap of the BIC choice',
  intervals: true,
  answer: (split) =>
    fromSamples(split, (fits) => {
      const [best] = [...fits].sort((a, b) => a.bic - b.bic);
      return best ? [{ solved: best.solved, count: REPLICATES }] : [];
    }),
};

/** All forms by exp(-BIC / 2), each redrawn likewise: between forms, but nothing beyond them. */
const mixtureByBic: Method = {
  name: 'mixture by BIC',
  intervals: true,
  answer: (split) =>
    fromSamples(split, (fits) => {
      const least = Math.min(...fits.map(({ bic }) => bic));
      const weights = fits.map(({ bic }) => Math.exp((least - bic) / 2));
      const total = weights.reduce((sum, one) => sum + one, 0);
      return fits.map(({ solved }, index) => ({
        solved,
        count: Math.round((REPLICATES * (weights[index] ?? 0)) / total),
      }));
    }),
};

interface Scored {
  readonly solved: Solved;
  readonly bic: number;
}

function fromSamples(
  { training, unseen, ranksPerNode }: Split,
  choose: (fits: readonly Scored[]) => readonly { readonly solved: Solved; readonly count: number }[],
): Omit<Outcome, 'set' | 'name'> {
  const comparison = attempt(() => compare(training, { ranksPerNode }));
  if (!comparison) return REFUSED;
  const { errors, candidates, fit } = comparison;
  const fits = candidates.flatMap(({ form, bic }) => {
    const solved = attempt(() => solveModel(form, training, { ranksPerNode, baseScale: fit.baseScale, errors }));
    return solved ? [{ solved, bic }] : [];
  });
  const chosen = choose(fits).filter(({ count }) => count > 0);
  const random = createRandom(1);
  const sampled = chosen.flatMap(({ solved, count }) => redrawn(solved, count, random));
  const cells = cellsOf(unseen);
  const answers = cells.map((cell): Answer => {
    const of = ({ fit: one, scatter }: (typeof sampled)[number]): number =>
      Math.max(predict(one, cell), 1e-9) * Math.exp(scatter * random.normal());
    const curve = sampled.map(({ fit: one }) => predict(one, cell)).sort((a, b) => a - b);
    const runs = sampled.map(of).sort((a, b) => a - b);
    return {
      measured: cell.measured,
      predicted: quantileSorted(curve, 0.5),
      low: quantileSorted(runs, 0.05),
      high: quantileSorted(runs, 0.95) * (1 + 1e-9),
      abstains: false,
    };
  });
  return { answers };
}

/** Fits to cell means redrawn around a fit by the scatter of repetitions and of whole cells (two levels, chi-squared sizes). */
function redrawn(solved: Solved, count: number, random: ReturnType<typeof createRandom>) {
  const { fit, cells, design, u, coefficients } = solved;
  const noise = estimateNoise(solved);
  const curve = design.predict(u, coefficients);
  return Array.from({ length: count }, () => {
    const wider = noise.between > 0 ? noise.freedom / random.chiSquared(noise.freedom) : 0;
    const y = curve.map((mean, cell) => {
      const variance = (noise.within[cell] ?? 0) / mean ** 2 + wider * noise.between ** 2;
      return mean * Math.exp(Math.sqrt(variance) * random.normal());
    });
    const { fit: one } = solveModel(solved.asked, { ...cells, mean: y }, { ...fit, setAside: false });
    const repetitions = Math.max(1, fit.rows / cells.length);
    return { fit: one, scatter: Math.sqrt(wider * noise.between ** 2 + (noise.repetition ?? 0) ** 2 / repetitions) };
  });
}

/** How many neighbours in distance tell how far off an extrapolation is. */
const NEIGHBOURS = 30;

/**
 * The paper's form, as wide as it was off on other programs at like distances beyond the largest node count (split conformal
 * prediction with a nearest-neighbour scale, whole programs left out).
 */
export function conformal(splits: readonly Split[]): Method {
  const [paper] = alone;
  const seen = splits.flatMap((split) => {
    const largest = Math.max(...distinct(split.training, 'nodes'));
    const counts = cellsOf(split.unseen);
    return (paper?.answer(split).answers ?? []).map(({ measured, predicted }, index) => ({
      set: split.set,
      distance: Math.log((counts[index]?.nodes ?? 1) / largest),
      miss: Math.abs(Math.log(measured / predicted)),
    }));
  });
  return {
    name: 'conformal around the paper',
    intervals: true,
    answer: (split) => {
      const answers = paper?.answer(split).answers;
      if (!answers) return REFUSED;
      const largest = Math.max(...distinct(split.training, 'nodes'));
      const others = seen.filter(({ set }) => set !== split.set);
      const cells = cellsOf(split.unseen);
      const widened = answers.map((one, index) => {
        const distance = Math.log((cells[index]?.nodes ?? 1) / largest);
        const near = [...others]
          .sort((a, b) => Math.abs(a.distance - distance) - Math.abs(b.distance - distance))
          .slice(0, NEIGHBOURS);
        const wide = quantileSorted(
          near.map(({ miss }) => miss).sort((a, b) => a - b),
          0.9,
        );
        return { ...one, low: one.predicted * Math.exp(-wide), high: one.predicted * Math.exp(wide) };
      });
      return { answers: widened };
    },
  };
}

export const methods: readonly Method[] = [auto, expectingNothing, ...alone, bootstrapOfOne, mixtureByBic];

function cellsOf(rows: Rows) {
  const cells = collapse(rows);
  return Array.from(cells.mean, (measured, cell) => ({ ...settingAt(cells, cell), measured }));
}

function certain({ measured }: { readonly measured: number }, predicted: number): Answer {
  return { measured, predicted, low: predicted, high: predicted, abstains: false };
}
