import type { CallTree } from './call-tree.ts';
import { completeTree } from './complete-tree.ts';

/** A table of children is at most half full. */
const FULL = 0.5;
const FIRST_CAPACITY = 1024;
/** What is kept of a node stands together, because a stack in any order reaches for it anywhere in memory. */
const FIELDS = 8;
const [NAME, PARENT, LIKELY_CHILD, LIKELY_WORD] = [0, 1, 2, 3];
/** From what is likely next to what is likely else. */
const ELSE = 2;

/** Makes the tree of one profile from stacks in any order. */
export class CallTreeBuilder {
  #count = 1;
  #nodes = new Int32Array(FIELDS * FIRST_CAPACITY);
  #own = new Float64Array(FIRST_CAPACITY);
  /** Open addressing by caller and name: the row of the child, 0 where there is none (the root is nobody's child). */
  #children = new Int32Array(FIRST_CAPACITY / FULL);
  #rows = new Int32Array(0);

  constructor() {
    this.#nodes[NAME] = -1;
    this.#nodes[PARENT] = -1;
  }

  /** Nodes so far, with the root. */
  get count(): number {
    return this.#count;
  }

  /** The node of a code path called by `node` (0 is the root), made where there is none. Numbers of nodes are good until `finish`. */
  child(node: number, name: number): number {
    const children = this.#children;
    const nodes = this.#nodes;
    const mask = children.length - 1;
    let slot = slotOf(node, name) & mask;
    for (let found = children[slot] ?? 0; found !== 0; found = children[slot] ?? 0) {
      const fields = FIELDS * found;
      if (nodes[fields + PARENT] === node && nodes[fields] === name) return found;
      slot = (slot + 1) & mask;
    }
    const made = this.#count;
    if (made === this.#own.length) {
      this.#grow();
      return this.child(node, name);
    }
    this.#count = made + 1;
    nodes[FIELDS * made] = name;
    nodes[FIELDS * made + PARENT] = node;
    children[slot] = made;
    return made;
  }

  /** A child that a reader set as likely below a node, the latest (0) or the one before (1): 0 where there is none. */
  likelyChild(node: number, before: 0 | 1): number {
    return this.#nodes[FIELDS * node + LIKELY_CHILD + ELSE * before] ?? 0;
  }

  /** The reader's own word with it. */
  likelyWord(node: number, before: 0 | 1): number {
    return this.#nodes[FIELDS * node + LIKELY_WORD + ELSE * before] ?? 0;
  }

  setLikely(node: number, child: number, word: number): void {
    const nodes = this.#nodes;
    const fields = FIELDS * node;
    nodes[fields + LIKELY_CHILD + ELSE] = nodes[fields + LIKELY_CHILD] ?? 0;
    nodes[fields + LIKELY_WORD + ELSE] = nodes[fields + LIKELY_WORD] ?? 0;
    nodes[fields + LIKELY_CHILD] = child;
    nodes[fields + LIKELY_WORD] = word;
  }

  /** Adds to what was sampled in the node itself. */
  add(node: number, value: number): void {
    this.#own[node] = (this.#own[node] ?? 0) + value;
  }

  /** Of each number of a node its row in the tree, after `finish`. */
  get rows(): Int32Array {
    return this.#rows;
  }

  /** The tree; children stand in the order in which they came. */
  finish(): CallTree {
    const count = this.#count;
    const [nodes, own] = [this.#nodes, this.#own];
    const size = new Int32Array(count).fill(1);
    for (let node = count - 1; node > 0; node -= 1) {
      const above = nodes[FIELDS * node + PARENT] ?? 0;
      size[above] = (size[above] ?? 0) + (size[node] ?? 0);
    }
    const row = new Int32Array(count);
    /** Where the next child of a node goes. */
    const next = new Int32Array(count);
    next[0] = 1;
    const tree = {
      name: new Int32Array(count),
      parent: new Int32Array(count),
      own: new Float64Array(count),
    };
    tree.name[0] = -1;
    tree.parent[0] = -1;
    tree.own[0] = own[0] ?? 0;
    for (let node = 1; node < count; node += 1) {
      const above = nodes[FIELDS * node + PARENT] ?? 0;
      const place = next[above] ?? 0;
      next[above] = place + (size[node] ?? 0);
      next[node] = place + 1;
      row[node] = place;
      tree.name[place] = nodes[FIELDS * node] ?? 0;
      tree.parent[place] = row[above] ?? 0;
      tree.own[place] = own[node] ?? 0;
    }
    this.#rows = row;
    return completeTree(tree);
  }

  #grow(): void {
    const length = this.#own.length * 2;
    const nodes = new Int32Array(FIELDS * length);
    const own = new Float64Array(length);
    nodes.set(this.#nodes);
    own.set(this.#own);
    this.#nodes = nodes;
    this.#own = own;
    const children = new Int32Array(length / FULL);
    const mask = children.length - 1;
    for (let node = 1; node < this.#count; node += 1) {
      let slot = slotOf(nodes[FIELDS * node + PARENT] ?? 0, nodes[FIELDS * node] ?? 0) & mask;
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
