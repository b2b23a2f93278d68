import type { Estimate } from '../model-records.ts';

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
  /** Of the interval, such as `90 % interval`. */
  readonly label?: string | undefined;
}

/**
 * From which node count on something is so, without an end of a sentence: `communication dominates from 14.3 nodes on (interval 10 to
 * 20; the next that can run: 16)`, or `within 2500 nodes communication never dominates`.
 */
export function fromNodesText({
  subject,
  verb,
  nodes,
  within,
  admissible = null,
  label = 'interval',
}: FromNodes): string {
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
      : [`${label} ${countText(low ?? value)} to ${high === null ? `beyond ${within}` : countText(high)}`]),
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
