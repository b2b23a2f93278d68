import { EdgeList } from '../edge-list.ts';
import { IdTable } from '../id-table.ts';

/** Takes edges of any source: their ends get numbers, self-loops are counted and left out (their vertex stays). */
export class EdgeSink {
  readonly ids = new IdTable();
  readonly edges: EdgeList;
  selfLoops = 0;
  /** The first end of the edge before: lists are mostly in its order. */
  #last = { hi: -1, lo: -1, index: 0 };

  constructor(weighted: boolean) {
    this.edges = new EdgeList(weighted);
  }

  /** Ends as two 32-bit halves each. */
  add(hiA: number, loA: number, hiB: number, loB: number, weight: number): void {
    const last = this.#last;
    if (hiA !== last.hi || loA !== last.lo) {
      last.index = this.ids.add(hiA, loA);
      last.hi = hiA;
      last.lo = loA;
    }
    const from = last.index;
    if (hiA === hiB && loA === loB) {
      this.selfLoops += 1;
      return;
    }
    this.edges.add(from, this.ids.add(hiB, loB), weight);
  }
}
