import { badInput } from '../../base/errors.ts';
import type { Fit } from '../model-records.ts';
import { usesAlpha } from './form.ts';
import { type ModelName, models } from './models.ts';

interface GivenOptions {
  readonly ranksPerNode: number;
  readonly baseScale: number;
  /** What the fit is taken to have been trained on: a model that holds a variable fixed is asked for no other value. */
  readonly trainedOn: Fit['trainedOn'];
}

/** A fit from known numbers, such as a paper's table: `C1=138.59,C2=4.004,alpha=1.11`. Nothing tells how well it fits. */
export function fitFromCoefficients(model: ModelName, text: string, options: GivenOptions): Fit {
  const form = models[model];
  const given = new Map<string, number>();
  for (const part of text.split(',')) {
    const [name = '', number = ''] = part.split('=').map((piece) => piece.trim());
    const value = number === '' ? Number.NaN : Number(number);
    if (name === '' || !Number.isFinite(value) || value < 0) {
      throw badInput(`'${part}' is not a coefficient: write NAME=NUMBER, at least 0, such as C1=138.59,C2=4.004.`);
    }
    if (given.has(name)) throw badInput(`The coefficient ${name} occurs twice: keep one.`);
    given.set(name, value);
  }
  const names = [...form.terms.map(({ name }) => name), ...(usesAlpha(form) ? ['alpha'] : [])];
  const missing = names.filter((name) => !given.has(name));
  const unknown = [...given.keys()].filter((name) => !names.includes(name));
  if (missing.length > 0 || unknown.length > 0) {
    const wrong =
      missing.length > 0 ? `${missing.join(', ')} missing` : `${unknown.join(', ')} not one of its parameters`;
    throw badInput(`${form.title}, has ${names.join(', ')}; ${wrong}.`);
  }
  const ordered = [...given].sort(([a], [b]) => names.indexOf(a) - names.indexOf(b));
  const { alpha = null, ...coefficients } = Object.fromEntries(ordered);
  if (alpha !== null && alpha < 1) throw badInput(`The coefficient alpha is ${alpha}: it is at least 1.`);
  return {
    model,
    form,
    coefficients,
    alpha,
    errors: 'absolute',
    r2: 0,
    mse: 0,
    rows: 1,
    ranksPerNode: options.ranksPerNode,
    baseScale: options.baseScale,
    trainedOn: options.trainedOn,
  };
}
