import { at } from '../../../base/lists.ts';
import { GrowingColumns } from '../../path/growing-columns.ts';
import { type CallTree, completeTree, ROOT } from './call-tree.ts';

const FIRST_CAPACITY = 1024;

/** Makes the tree of one profile from stacks in any order. */
export class CallTreeBuilder {
  readonly #nodes = new GrowingColumns({ name: Int32Array, parent: Int32Array, own: Float64Array }, FIRST_CAPACITY);
  /** Open addressing by caller and name, at most half full: the number of the child, 0 where there is none (the root is nobody's child). */
  #children = new Int32Array(2 * FIRST_CAPACITY);
  /** Of each number of a node its row in the tree, after `finish`. */
  rows: Int32Array = new Int32Array(0);

  constructor() {
    this.#nodes.addRow({ name: -1, parent: -1, own: 0 });
  }

  /** The node of a code path called by `node` (0 is the root), made where there is none. Numbers of nodes are good until `finish`. */
  child(node: number, name: number): number {
    const { of } = this.#nodes;
    const mask = this.#children.length - 1;
    let slot = slotOf(node, name) & mask;
    for (let found = at(this.#children, slot); found !== 0; found = at(this.#children, slot)) {
      if (of.parent[found] === node && of.name[found] === name) return found;
      slot = (slot + 1) & mask;
    }
    const made = this.#nodes.addRow({ name, parent: node, own: 0 });
    this.#children[slot] = made;
    if (2 * this.#nodes.length > this.#children.length) this.#growChildren();
    return made;
  }

  /** The node of a stack of code paths, outermost first. */
  descend(names: Iterable<number>): number {
    let node = ROOT;
    for (const name of names) node = this.child(node, name);
    return node;
  }

  /** Adds to what was sampled in the node itself. */
  add(node: number, value: number): void {
    const { own } = this.#nodes.of;
    own[node] = at(own, node) + value;
  }

  /** The tree; children stand in the order in which they came. */
  finish(): CallTree {
    const nodes = this.#nodes.used();
    const count = nodes.name.length;
    const size = new Int32Array(count).fill(1);
    for (let node = count - 1; node > 0; node -= 1) {
      const above = at(nodes.parent, node);
      size[above] = at(size, above) + at(size, node);
    }
    const row = new Int32Array(count);
    /** Where the next child of a node goes. */
    const next = new Int32Array(count);
    next[ROOT] = 1;
    const tree = { name: nodes.name.slice(), parent: nodes.parent.slice(), own: nodes.own.slice() };
    for (let node = 1; node < count; node += 1) {
      const above = at(nodes.parent, node);
      const place = at(next, above);
      next[above] = place + at(size, node);
      next[node] = place + 1;
      row[node] = place;
      tree.name[place] = at(nodes.name, node);
      tree.parent[place] = at(row, above);
      tree.own[place] = at(nodes.own, node);
    }
    this.rows = row;
    return completeTree(tree);
  }

  #growChildren(): void {
    const { name, parent } = this.#nodes.of;
    const children = new Int32Array(2 * this.#children.length);
    const mask = children.length - 1;
    for (let node = 1; node < this.#nodes.length; node += 1) {
      let slot = slotOf(at(parent, node), at(name, node)) & mask;
      while (children[slot] !== 0) slot = (slot + 1) & mask;
      children[slot] = node;
    }
    this.#children = children;
  }
}

function slotOf(node: number, name: number): number {
  let mixed = Math.imul(node, 0x9e3779b1) ^ Math.imul(name + 1, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 13);
}
