import type { Variable } from '../rows.ts';

/**
 * The dependence of one summand on its setting, as exponents of
 * x = ranks, x - 1 (others), n - 1 (otherHosts, n nodes), ln x, sqrt(x) - 1 (partners: the other ranks of a row of a square grid),
 * t = threads of each rank, D = 2^(scale - baseScale), s = 100/bw and w = alpha^s. An exponent left out is 0.
 */
type Factor = 'x' | 'others' | 'otherHosts' | 'lnX' | 'partners' | 't' | 'D' | 'lnD' | 's' | 'lnS' | 'w';
export type Basis = { readonly [F in Factor]?: number | undefined } & {
  /** v(n), what the program itself says that a host sends. */
  readonly told?: ToldVolume | undefined;
};

/** Volumes up to a constant, as a program tells them for any number of nodes before it was run there; nodes ascend, from 2. */
export interface ToldVolume {
  readonly nodes: readonly number[];
  readonly volumes: readonly number[];
}

export interface Term {
  /** The coefficient's name. */
  readonly name: string;
  /** What the summand stands for; `whole` where a model does not tell the two apart. */
  readonly part: 'processing' | 'communication' | 'whole';
  readonly basis: Basis;
  /**
   * Present where the hosts' counters told the powers, so that none of them is looked for in times. The bytes that passed within
   * timed runs take so many seconds of a full link: the coefficient is no less.
   */
  readonly counted?: { readonly least: number } | undefined;
}

/** A scaling model: CT in seconds as a sum of coefficients times bases. Plain data, so that a fit carries its own. */
export interface Form {
  readonly name: string;
  readonly title: string;
  readonly terms: readonly Term[];
  /** Variables that must have one value in the rows and keep it in projections. */
  readonly fixed: readonly Variable[];
  /** Variables without whose second value the terms cannot be told apart. */
  readonly needsTwo: readonly Variable[];
  /**
   * Present when communication hides behind computation: p of CT = (P^p + N^p)^(1/p), P and N the sums of the processing
   * and the communication terms. The larger p, the nearer to max(P, N).
   */
  readonly overlap?: number | undefined;
  /**
   * True when the power of D is an unknown too: with several scales every exponent of D is multiplied by the one that fits
   * best, because work and volume seldom grow exactly like the number of vertices (caches, duplicate edges).
   */
  readonly freeSize?: boolean | undefined;
  /** How what a host sends grows, where counters told: the ways that they leave open, the likeliest first. */
  readonly volume?:
    | { readonly baseScale: number; readonly laws: readonly VolumeLaw[]; readonly lineRateBps?: number | undefined }
    | undefined;
  /** How many exponents were chosen to suit the rows: unknowns that are no coefficients. */
  readonly searched?: number | undefined;
  /** True when coefficients may be negative. */
  readonly signed?: boolean | undefined;
}

/** Bytes that a host sends per timed run: bytes * basis. */
export interface VolumeLaw {
  readonly bytes: number;
  /** Of x, the size and the other hosts or ranks. */
  readonly basis: Basis;
  /** How likely it is beside the others; they sum to 1. */
  readonly share: number;
  /** Seconds of a full link for what passed within timed runs, over the basis: no less at any measured setting. */
  readonly least: number;
}

/** Where a basis is evaluated: n nodes, x ranks, t threads of each, size D, slowdown s = 100/bw, factor w. */
export interface BasisPoint {
  readonly n: number;
  readonly x: number;
  readonly t: number;
  readonly D: number;
  readonly s: number;
  readonly w: number;
}

/** One factor of a basis, raised to a power. */
export type BasisFactor =
  | { readonly factor: Factor; readonly exponent: number }
  | { readonly factor: 'told'; readonly volume: ToldVolume };

/** In the order in which `productAt` multiplies. */
const FACTORS = ['x', 'others', 'otherHosts', 'lnX', 'partners', 't', 'D', 'lnD', 's', 'lnS', 'w'] as const;

export function factorsOf(basis: Basis): readonly BasisFactor[] {
  const factors: BasisFactor[] = [];
  for (const factor of FACTORS) {
    const exponent = basis[factor];
    if (exponent !== undefined) factors.push({ factor, exponent });
  }
  if (basis.told !== undefined) factors.push({ factor: 'told', volume: basis.told });
  return factors;
}

export function basisAt(basis: Basis, point: BasisPoint): number {
  return productAt(factorsOf(basis), point);
}

export function productAt(factors: readonly BasisFactor[], point: BasisPoint): number {
  let value = 1;
  // By index: every answer waits for this loop.
  for (let index = 0; index < factors.length; index += 1) {
    const factor = factors[index];
    if (factor !== undefined) value *= factorAt(factor, point);
  }
  return value;
}

function factorAt(one: BasisFactor, { n, x, t, D, s, w }: BasisPoint): number {
  if (one.factor === 'told') return n > 1 ? volumeAt(one.volume, n) : 0;
  const { factor, exponent } = one;
  switch (factor) {
    case 'x':
      return power(x, exponent);
    case 'others':
      return (x - 1) ** exponent;
    case 'otherHosts':
      return (n - 1) ** exponent;
    case 'lnX':
      return Math.log(x) ** exponent;
    case 'partners':
      return (Math.sqrt(x) - 1) ** exponent;
    case 't':
      return power(t, exponent);
    case 'D':
      return power(D, exponent);
    case 'lnD':
      return Math.log(D) ** exponent;
    case 's':
      return power(s, exponent);
    case 'lnS':
      return Math.log(s) ** exponent;
    case 'w':
      return power(w, exponent);
  }
}

/** Between two node counts, and beyond the last two, a power of n. */
function volumeAt({ nodes, volumes }: ToldVolume, n: number): number {
  let after = 1;
  while (after < nodes.length - 1 && (nodes[after] ?? NaN) < n) after += 1;
  const [left, right] = [nodes[after - 1] ?? NaN, nodes[after] ?? NaN];
  const [low, high] = [volumes[after - 1] ?? NaN, volumes[after] ?? NaN];
  return low * (high / low) ** (Math.log(n / left) / Math.log(right / left));
}

/** Completion time from the terms' own seconds: their sum, or with overlap the soft maximum of its two parts. */
export function combineTerms(
  { terms, overlap }: Pick<Form, 'terms' | 'overlap'>,
  secondsOf: ArrayLike<number>,
): number {
  let [processing, communication, whole] = [0, 0, 0];
  // By index: every bootstrap waits for this loop.
  for (let index = 0; index < terms.length; index += 1) {
    const term = terms[index];
    if (term === undefined) continue;
    const seconds = secondsOf[index] ?? NaN;
    if (overlap === undefined || term.part === 'whole') whole += seconds;
    else if (term.part === 'processing') processing += seconds;
    else communication += seconds;
  }
  return whole + softMaximum(processing, communication, overlap);
}

/** (a^p + b^p)^(1/p) without leaving the range of a double; a + b without p. */
export function softMaximum(a: number, b: number, p: number | undefined): number {
  if (p === undefined) return a + b;
  const larger = Math.max(a, b);
  return larger === 0 ? 0 : larger * (1 + (Math.min(a, b) / larger) ** p) ** (1 / p);
}

/** Whether alpha is one of the unknowns. */
export function usesAlpha({ terms }: Pick<Form, 'terms'>): boolean {
  return terms.some(({ basis }) => (basis.w ?? 0) !== 0);
}

/** Whether completion time depends on the bandwidth. */
export function usesBandwidth({ terms }: Pick<Form, 'terms'>): boolean {
  return terms.some(({ basis }) => (basis.w ?? 0) !== 0 || (basis.s ?? 0) !== 0 || (basis.lnS ?? 0) !== 0);
}

/** The highest bandwidth, percent, that a form can be asked for: alpha^(100/bw) means nothing beyond the full link. */
export function highestBandwidth(form: Pick<Form, 'terms'>): number {
  return usesBandwidth(form) && !usesAlpha(form) ? 10_000 : 100;
}

/** `CT = C1*D/x + C2*D*w/sqrt(x), w = alpha^(100/bw)`; `nameOf`: what stands for a coefficient, and for alpha. */
export function formula(form: Pick<Form, 'terms' | 'overlap'>, nameOf = (name: string): string => name): string {
  const written = (terms: readonly Term[]): string =>
    terms.map((term) => termFormula({ ...term, name: nameOf(term.name) })).join(' + ');
  const parts = (part: Term['part']): Term[] => form.terms.filter((term) => term.part === part);
  const p = form.overlap;
  const sum =
    p === undefined
      ? written(form.terms)
      : `((${written(parts('processing'))})^${p} + (${written(parts('communication'))})^${p})^(1/${p})` +
        parts('whole')
          .map((term) => ` + ${written([term])}`)
          .join('');
  const uses = (key: 's' | 'w' | 'told'): boolean => form.terms.some(({ basis }) => basis[key] !== undefined);
  const notes = [
    ...(uses('told') ? ["v(n) from the graph's degrees"] : []),
    ...(uses('s') ? ['s = 100/bw'] : []),
    ...(uses('w') ? [`w = ${nameOf('alpha')}^(100/bw)`] : []),
  ];
  return [`CT = ${sum.replaceAll('+ -', '- ')}`, ...notes].join(', ');
}

/** `C2*D*w/sqrt(x)`. */
export function termFormula({ name, basis }: Term): string {
  const factors: [string, number | undefined][] = [
    ['D', basis.D],
    ['ln(D)', basis.lnD],
    ['s', basis.s],
    ['ln(s)', basis.lnS],
    ['w', basis.w],
    ['ln(x)', basis.lnX],
    ['(x - 1)', basis.others],
    ['(n - 1)', basis.otherHosts],
    ['(sqrt(x) - 1)', basis.partners],
    ['x', basis.x],
    ['t', basis.t],
    ['v(n)', basis.told && 1],
  ];
  const used = factors.flatMap(([symbol, exponent]) => (exponent ? [{ symbol, exponent }] : []));
  const above = used.filter(({ exponent }) => exponent > 0).map((factor) => powerText(factor));
  const below = used
    .filter(({ exponent }) => exponent < 0)
    .map(({ symbol, exponent }) => powerText({ symbol, exponent: -exponent }));
  return `${[name, ...above].join('*')}${below.map((text) => `/${text}`).join('')}`;
}

function powerText({ symbol, exponent }: { symbol: string; exponent: number }): string {
  if (exponent === 1) return symbol;
  if (exponent === 0.5) return `sqrt(${symbol})`;
  return `${symbol}^${Number(exponent.toFixed(3))}`;
}

/** The exponents of the paper's terms are exact and quick; the rest goes through pow. */
function power(base: number, exponent: number): number {
  switch (exponent) {
    case 1:
      return base;
    case -1:
      return 1 / base;
    case 0.5:
      return Math.sqrt(base);
    case -0.5:
      return 1 / Math.sqrt(base);
    default:
      return base ** exponent;
  }
}
