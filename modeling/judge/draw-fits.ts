// Fits that may be true, drawn from what rows leave open.
// Inner loops index with `?? NaN`, see fit/gram.ts.
import { at, last, shuffledIndices } from '../../base/lists.ts';
import type { Fit } from '../model-records.ts';
import type { Random } from './distributions.ts';
import type { MeasuredParts } from './measured-parts.ts';
import type { Draws, Posterior } from './posterior.ts';
import { bendOf } from './strays.ts';

/** How far cells lie off a curve, relatively. */
export interface Scatter {
  readonly processing: number;
  readonly communication: number;
  /** Whether both are one: a whole time scatters. */
  readonly together: boolean;
}

type Replica = Pick<Fit, 'model' | 'form' | 'coefficients' | 'alpha' | 'bend' | 'communicationBend'>;

/** A fit that may be true, beside what all of an ensemble share. */
export interface MaybeTrue {
  readonly replica: Replica;
  readonly scatter: Scatter;
}

interface Drawn {
  readonly replica: Replica & Required<Pick<Fit, 'bend'>>;
  readonly scatter: number;
}

function draw(posterior: Posterior, count: number, random: Random): Drawn[] {
  const { cells, axes } = posterior;
  const y = cells.mean.map((mean) => Math.log(mean));
  const residuals = new Float64Array(cells.length);
  return pick(posterior, count, random).map(({ values, rival, strays, covariance }) => {
    rival.member.logTimes(values, residuals);
    for (let cell = 0; cell < y.length; cell += 1) residuals[cell] = (y[cell] ?? NaN) - (residuals[cell] ?? NaN);
    const bins = covariance.drawBins(residuals, random);
    const { form, coefficients, alpha } = rival.member.toFit(values);
    const bend = bendOf(axes, bins, strays, random);
    const replica = { model: form.name, form, coefficients, alpha, bend };
    return { replica, scatter: Math.hypot(strays.cell, strays.offset) };
  });
}

export function drawWhole(posterior: Posterior, count: number, random: Random): MaybeTrue[] {
  return draw(posterior, count, random).map(({ replica, scatter }) => ({
    replica,
    scatter: { processing: scatter, communication: scatter, together: true },
  }));
}

/** What the parts leave open by themselves: draws come in the order of their forms and sizes, so one of both is shuffled. */
export function drawParts(
  parts: MeasuredParts,
  { count, seed, random }: { readonly count: number; readonly seed: number; readonly random: Random },
): MaybeTrue[] {
  const computing = draw(parts.processing, count, random);
  const others = draw(parts.communication, count, random);
  const order = shuffledIndices(count, seed);
  return computing.map(({ replica: { form, coefficients, bend }, scatter }, index) => {
    const communication = at(others, at(order, index));
    const own = communication.replica;
    return {
      replica: {
        model: parts.form.name,
        form: { ...parts.form, terms: [...form.terms, ...own.form.terms] },
        coefficients: { ...coefficients, ...own.coefficients },
        alpha: own.alpha,
        bend,
        communicationBend: own.bend,
      },
      scatter: { processing: scatter, communication: communication.scatter, together: false },
    };
  });
}

/** One draw of a mode. */
type Picked = Omit<Draws, 'weights'>;

/** So many draws, each as often as its weight says, to the whole number above or below (systematic resampling). */
function pick({ draws }: Posterior, count: number, random: Random): Picked[] {
  const picked: Picked[] = [];
  let reached = random.uniform();
  let sum = 0;
  for (const { weights, values, ...mode } of draws) {
    const size = values.length / weights.length;
    for (let index = 0; index < weights.length; index += 1) {
      sum += (weights[index] ?? NaN) * count;
      for (; reached < sum && picked.length < count; reached += 1) {
        picked.push({ ...mode, values: values.subarray(index * size, (index + 1) * size) });
      }
    }
  }
  while (picked.length < count) picked.push(last(picked));
  return picked;
}
