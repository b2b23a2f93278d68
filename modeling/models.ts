import type { ModelName } from './records.ts';
import type { Variable } from './rows.ts';

/**
 * One summand of a completion time: coefficient times `basis`.
 * x = ranks, D = 2^(scale - baseScale), w = alpha^(100/bw), 1 in models without alpha, s = 100/bw.
 */
export interface Term {
  readonly name: string;
  /** What the summand stands for; `whole` where a model does not tell the two apart. */
  readonly part: 'processing' | 'communication' | 'whole';
  /** Smooth in w and above 0. */
  readonly basis: (x: number, D: number, w: number, s: number) => number;
}

/** A scaling model: CT in seconds as a sum of terms with coefficients >= 0. */
export interface Model {
  readonly name: ModelName;
  readonly title: string;
  readonly formula: string;
  readonly terms: readonly Term[];
  readonly usesAlpha: boolean;
  /** Variables that must have one value in the rows and keep it in projections. */
  readonly fixed: readonly Variable[];
  /** Variables without whose second value the terms cannot be told apart. */
  readonly needsTwo: readonly Variable[];
}

/** The paper's models (Medya et al., Table I) and our own. A new model is one entry here and its name in records.ts. */
export const models: Readonly<Record<ModelName, Model>> = {
  eq2: {
    name: 'eq2',
    title: 'Eq 2, base model',
    formula: 'CT = C1/x + C2/sqrt(x)',
    terms: [
      { name: 'C1', part: 'processing', basis: (x) => 1 / x },
      { name: 'C2', part: 'communication', basis: (x) => 1 / Math.sqrt(x) },
    ],
    usesAlpha: false,
    fixed: ['bw', 'scale'],
    needsTwo: ['nodes'],
  },
  eq3: {
    name: 'eq3',
    title: 'Eq 3, generalized base model',
    formula: 'CT = C1*D/x + C2*D/sqrt(x)',
    terms: [
      { name: 'C1', part: 'processing', basis: (x, D) => D / x },
      { name: 'C2', part: 'communication', basis: (x, D) => D / Math.sqrt(x) },
    ],
    usesAlpha: false,
    fixed: ['bw'],
    needsTwo: ['nodes'],
  },
  eq5: {
    name: 'eq5',
    title: 'Eq 5, bandwidth model',
    formula: 'CT = C*w, w = alpha^(100/bw)',
    terms: [{ name: 'C', part: 'whole', basis: (_x, _D, w) => w }],
    usesAlpha: true,
    fixed: ['scale', 'nodes'],
    needsTwo: ['bw'],
  },
  eq6: {
    name: 'eq6',
    title: 'Eq 6, refined model',
    formula: 'CT = C1/x + C2*w/sqrt(x), w = alpha^(100/bw)',
    terms: [
      { name: 'C1', part: 'processing', basis: (x) => 1 / x },
      { name: 'C2', part: 'communication', basis: (x, _D, w) => w / Math.sqrt(x) },
    ],
    usesAlpha: true,
    fixed: ['scale'],
    needsTwo: ['bw'],
  },
  eq7: {
    name: 'eq7',
    title: 'Eq 7, generalized refined model',
    formula: 'CT = C1*D/x + C2*D*w/sqrt(x), w = alpha^(100/bw)',
    terms: [
      { name: 'C1', part: 'processing', basis: (x, D) => D / x },
      { name: 'C2', part: 'communication', basis: (x, D, w) => (D * w) / Math.sqrt(x) },
    ],
    usesAlpha: true,
    fixed: [],
    needsTwo: ['bw'],
  },
  // Not in the paper: what a 2-D partitioned program does per search. Its work is shared by x ranks, each rank's volume
  // shrinks like 1/sqrt(x) and takes as long as the link is slow, and each of its sqrt(x) partners costs a message.
  volume: {
    name: 'volume',
    title: 'Volume model',
    formula: 'CT = C1*D/x + C2*D*s/sqrt(x) + C3*sqrt(x), s = 100/bw',
    terms: [
      { name: 'C1', part: 'processing', basis: (x, D) => D / x },
      { name: 'C2', part: 'communication', basis: (x, D, _w, s) => (D * s) / Math.sqrt(x) },
      { name: 'C3', part: 'communication', basis: (x) => Math.sqrt(x) },
    ],
    usesAlpha: false,
    fixed: [],
    needsTwo: ['bw', 'nodes'],
  },
};
