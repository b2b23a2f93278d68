import { at } from '../../../base/lists.ts';
import { type CallTree, ROOT } from '../tree/call-tree.ts';
import { measuresBase, type PathMeasure } from './path-values.ts';

/**
 * The nodes of one tree that fulfil a context: `u` where it calls v1 which calls v2 .., or where it is called by w1, called by w2 ..: pairs of
 * a node of u and the node at the other end of the chain. A node of u may stand in many pairs.
 */
export interface Context {
  readonly judged: readonly number[];
  readonly ends: readonly number[];
}

export type Direction = 'children' | 'parents';

/** A tree in which contexts are looked for. */
export class ScannedTree {
  readonly #tree: CallTree;
  /** The row behind the last one below each node. */
  readonly #behind: Int32Array;

  constructor(tree: CallTree) {
    const behind = new Int32Array(tree.parent.length);
    for (let node = behind.length - 1; node >= 0; node -= 1) {
      if (behind[node] === 0) behind[node] = node + 1;
      const caller = at(tree.parent, node);
      if (caller >= 0 && behind[caller] === 0) behind[caller] = at(behind, node);
    }
    this.#tree = tree;
    this.#behind = behind;
  }

  /** All nodes of a code path, whatever their context; null where there is none. */
  nodesOf(name: number): Context | null {
    const nodes: number[] = [];
    for (let node = 1; node < this.#tree.name.length; node += 1) if (this.#tree.name[node] === name) nodes.push(node);
    return nodes.length === 0 ? null : { judged: nodes, ends: nodes };
  }

  /** The contexts that are one step longer, by the name of the step. */
  extended({ judged, ends }: Context, direction: Direction): ReadonlyMap<number, Context> {
    const { name, parent } = this.#tree;
    const found = new Map<number, { readonly judged: number[]; readonly ends: number[] }>();
    for (const [index, end] of ends.entries()) {
      const caller = at(parent, end);
      const steps = direction === 'children' ? this.#calleesOf(end) : caller === ROOT ? [] : [caller];
      for (const step of steps) {
        const context = found.get(at(name, step)) ?? { judged: [], ends: [] };
        found.set(at(name, step), context);
        context.judged.push(at(judged, index));
        context.ends.push(step);
      }
    }
    return found;
  }

  *#calleesOf(node: number): Generator<number> {
    for (let callee = node + 1; callee < at(this.#behind, node); callee = at(this.#behind, callee)) yield callee;
  }

  /** Samples of nodes, each once, or of them and all below: then a node below another of them is counted with that one. */
  sampledIn(nodes: readonly number[], value: PathMeasure): number {
    const isBase = measuresBase(value);
    const values = isBase ? this.#tree.own : this.#tree.total;
    let [sum, covered] = [0, 0];
    for (const node of Int32Array.from(nodes).sort()) {
      if (node < covered) continue;
      sum += at(values, node);
      covered = isBase ? node + 1 : at(this.#behind, node);
    }
    return sum;
  }
}
