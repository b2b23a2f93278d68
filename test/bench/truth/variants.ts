// What `auto` takes as known of rows of one bandwidth, as shipped and with one constant changed at a time.
import type { Mixed } from '../../../modeling/judge/ensemble.ts';
import type { Member } from '../../../modeling/judge/member.ts';
import { computePosterior, OF_TIMES, type StraysKnown } from '../../../modeling/judge/posterior.ts';

/** How what is known of an unknown is changed: `more` joins its mean, `wider` multiplies its standard deviation. */
interface Move {
  readonly more: number;
  readonly wider: number;
}

export interface Variant {
  readonly name: string;
  readonly strays: StraysKnown;
  /** Of ln of communication over work on the smallest cluster. */
  readonly share: Move;
  /** Of what joins communication's power of x, which is negative. */
  readonly power: Move;
}

const STILL: Move = { more: 0, wider: 1 };
export const SHIPPED: Variant = { name: 'as shipped', strays: OF_TIMES, share: STILL, power: STILL };

const FACTOR = 1.5;
/** Half of the power's standard deviation. */
const POWER_STEP = 0.15;

const { count, nodes, beyond } = OF_TIMES;

/** The spread of cells within a node count is not among them: at one bandwidth a count is one cell. */
export const VARIANTS: readonly Variant[] = [
  SHIPPED,
  ...bothWays('count median', (by) => ({ strays: { ...OF_TIMES, count: { ...count, median: count.median * by } } })),
  ...bothWays('count sd', (by) => ({ strays: { ...OF_TIMES, count: { ...count, sd: count.sd * by } } })),
  ...bothWays('nodes median', (by) => ({ strays: { ...OF_TIMES, nodes: { ...nodes, median: nodes.median * by } } })),
  ...bothWays('beyond median', (by) => ({ strays: strayingBeyond({ median: beyond.median * by }) })),
  ...bothWays('beyond sd', (by) => ({ strays: strayingBeyond({ sd: beyond.sd * by }) })),
  { ...SHIPPED, name: 'upward 0', strays: strayingBeyond({ upward: 0 }) },
  { ...SHIPPED, name: 'upward 0.7', strays: strayingBeyond({ upward: 0.7 }) },
  ...bothWays('share median', (by) => ({ share: { more: Math.log(by), wider: 1 } })),
  ...bothWays('share sd', (by) => ({ share: { more: 0, wider: by } })),
  { ...SHIPPED, name: `shrink mean + ${POWER_STEP}`, power: { more: -POWER_STEP, wider: 1 } },
  { ...SHIPPED, name: `shrink mean - ${POWER_STEP}`, power: { more: POWER_STEP, wider: 1 } },
  ...bothWays('shrink sd', (by) => ({ power: { more: 0, wider: by } })),
];

function strayingBeyond(changed: Partial<StraysKnown['beyond']>): StraysKnown {
  return { ...OF_TIMES, beyond: { ...beyond, ...changed } };
}

function bothWays(name: string, make: (by: number) => Partial<Variant>): Variant[] {
  return [
    { ...SHIPPED, ...make(FACTOR), name: `${name} x ${FACTOR}` },
    { ...SHIPPED, ...make(1 / FACTOR), name: `${name} / ${FACTOR}` },
  ];
}

/** The same rows weighed again. At one bandwidth the mixture is one form of three unknowns: time, share and power. */
export function withVariant(solved: Mixed, { strays, share, power }: Variant): Mixed {
  const rivals = [...new Set(solved.posterior.draws.map(({ rival }) => rival))].map((rival) => ({
    ...rival,
    member: { ...rival.member, unknowns: movedUnknowns(rival.member, [STILL, share, power]) },
  }));
  return { ...solved, parts: null, posterior: computePosterior(rivals, solved.cells, strays) };
}

function movedUnknowns({ unknowns }: Member, moves: readonly Move[]): Member['unknowns'] {
  if (unknowns.length !== moves.length) throw new Error(`a form of ${unknowns.length} unknowns: give one bandwidth`);
  return unknowns.map(({ mean, sd, logNorm }, index) => {
    const { more, wider } = moves[index] ?? STILL;
    return { mean: mean + more, sd: sd * wider, logNorm: logNorm + Math.log(wider) };
  });
}
