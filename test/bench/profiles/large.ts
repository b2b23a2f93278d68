// 10,000,000 nodes: building a tree and all P_3 take time as nodes grow, below 3 GB.

import { topPaths } from '../../../analysis/profiles/questions/top-paths.ts';
import { NameTable } from '../../../analysis/profiles/tree/call-tree.ts';
import { madeTree } from './made-tree.ts';

for (const nodes of [1_000_000, 3_000_000, 10_000_000]) {
  const table = new NameTable();
  const start = performance.now();
  const tree = madeTree({ seed: 1, nodes, names: 5000, table });
  const built = performance.now();
  const facts = { key: 'p', benchmark: 'b', testRun: 'r', timeNs: 0n, metricMean: null, unit: 'samples' as const };
  topPaths({ names: table, profiles: [{ ...facts, tree, modes: [] }] }, { degree: 3, weight: 'samples' });
  const asked = performance.now();
  const rate = (from: number, to: number): string =>
    `${((to - from) / 1000).toFixed(2)} s (${(((to - from) / nodes) * 1e6).toFixed(0)} ns a node)`;
  console.log(
    `${nodes} nodes: built in ${rate(start, built)}, P_3 in ${rate(built, asked)}, peak ${(process.resourceUsage().maxRSS / 1e6).toFixed(2)} GB`,
  );
}
