import { type CallTree, ROOT } from '../tree/call-tree.ts';

/**
 * The nodes of one tree that fulfil a context: `u` where it calls v1 which calls v2 .., or where it is called by w1, called by w2 ..: pairs of
 * a node of u and the node at the other end of the chain. A node of u may stand in many pairs.
 */
export interface Context {
  readonly judged: readonly number[];
  readonly ends: readonly number[];
}

export type Direction = 'children' | 'parents';

/** A tree with the row behind the last one below each node. */
export interface ScannedTree {
  readonly tree: CallTree;
  readonly behind: Int32Array;
}

export function scanned(tree: CallTree): ScannedTree {
  const behind = new Int32Array(tree.parent.length);
  for (let node = behind.length - 1; node >= 0; node -= 1) {
    if (behind[node] === 0) behind[node] = node + 1;
    const caller = tree.parent[node] ?? -1;
    if (caller >= 0 && behind[caller] === 0) behind[caller] = behind[node] ?? 0;
  }
  return { tree, behind };
}

/** All nodes of a code path, whatever their context. */
export function anyContext({ tree }: ScannedTree, name: number): Context {
  const nodes: number[] = [];
  for (let node = 1; node < tree.name.length; node += 1) if (tree.name[node] === name) nodes.push(node);
  return { judged: nodes, ends: nodes };
}

/** The contexts that are one step longer, by the name of the step. */
export function extended(
  { tree, behind }: ScannedTree,
  { judged, ends }: Context,
  direction: Direction,
): ReadonlyMap<number, Context> {
  const found = new Map<number, { readonly judged: number[]; readonly ends: number[] }>();
  const add = (u: number, end: number): void => {
    const name = tree.name[end] ?? -1;
    const context = found.get(name) ?? { judged: [], ends: [] };
    if (context.ends.length === 0) found.set(name, context);
    context.judged.push(u);
    context.ends.push(end);
  };
  for (let index = 0; index < ends.length; index += 1) {
    const [u, end] = [judged[index] ?? 0, ends[index] ?? 0];
    if (direction === 'parents') {
      const caller = tree.parent[end] ?? ROOT;
      if (caller !== ROOT) add(u, caller);
      continue;
    }
    const last = behind[end] ?? 0;
    for (let child = end + 1; child < last; child = behind[child] ?? last) add(u, child);
  }
  return found;
}

/** Samples of nodes and all below them: a node below another of them is counted with that one. */
export function totalOfNodes({ tree, behind }: ScannedTree, nodes: readonly number[]): number {
  let sum = 0;
  let covered = 0;
  for (const node of inPreorder(nodes)) {
    if (node < covered) continue;
    sum += tree.total[node] ?? 0;
    covered = behind[node] ?? 0;
  }
  return sum;
}

/** Samples of nodes themselves, each once. */
export function ownOfNodes({ tree }: ScannedTree, nodes: readonly number[]): number {
  let sum = 0;
  let before = -1;
  for (const node of inPreorder(nodes)) {
    if (node !== before) sum += tree.own[node] ?? 0;
    before = node;
  }
  return sum;
}

function inPreorder(nodes: readonly number[]): Int32Array {
  return Int32Array.from(nodes).sort();
}
