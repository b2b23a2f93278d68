import {
  type DagThresholds,
  DEFAULT_THRESHOLDS,
  SATURATIONS,
  type Saturation,
} from '../../../analysis/dag/judge/judge.ts';
import { parseNumber } from '../../../base/bounds.ts';
import { badInput } from '../../../base/errors.ts';
import { shortened } from '../../../base/text.ts';
import { parseBytes } from '../../../base/units.ts';
import { given, type Optional, type Switches } from '../flags.ts';

type Named = 'alpha' | 'beta' | 'saturation' | 'target' | 'size' | 'price' | 'interval' | 'out' | 'trace';

/** The options of `predict why --method jobs`, as given. */
export type DagFlags = Optional<Named> & Switches;

/** Thresholds as far as flags say them. */
export function parseThresholds({ alpha, beta }: Pick<DagFlags, 'alpha' | 'beta'>): Partial<DagThresholds> {
  return {
    ...(alpha === undefined ? {} : { alpha: parseNumber(alpha, '--alpha') }),
    ...(beta === undefined ? {} : { beta: parseNumber(beta, '--beta') }),
  };
}

export function wholeThresholds(flags: Pick<DagFlags, 'alpha' | 'beta'>): DagThresholds {
  return { ...DEFAULT_THRESHOLDS, ...parseThresholds(flags) };
}

export function parseSaturation(text: string | undefined): Saturation | undefined {
  return given(text, (word) => {
    const found = SATURATIONS.find((one) => one === word);
    if (found === undefined)
      throw badInput(`--saturation: '${shortened(word)}' is unknown: write ${SATURATIONS.join(', ')}.`);
    return found;
  });
}

/** An amount of work: a plain number of records, or bytes with a unit. */
export interface WorkAmount {
  readonly unit: 'records' | 'bytes';
  readonly amount: number;
}

/** `500/s`, `2.5/s`, `20MB/s`. */
export function parseRateTarget(text: string): WorkAmount {
  const amount = withoutUnit(text, 's');
  const count = amount === null ? null : withoutUnit(amount, '/');
  if (count === null)
    throw badInput(`--target: '${shortened(text)}' is not a rate: write for example 500/s or 20MB/s.`);
  return workAmount(count, '--target');
}

function withoutUnit(text: string, unit: string): string | null {
  const word = text.trim();
  return word.endsWith(unit) ? word.slice(0, -unit.length).trim() : null;
}

/** `4000`, `40GB`. */
export function parseSize(text: string): WorkAmount {
  return workAmount(text, '--size');
}

function workAmount(text: string, what: '--target' | '--size'): WorkAmount {
  if (/b\s*$/i.test(text)) return { unit: 'bytes', amount: parseBytes(text) };
  return { unit: 'records', amount: parseNumber(text, what) };
}
