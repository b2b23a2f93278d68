import { badInput } from '../../base/index.ts';
import type { Scaling } from '../fit/design.ts';
import { type Coordinates, distinct } from '../rows.ts';
import type { Form } from './form.ts';

/** What the hosts' counters recorded at one setting: bytes that a host sent per search, mean over hosts and searches. */
export interface TrafficPoint {
  readonly nodes: number;
  readonly scale: number;
  readonly bytes: number;
}

/** bytes * D^size * x^ranks per host and search, D = 2^(scale - baseScale), x ranks. */
type VolumeLaw = NonNullable<Form['volume']>;

/**
 * The law of a host's volume, by least squares on logarithms. What did not vary in the points keeps the exponent that a
 * 2-D partition has: -1/2 for ranks, 1 for the size.
 */
export function volumeLaw(points: readonly TrafficPoint[], { ranksPerNode, baseScale }: Scaling): VolumeLaw {
  const usable = points.filter(({ bytes, nodes }) => bytes > 0 && nodes > 1);
  if (usable.length === 0) throw badInput('No counter of these runs shows traffic: there is no volume to model.');
  const rows = usable.map(({ nodes, scale, bytes }) => ({
    x: Math.log(nodes * ranksPerNode),
    d: Math.log(2) * (scale - baseScale),
    y: Math.log(bytes),
  }));
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
  const determinant = xx * dd - xd * xd;
  const both = !still && !flat && determinant > 1e-9 * xx * dd;
  const ranks = both ? (xy * dd - dy * xd) / determinant : still ? -0.5 : (xy - xd) / xx;
  const size = both ? (dy * xx - xy * xd) / determinant : still && !flat ? dy / dd : 1;
  return { bytes: Math.exp(centre.y - ranks * centre.x - size * centre.d), ranks, size, baseScale };
}

/**
 * The volume model with the volume that was measured instead of assumed: CT = C1 D/x + C2 D^a s x^b + C3 sqrt(x). Null where
 * the rows have one bandwidth, or no counter tells of traffic at their node counts.
 */
export function trafficForm(points: readonly TrafficPoint[], rows: Coordinates, scaling: Scaling): Form | null {
  const nodes = new Set(rows.nodes);
  const usable = points.filter((point) => nodes.has(point.nodes) && point.nodes > 1 && point.bytes > 0);
  if (usable.length === 0 || distinct(rows, 'bw').length < 2) return null;
  const volume = volumeLaw(usable, scaling);
  const { ranks, size } = volume;
  return {
    name: 'traffic',
    title: 'Volume model with measured volumes',
    terms: [
      { name: 'C1', part: 'processing', basis: { D: 1, x: -1 } },
      { name: 'C2', part: 'communication', basis: { D: size, s: 1, x: ranks } },
      { name: 'C3', part: 'communication', basis: { x: 0.5 } },
    ],
    fixed: [],
    needsTwo: ['bw', 'nodes'],
    freeSize: true,
    volume,
  };
}
