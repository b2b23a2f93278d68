import { at, last } from '../../../base/lists.ts';

/**
 * The calling context tree of one profile in columns, a row a node, in preorder: parents stand before their children, and what is below
 * a node stands behind it without a gap. Row 0 is the made-up root, whose code path is empty. Source: Lundberg and Rettig (LTH 2024),
 * section 4.1.
 */
export interface CallTree {
  /** Number of the code path in the table of names that the trees of a selection share; -1 of the root. */
  readonly name: Int32Array;
  /** Row of the caller; -1 of the root. */
  readonly parent: Int32Array;
  /** Calls from the root, which has 0. */
  readonly depth: Int32Array;
  /** What was sampled in the node itself, in the profile's unit (baseSamples). */
  readonly own: Float64Array;
  /** The same with all that is below it (totalSamples). */
  readonly total: Float64Array;
  /**
   * Row of the nearest node above with the same code path, -1 where there is none. It is where a RECURS edge comes from: one leads
   * from a node to the nearest descendants with its code path, one per branch, so that each node has at most one coming in.
   */
  readonly above: Int32Array;
}

/** Row of the made-up root. */
export const ROOT = 0;

/** All that a profile sampled. */
export function totalOf(tree: CallTree): number {
  return at(tree.total, ROOT);
}

/** Numbers for code paths, shared by the trees that are compared: the same text has the same number. */
export class NameTable {
  readonly #ids = new Map<string, number>();
  readonly #texts: string[] = [];

  get size(): number {
    return this.#texts.length;
  }

  /** The number of a text, a new one where it has none. */
  id(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.#texts.length;
    this.#ids.set(text, id);
    this.#texts.push(text);
    return id;
  }

  /** The number of a text; undefined where no tree has it. */
  find(text: string): number | undefined {
    return this.#ids.get(text);
  }

  /** The text of a number; that of the made-up root (-1) is empty. */
  text(id: number): string {
    return this.#texts[id] ?? '';
  }

  /** All texts, by number. */
  texts(): readonly string[] {
    return this.#texts;
  }
}

/** The stack of every node, by row; that of the root is empty. */
export function stacksOf({ name, parent }: CallTree, names: NameTable): readonly string[] {
  const stacks: string[] = [''];
  for (let node = 1; node < name.length; node += 1) {
    const text = names.text(at(name, node));
    const caller = at(parent, node);
    stacks.push(caller === 0 ? text : `${stacks[caller]};${text}`);
  }
  return stacks;
}

/** The code paths down to a node, outermost first. */
export function pathTo({ name, parent }: CallTree, node: number, names: NameTable): string[] {
  const path: string[] = [];
  for (let now = node; now !== ROOT; now = at(parent, now)) path.push(names.text(at(name, now)));
  return path.reverse();
}

/** The columns that follow from names, parents and own values of nodes in preorder. */
export function completeTree({ name, parent, own }: Pick<CallTree, 'name' | 'parent' | 'own'>): CallTree {
  const depth = new Int32Array(name.length);
  for (let node = 1; node < name.length; node += 1) depth[node] = at(depth, at(parent, node)) + 1;
  const total = own.slice();
  for (let node = name.length - 1; node > ROOT; node -= 1) {
    const caller = at(parent, node);
    total[caller] = at(total, caller) + at(total, node);
  }
  return { name, parent, depth, own, total, above: findNearestAbove(name, depth) };
}

function findNearestAbove(name: Int32Array, depth: Int32Array): Int32Array {
  const above = new Int32Array(name.length).fill(-1);
  /** By name the innermost node on the way down, -1 where there is none. */
  const innermost = new Int32Array(findLargest(name) + 1).fill(-1);
  const path = [ROOT];
  for (let node = 1; node < name.length; node += 1) {
    for (; path.length > at(depth, node); path.pop()) {
      const left = last(path);
      innermost[at(name, left)] = at(above, left);
    }
    above[node] = at(innermost, at(name, node));
    innermost[at(name, node)] = node;
    path.push(node);
  }
  return above;
}

/** The largest of whole numbers, at least 0. */
export function findLargest(values: Int32Array): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

/** The RECURS edges of a tree: the code path of `from` is called again in `to`, `distance` calls below it. */
interface RecursionEdges {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly distance: Int32Array;
}

/** The recursion edges of a tree, in preorder of their lower ends (Lundberg and Rettig 2024, section 4.1). */
export function findRecursionEdges({ above, depth }: CallTree): RecursionEdges {
  const to = Int32Array.from(above.keys()).filter((node) => at(above, node) >= 0);
  const from = to.map((node) => at(above, node));
  return { from, to, distance: to.map((node, edge) => at(depth, node) - at(depth, at(from, edge))) };
}
