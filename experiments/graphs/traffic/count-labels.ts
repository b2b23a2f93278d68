import type { Traffic } from './exchange-traffic.ts';
import { RankParts, type Reach } from './rank-parts.ts';

/** Bytes of what agents/graphalytics/labels.c sends: a vertex or giant with its label, a label that was given up for another, a question,
 * its reply. */
const [TOLD, BETTER, QUESTION, REPLY] = [12, 16, 4, 8];

/**
 * What agents/graphalytics/wcc.c sends: parts of each rank by union and find, whose labels fall until no rank has a better one. A label
 * is the smallest vertex that a part has heard of. Returns the supersteps.
 */
export function countLabels(traffic: Traffic): number {
  if (traffic.partition.ranks === 1) return 1;
  const parts = new RankParts(traffic);
  const labels = new Labels(parts, traffic);
  let superstep = 1;
  while (labels.fall()) superstep += 1;
  return superstep + 1;
}

/** A label that a rank gave up for another. */
interface Hook {
  readonly rank: number;
  readonly from: number;
  readonly to: number;
}

class Labels {
  readonly #parts: RankParts;
  readonly #traffic: Traffic;
  readonly #owners: Uint32Array;
  /** Of roots. */
  readonly #label: Uint32Array;
  #falls = 0;

  constructor(parts: RankParts, traffic: Traffic) {
    [this.#parts, this.#traffic, this.#owners, this.#label] = [parts, traffic, traffic.partition.owners, parts.label];
    traffic.gather();
    for (const { part, kind, told } of parts.reaches) if (kind === 'yours' && part !== null) this.#lower(part, told);
  }

  /** One superstep; false once nothing fell. */
  fall(): boolean {
    const before = this.#label.slice();
    this.#tell();
    const hooks = this.#hooks(before);
    const remote = hooks.filter(({ rank, from }) => this.#rankOf(from) !== rank).length;
    const questions = this.#questions().length;
    this.#traffic.reduce(3);
    if (this.#falls === 0) return false;
    this.#falls = 0;
    if (remote > 0) this.#hook(hooks);
    if (remote + questions > 0) this.#jump();
    return true;
  }

  #rankOf(vertex: number): number {
    return this.#owners[vertex] ?? 0;
  }

  #lower(part: number, label: number): void {
    if (label >= (this.#label[part] ?? 0)) return;
    this.#label[part] = label;
    this.#falls += 1;
  }

  #tell(): void {
    const { reaches, giantOf, giantHeldBy, partOf } = this.#parts;
    const sent: Reach[] = [];
    for (const reach of reaches) {
      const label = reach.part === null ? Number.POSITIVE_INFINITY : (this.#label[reach.part] ?? 0);
      if (label >= reach.told) continue;
      reach.told = label;
      sent.push({ ...reach });
    }
    this.#traffic.told(sent.map(({ rank, peer }) => ({ from: rank, to: peer, bytes: TOLD })));
    for (const { rank, peer, kind, vertex, told } of sent) {
      if (kind === 'mine') {
        const held = giantHeldBy(peer, rank);
        if (held.part !== null) this.#lower(held.part, told);
        held.told = Math.min(held.told, told);
      } else {
        const part = kind === 'yours' ? giantOf(peer) : partOf(vertex);
        if (part !== null) this.#lower(part, told);
      }
    }
  }

  /** Of each rank, each label that was given up, with the best for it. */
  #hooks(before: Uint32Array): readonly Hook[] {
    return this.#parts.roots.flatMap((roots, rank) => {
      const best = new Map<number, number>();
      for (const root of roots) {
        const [from, to] = [before[root] ?? 0, this.#label[root] ?? 0];
        if (from !== to) best.set(from, Math.min(to, best.get(from) ?? to));
      }
      return [...best].map(([from, to]) => ({ rank, from, to }));
    });
  }

  #hook(hooks: readonly Hook[]): void {
    this.#traffic.shuffle({ counted: true });
    for (const { rank, from } of hooks) this.#traffic.send(rank, this.#rankOf(from), BETTER);
    for (const { from, to } of hooks) this.#lower(this.#parts.partOf(from), to);
  }

  #questions(): readonly { readonly rank: number; readonly label: number }[] {
    return this.#parts.roots.flatMap((roots, rank) => {
      const asked = new Set<number>();
      for (const root of roots) {
        const label = this.#label[root] ?? 0;
        const owner = this.#rankOf(label);
        if (owner === rank || asked.has(label)) continue;
        const held = this.#parts.giantHeldBy(rank, owner);
        if (held.part !== root || held.told !== label) asked.add(label);
      }
      return [...asked].map((label) => ({ rank, label }));
    });
  }

  #jump(): void {
    this.#traffic.shuffle({ counted: true });
    this.#traffic.shuffle({ counted: false });
    const replies = this.#parts.roots.map(() => new Map<number, number>());
    for (const { rank, label } of this.#questions()) {
      this.#traffic.send(rank, this.#rankOf(label), QUESTION);
      this.#traffic.send(this.#rankOf(label), rank, REPLY);
      replies[rank]?.set(label, this.#label[this.#parts.partOf(label)] ?? 0);
    }
    this.#parts.roots.forEach((roots, rank) => {
      for (const root of roots)
        this.#lower(root, replies[rank]?.get(this.#label[root] ?? 0) ?? Number.POSITIVE_INFINITY);
    });
  }
}
