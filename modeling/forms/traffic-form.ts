import { badInput } from '../../base/errors.ts';
import { at } from '../../base/lists.ts';
import { type Cells, collapse } from '../fit/collapse.ts';
import { createDesign, type Scaling } from '../fit/design.ts';
import { distinct, type Rows } from '../rows.ts';
import { type Basis, basisAt, type Form, type Term, type ToldVolume, type VolumeLaw } from './form.ts';

/** What the hosts' counters recorded at one setting, per host and timed run. */
export interface TrafficPoint {
  readonly nodes: number;
  readonly scale: number;
  readonly bytes: number;
  /** Of the full link; left out where it is not known. */
  readonly lineRateBps?: number;
  /** Seconds that the full link takes at least for those bytes that passed within timed runs; 0 where that is not known. */
  readonly least: number;
  /** What the program itself says of other node counts; left out where it says nothing. */
  readonly told?: ToldVolume | undefined;
}

/** A way in which programs spread their data, and the powers of x that it has by itself. */
interface Pattern {
  readonly basis: Basis;
  readonly powers: readonly { readonly power: number; readonly share: number }[];
  /** Of any power of x, normal: programs that do several of these, or send less of what all others have already. */
  readonly any?: { readonly share: number; readonly mean: number; readonly sd: number };
}

/** Shares sum to 1. */
const PATTERNS: readonly Pattern[] = [
  // To a number of neighbours that stays: planes, edges of a square, surfaces of a cube, all of the data.
  {
    basis: {},
    powers: [-1, -2 / 3, -1 / 2, 0].map((power) => ({ power, share: 0.1 })),
    any: { share: 0.05, mean: -0.6, sd: 0.4 },
  },
  // To all other hosts: all with all of what there is, all to all, a copy to each.
  {
    basis: { otherHosts: 1 },
    powers: [
      { power: -2, share: 0.2 },
      { power: -1, share: 0.1 },
      { power: 0, share: 0.05 },
    ],
  },
  // To the others of a row of a square grid.
  {
    basis: { partners: 1 },
    powers: [-1, -1 / 2].map((power) => ({ power, share: 0.075 })),
    any: { share: 0.05, mean: -1, sd: 0.2 },
  },
];
/** What the program told, and some power more: labels that changed, headers. As likely as all others together, thrice. */
const TOLD = { powers: [{ power: 0, share: 2 }], any: { share: 1, mean: 0, sd: 0.15 } };
/** Relative scatter of counted bytes: headers, acknowledgements, what is sent again. */
const SCATTER = 0.01;
/** Of a power around the one that a pattern has by itself. */
const NEAR = 0.03;
/** By so much less squared error messages show: cells half as far from the curve. */
const MUCH = 4;
/** A law less likely than this beside the likeliest is left out. */
const NEGLIGIBLE = 0.01;

/**
 * The laws of a host's volume that counters leave open, the likeliest first: per pattern the powers of x and D by least squares on
 * logarithms, weighed by what that leaves and by how near the power is to one that a pattern has by itself. From one node
 * count no power is known: it stays that of a 2-D partition, -1/2. From one scale the size counts as it is.
 */
export function volumeLaws(points: readonly TrafficPoint[], scaling: Scaling): VolumeLaw[] {
  const usable = points.filter(({ bytes, nodes }) => bytes > 0 && nodes > 1);
  if (usable.length === 0) throw badInput('No counter of these runs shows traffic, so there is no volume to model.');
  const places = bySetting(usable).map((own) => placeOf(own, scaling));
  const { told } = usable.reduce((best, one) => (one.told && one.scale >= best.scale ? one : best), at(usable, 0));
  const patterns = told === undefined ? PATTERNS : [{ basis: { told }, ...TOLD }, ...PATTERNS];
  const found = patterns.flatMap(({ basis, powers, any }) => {
    const law = lawOf(places, basis);
    if (!law) return [];
    const known = powers.reduce(
      (sum, one) => sum + one.share * normal(law.x, one.power, Math.hypot(NEAR, law.xError)),
      0,
    );
    const prior = known + (any ? any.share * normal(law.x, any.mean, Math.hypot(any.sd, law.xError)) : 0);
    return [{ ...law, log: Math.log(prior) - law.squares / 2 }];
  });
  const most = Math.max(...found.map(({ log }) => log));
  const likely = found
    .map((law) => ({ ...law, weight: Math.exp(law.log - most) }))
    .filter(({ weight }) => weight > NEGLIGIBLE);
  const total = likely.reduce((sum, { weight }) => sum + weight, 0);
  return likely
    .sort((a, b) => b.weight - a.weight)
    .map(({ bytes, basis, weight }) => ({ bytes, basis, share: weight / total, least: leastOf(places, basis) }));
}

/** The points of each (nodes, scale): bandwidth changes no volume. */
function bySetting(points: readonly TrafficPoint[]): TrafficPoint[][] {
  const found = new Map<string, TrafficPoint[]>();
  for (const point of points) {
    const key = `${point.nodes} ${point.scale}`;
    found.set(key, [...(found.get(key) ?? []), point]);
  }
  return [...found.values()];
}

interface Place {
  readonly n: number;
  readonly x: number;
  readonly D: number;
  readonly logBytes: number;
  readonly least: number;
}

function placeOf(points: readonly TrafficPoint[], { ranksPerNode, baseScale }: Scaling): Place {
  const { nodes, scale } = at(points, 0);
  return {
    n: nodes,
    x: nodes * ranksPerNode,
    D: 2 ** (scale - baseScale),
    logBytes: points.reduce((sum, { bytes }) => sum + Math.log(bytes) / points.length, 0),
    least: Math.max(...points.map(({ least }) => least)),
  };
}

function valueAt(basis: Basis, { n, x, D }: Place): number {
  return basisAt(basis, { n, x, t: 1, D, s: 1, w: 1 });
}

/** ln bytes - ln pattern = constant + power of x + power of D; null where a pattern has no value. */
function lawOf(places: readonly Place[], pattern: Basis) {
  const rows = places.map((place) => ({
    x: Math.log(place.x),
    d: Math.log(place.D),
    y: place.logBytes - Math.log(valueAt(pattern, place)),
  }));
  if (rows.some(({ y }) => !Number.isFinite(y))) return null;
  const mean = (of: (row: (typeof rows)[number]) => number): number =>
    rows.reduce((sum, row) => sum + of(row), 0) / rows.length;
  const centre = { x: mean(({ x }) => x), d: mean(({ d }) => d), y: mean(({ y }) => y) };
  const product = (a: 'x' | 'd' | 'y', b: 'x' | 'd' | 'y'): number =>
    mean((row) => (row[a] - centre[a]) * (row[b] - centre[b]));
  const [xx, dd, xd, xy, dy] = [
    product('x', 'x'),
    product('d', 'd'),
    product('x', 'd'),
    product('x', 'y'),
    product('d', 'y'),
  ];
  const [still, flat] = [xx < 1e-9, dd < 1e-9];
  // One node count tells no pattern from another.
  if (still && (pattern.otherHosts !== undefined || pattern.partners !== undefined)) return null;
  const determinant = xx * dd - xd * xd;
  const both = !still && !flat && determinant > 1e-9 * xx * dd;
  const usual = pattern.told === undefined ? -0.5 : 0;
  const power = both ? (xy * dd - dy * xd) / determinant : still ? usual : (xy - xd) / xx;
  const size = both ? (dy * xx - xy * xd) / determinant : still && !flat ? dy / dd : 1;
  const constant = centre.y - power * centre.x - size * centre.d;
  const rest = rows.map(({ x, d, y }) => (y - constant - power * x - size * d) / SCATTER);
  return {
    bytes: Math.exp(constant),
    basis: { D: size, ...pattern, x: power },
    x: power,
    xError: still ? 0 : SCATTER / Math.sqrt(rows.length * xx),
    squares: rest.reduce((sum, one) => sum + one ** 2, 0),
  };
}

function normal(value: number, mean: number, sd: number): number {
  return Math.exp(-0.5 * ((value - mean) / sd) ** 2) / sd;
}

/** What holds at every node count. */
function leastOf(places: readonly Place[], basis: Basis): number {
  return Math.min(...places.map((place) => place.least / valueAt(basis, place)));
}

/** A message to each that data goes to: rows of a grid, as the pattern has it, or all ranks. */
function messagesOf({ otherHosts, told }: Basis): Basis {
  return otherHosts === undefined && told === undefined ? { x: 0.5 } : { others: 1 };
}

/**
 * The volume model with the volume that was counted instead of assumed: CT = C1 D/x + C2 s times the likeliest law + C3 per message.
 * What grows with ranks leads far astray where it is scatter: the last term stays where it brings the cells much nearer to the curve.
 * Null where the rows have one bandwidth, or no counter tells of traffic at their node counts.
 */
export function trafficForm(points: readonly TrafficPoint[], rows: Rows | Cells, scaling: Scaling): Form | null {
  const nodes = new Set(rows.nodes);
  const usable = points.filter((point) => nodes.has(point.nodes) && point.nodes > 1 && point.bytes > 0);
  if (usable.length === 0 || distinct(rows, 'bw').length < 2) return null;
  const laws = volumeLaws(usable, scaling);
  const { lineRateBps } = at(usable, 0);
  const terms = termsOf(at(laws, 0));
  const form: Form = {
    name: 'traffic',
    title: 'Volume model with measured volumes',
    terms,
    fixed: [],
    needsTwo: ['bw', 'nodes'],
    freeSize: true,
    volume: { baseScale: scaling.baseScale, laws, ...(lineRateBps === undefined ? {} : { lineRateBps }) },
  };
  const cells = collapse(rows);
  const without = { ...form, terms: terms.slice(0, 2) };
  return errorOf(without, cells, scaling) > MUCH * errorOf(form, cells, scaling) ? form : without;
}

/** Sum of squared relative errors of the best coefficients. */
function errorOf(form: Form, cells: Cells, scaling: Scaling): number {
  return createDesign(form, cells, { ...scaling, errors: 'relative' }).sse(0);
}

/** The terms of the volume model with a law. */
export function termsOf({ basis, least }: VolumeLaw): [Term, Term, Term] {
  return [
    { name: 'C1', part: 'processing', basis: { D: 1, x: -1 } },
    { name: 'C2', part: 'communication', basis: { ...basis, s: 1 }, counted: { least } },
    { name: 'C3', part: 'communication', basis: messagesOf(basis) },
  ];
}
