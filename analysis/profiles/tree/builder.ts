import type { CallTree } from './call-tree.ts';

/** A table of children is at most half full. */
const FULL = 0.5;
const FIRST_CAPACITY = 1024;

/** Makes the tree of one profile from stacks in any order. */
export class CallTreeBuilder {
  #count = 1;
  #name = new Int32Array(FIRST_CAPACITY);
  #parent = new Int32Array(FIRST_CAPACITY);
  #own = new Float64Array(FIRST_CAPACITY);
  /** Open addressing by caller and name: the row of the child, 0 where there is none (the root is nobody's child). */
  #children = new Int32Array(FIRST_CAPACITY / FULL);

  constructor() {
    this.#name[0] = -1;
    this.#parent[0] = -1;
  }

  /** Nodes so far, with the root. */
  get count(): number {
    return this.#count;
  }

  /** The node of a code path called by `node` (0 is the root), made where there is none. Numbers of nodes are good until `finish`. */
  child(node: number, name: number): number {
    const children = this.#children;
    const mask = children.length - 1;
    let slot = slotOf(node, name) & mask;
    for (let found = children[slot] ?? 0; found !== 0; found = children[slot] ?? 0) {
      if (this.#parent[found] === node && this.#name[found] === name) return found;
      slot = (slot + 1) & mask;
    }
    const made = this.#count;
    if (made === this.#name.length) {
      this.#grow();
      return this.child(node, name);
    }
    this.#count = made + 1;
    this.#name[made] = name;
    this.#parent[made] = node;
    children[slot] = made;
    return made;
  }

  /** Adds to what was sampled in the node itself. */
  add(node: number, value: number): void {
    this.#own[node] = (this.#own[node] ?? 0) + value;
  }

  /** The tree; children stand in the order in which they came. */
  finish(): CallTree {
    const count = this.#count;
    const [name, parent, own] = [this.#name, this.#parent, this.#own];
    const size = new Int32Array(count).fill(1);
    for (let node = count - 1; node > 0; node -= 1) {
      const above = parent[node] ?? 0;
      size[above] = (size[above] ?? 0) + (size[node] ?? 0);
    }
    const row = new Int32Array(count);
    /** Where the next child of a node goes. */
    const next = new Int32Array(count);
    next[0] = 1;
    const tree = {
      name: new Int32Array(count),
      parent: new Int32Array(count),
      depth: new Int32Array(count),
      own: new Float64Array(count),
      total: new Float64Array(count),
    };
    tree.name[0] = -1;
    tree.parent[0] = -1;
    tree.own[0] = own[0] ?? 0;
    for (let node = 1; node < count; node += 1) {
      const above = parent[node] ?? 0;
      const place = next[above] ?? 0;
      next[above] = place + (size[node] ?? 0);
      next[node] = place + 1;
      row[node] = place;
      tree.name[place] = name[node] ?? 0;
      tree.parent[place] = row[above] ?? 0;
      tree.own[place] = own[node] ?? 0;
    }
    fillDepthAndTotal(tree);
    return tree;
  }

  #grow(): void {
    const length = this.#name.length * 2;
    const name = new Int32Array(length);
    const parent = new Int32Array(length);
    const own = new Float64Array(length);
    name.set(this.#name);
    parent.set(this.#parent);
    own.set(this.#own);
    [this.#name, this.#parent, this.#own] = [name, parent, own];
    const children = new Int32Array(length / FULL);
    const mask = children.length - 1;
    for (let node = 1; node < this.#count; node += 1) {
      let slot = slotOf(parent[node] ?? 0, name[node] ?? 0) & mask;
      while (children[slot] !== 0) slot = (slot + 1) & mask;
      children[slot] = node;
    }
    this.#children = children;
  }
}

/** Sets depths and totals from parents and own values of nodes in preorder. */
export function fillDepthAndTotal({ parent, depth, own, total }: Omit<CallTree, 'name'>): void {
  for (let node = 1; node < depth.length; node += 1) depth[node] = (depth[parent[node] ?? 0] ?? 0) + 1;
  total.set(own);
  for (let node = total.length - 1; node > 0; node -= 1) {
    const above = parent[node] ?? 0;
    total[above] = (total[above] ?? 0) + (total[node] ?? 0);
  }
}

function slotOf(node: number, name: number): number {
  let mixed = Math.imul(node, 0x9e3779b1) ^ Math.imul(name + 1, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 13);
}
