// The graph of a store with 1,000,000 nodes in 100 trees: how long it takes to build from a store, and to answer; its P_3 against
// that of the trees. PROFILE_NODES=N for another size.
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { queryGraph } from '../../analysis/profiles/graph/query-graph.ts';
import { topPaths } from '../../analysis/profiles/questions/top-paths.ts';
import { addToStore } from '../../analysis/profiles/store/write-store.ts';
import { CallTreeBuilder } from '../../analysis/profiles/tree/builder.ts';
import type { CallProfile, StoredProfile } from '../../analysis/profiles/tree/call-profile.ts';
import { NameTable } from '../../analysis/profiles/tree/call-tree.ts';
import { mulberry32 } from '../../base/lists.ts';

const NODES = Number(process.env.PROFILE_NODES ?? 1_000_000);
const TREES = 100;
const NAMES = 3000;
const DEPTH = 60;

const names = new NameTable();
for (let name = 0; name < NAMES; name += 1) names.id(`package${name % 40}/Class${name % 300}.method${name}`);
const profiles = Array.from({ length: TREES }, (_, index) => profile(index));
const folder = mkdtempSync(join(tmpdir(), 'bench-graph-'));
try {
  console.log(`node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}`);
  console.log(`${profiles.reduce((sum, { tree }) => sum + tree.name.length, 0)} nodes in ${TREES} trees`);
  const store = join(folder, 'store');
  await addToStore(store, names, stored());
  const start = performance.now();
  const { rows } = await queryGraph(store, 'MATCH (f:Function) RETURN f.codePath, sum(f.p3) - sum(f.c3)');
  console.log(`graph built and P_3 of all functions in Cypher (limit 5 s): ${seconds(start, performance.now())}`);
  const percents = new Map(
    topPaths({ names, profiles }, { degree: 3, weight: 'profiles' }).map(({ codePath, potential }) => [
      codePath,
      potential,
    ]),
  );
  const off = rows.map(([path, sum]) => {
    const expected = ((percents.get(String(path)) ?? 0) / 100) * profiles.length;
    return path === '' ? 0 : Math.abs(Number(sum) - expected);
  });
  console.log(`largest difference from the trees: ${Math.max(...off).toExponential(1)} of ${rows.length} code paths`);
  console.log(`peak memory of this process: ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`);
} finally {
  rmSync(folder, { recursive: true });
}

async function* stored(): AsyncGenerator<StoredProfile> {
  for (const one of profiles) yield { ...one, source: 'bench', format: 'folded', lost: 0, unknown: 0, truncated: 0 };
}

function profile(index: number): CallProfile {
  const random = mulberry32(index);
  const builder = new CallTreeBuilder();
  let count = 1;
  while (count < NODES / TREES) {
    let node = 0;
    const depth = 1 + Math.floor(random() * DEPTH);
    for (let level = 0; level < depth && count < NODES / TREES; level += 1) {
      // Few callees near the root, more below, and now and then a recurrence.
      node = builder.child(node, (level * 40 + Math.floor(random() ** 3 * 60)) % NAMES);
      count = Math.max(count, node + 1);
    }
    builder.add(node, 1 + Math.floor(random() * 9));
  }
  const key = `bench/${index}`;
  return {
    ...{ key, benchmark: `bench${index % 10}`, testRun: String(index), timeNs: BigInt(index), metricMean: index },
    ...{ unit: 'samples', tree: builder.finish(), modes: [] },
  };
}

function seconds(from: number, to: number): string {
  return `${((to - from) / 1000).toFixed(2)} s`;
}
