import { badInput } from '../../base/errors.ts';
import { ascending } from '../../base/lists.ts';
import { findRoot } from '../fit/find-root.ts';
import type { Term } from '../forms/form.ts';
import { requireBandwidths, requireHeld, termTime } from '../forms/predict.ts';
import type { Estimate, Fit } from '../model-records.ts';

/** Where the search for an admissible node count gives up. */
const MOST_NODES = 1e7;
/** Beyond this crossover (nodes) communication is said never to dominate. */
const NEVER = 1e18;

/**
 * Per bandwidth (percent), the continuous node count where communication time reaches processing time (C2*w/sqrt(x) = C1/x; paper,
 * Table V). 1 when communication dominates everywhere, null when nowhere. In the paper's models it does not depend on the scale.
 */
export function findCrossovers(
  fit: Fit,
  { bw: bandwidths, scale }: { readonly bw: readonly number[]; readonly scale: number },
): (number | null)[] {
  const model = fit.form;
  const terms = (part: Term['part']): Term[] => model.terms.filter((term) => term.part === part);
  const [processing, communication] = [terms('processing'), terms('communication')];
  if (processing.length === 0 || communication.length === 0) {
    throw badInput(`${model.title}, does not separate processing from communication: use eq2, eq3, eq6 or eq7.`);
  }
  requireHeld(fit, 'bw', bandwidths);
  requireHeld(fit, 'scale', [scale]);
  return bandwidths.map((bw) => {
    requireBandwidths(fit, [bw]);
    const seconds = (part: readonly Term[], nodes: number): number =>
      part.reduce((sum, term) => sum + termTime(fit, term, { nodes, bw, scale }), 0);
    return crossover((count) => [seconds(processing, count), seconds(communication, count)]);
  });
}

/** Whole squares: with 18 ranks per node these are the node counts of IBM's Graph500, whose ranks are twice a square. */
export function isPerfectSquare(nodes: number): boolean {
  return Number.isInteger(Math.sqrt(nodes));
}

function crossover(partsAt: (nodes: number) => readonly [processing: number, communication: number]): number | null {
  // A difference of logarithms: the times themselves shrink below rounding at large node counts.
  const excess = (logNodes: number): number => {
    const [processing, communication] = partsAt(Math.exp(logNodes));
    return communication === 0 ? -1 : Math.log(communication) - Math.log(processing);
  };
  if (excess(0) >= 0) return 1;
  const high = Math.log(NEVER);
  if (!(excess(high) > 0)) return null;
  return Math.exp(findRoot(excess, { low: 0, high }));
}

/** The smallest admissible node count at or above a continuous one; null beyond 10 million nodes. */
export function smallestAdmissible(nodes: number, isAdmissible: (nodes: number) => boolean): number | null {
  // A crossover at 81 that rounding made 81.00000000001 is met by 81 nodes.
  for (let count = Math.max(1, Math.ceil(nodes * (1 - 1e-12))); count <= MOST_NODES; count += 1) {
    if (isAdmissible(count)) return count;
  }
  return null;
}

const ROUND = [1, 2, 4, 9, 16, 25, 36, 49, 64, 100, 144, 196, 256, 400, 576, 784, 1024];

/** Node counts to ask models about where nobody names any: the measured ones (ascending), then round ones up to ten times the largest, at least to 256. */
export function chooseTargetNodes(
  measured: readonly number[],
  isAdmissible: (nodes: number) => boolean,
): readonly number[] {
  const most = measured.at(-1) ?? 1;
  const limit = Math.max(256, most * 10);
  const beyond = ROUND.filter((count) => count > most && count <= limit && isAdmissible(count));
  if (beyond.length > 0) return ascending([...measured, ...beyond]);
  // Programs that run on few counts, such as twice a square: the next that can run.
  const next: number[] = [];
  for (const count of [most * 2, most * 4, most * 10]) {
    const found = smallestAdmissible(count, isAdmissible);
    // Beyond it there is none either, and looking takes long.
    if (found === null) break;
    next.push(found);
  }
  return ascending([...measured, ...next]);
}

/** Times the largest cluster that was measured or is asked about: beyond it a node count says nothing. */
const FARTHEST = 10;

/** The nodes up to which something can be said, from those measured and those asked about. */
export function findFarthestNodes(nodes: readonly number[]): number {
  return FARTHEST * nodes.reduce((most, one) => Math.max(most, one));
}

/** A node count of which nothing is said beyond `within`: from there on it stands for never. */
export function withinNodes({ value, low, high }: Estimate, within: number): Estimate {
  const kept = (nodes: number | null): number | null => (nodes !== null && nodes > within ? null : nodes);
  return { value: kept(value), low: kept(low), high: kept(high) };
}

interface FromNodes {
  /** `communication`, `dominates`. */
  readonly subject: string;
  readonly verb: string;
  /** The node count from which it is so; null: never. Low and high are null where nothing is known of them. */
  readonly nodes: Estimate;
  /** `farthestNodes`. */
  readonly within: number;
  /** The next node count that can run. */
  readonly admissible?: number | null | undefined;
}

/**
 * From which node count on something is so, without an end of a sentence: `communication dominates from 14.3 nodes on (interval 10 to
 * 20; the next that can run: 16)`, or `within 2500 nodes communication never dominates`.
 */
export function fromNodesText({ subject, verb, nodes, within, admissible = null }: FromNodes): string {
  const { value, low, high } = withinNodes(nodes, within);
  if (value === null) {
    const may = low === null ? '' : `, though it may be from ${roundedNodes(low)} on`;
    return `within ${within} nodes ${subject} never ${verb}${may}`;
  }
  if (value <= 1 && (high === null ? low === null : high <= 1)) return `${subject} ${verb} from the first node on`;
  const certain = low === null && high === null;
  const notes = [
    ...(certain
      ? []
      : [`interval ${countText(low ?? value)} to ${high === null ? `beyond ${within}` : countText(high)}`]),
    ...(admissible === null ? [] : [`the next that can run: ${admissible}`]),
  ];
  const noted = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
  return `${subject} ${verb} from ${roundedNodes(value)} on${noted}`;
}

function roundedNodes(nodes: number): string {
  return `${countText(nodes)} node${nodes === 1 ? '' : 's'}`;
}

function countText(nodes: number): string {
  return nodes < 100 ? String(Number(nodes.toFixed(1))) : String(Math.round(nodes));
}
