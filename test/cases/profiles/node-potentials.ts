import type { CallTree } from '../../../analysis/profiles/tree/call-tree.ts';

/** Potentials of each node by degree, 0 first, in the profile's unit. */
interface NodePotentials {
  /** p_n: what was sampled in the node and within n calls below it. */
  readonly p: readonly Float64Array[];
  /** c_n: what of p_n lies below a recurrence of the code path, and would be counted twice. */
  readonly c: readonly Float64Array[];
}

/**
 * p_0 = own, p_n(u) = own(u) + sum over children of p_{n-1}; c_n(u) = sum over recursion edges u -> v with distance d <= n of p_{n-d}(v)
 * (Lundberg and Rettig 2024, sections 5.1 and 5.2, where the general formula of c writes P for p).
 */
export function computeNodePotentials({ parent, depth, own, above }: CallTree, degree: number): NodePotentials {
  const p: Float64Array[] = [own];
  const c: Float64Array[] = [new Float64Array(own.length)];
  for (let n = 1; n <= degree; n += 1) {
    const below = p[n - 1] ?? own;
    const potential = own.slice();
    const counted = new Float64Array(own.length);
    for (let node = own.length - 1; node > 0; node -= 1) {
      const caller = parent[node] ?? 0;
      potential[caller] = (potential[caller] ?? 0) + (below[node] ?? 0);
      const from = above[node] ?? -1;
      if (from < 0) continue;
      const rest = n - ((depth[node] ?? 0) - (depth[from] ?? 0));
      if (rest >= 0) counted[from] = (counted[from] ?? 0) + (p[rest]?.[node] ?? 0);
    }
    p.push(potential);
    c.push(counted);
  }
  return { p, c };
}
