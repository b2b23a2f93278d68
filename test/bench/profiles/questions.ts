// Questions to 1,000,000 nodes in 100 profiles after loading: P_3 of all functions within 0.15 s, the series of all within 0.2 s.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { correlate } from '../../../analysis/profiles/questions/correlate-paths.ts';
import { series } from '../../../analysis/profiles/questions/path-series.ts';
import { topPaths } from '../../../analysis/profiles/questions/top-paths.ts';
import { readStore } from '../../../analysis/profiles/store/read-store.ts';
import { addToStore } from '../../../analysis/profiles/store/write-store.ts';
import type { StoredProfile } from '../../../analysis/profiles/tree/call-profile.ts';
import { NameTable } from '../../../analysis/profiles/tree/call-tree.ts';
import { madeTree } from './made-tree.ts';

const [PROFILES, NODES, NAMES] = [100, 10_000, 5000];
const table = new NameTable();
const folder = mkdtempSync(join(tmpdir(), 'bench-profiles-'));
try {
  const store = join(folder, 'store');
  const timed = async <T>(what: string, work: () => T | Promise<T>): Promise<T> => {
    const start = performance.now();
    const result = await work();
    console.log(`${what}: ${((performance.now() - start) / 1000).toFixed(3)} s`);
    return result;
  };
  await timed(`${PROFILES * NODES} nodes in ${PROFILES} profiles, written`, () => addToStore(store, table, made()));
  const selection = await timed('read back', () => readStore(store));
  for (const round of ['first', 'second']) {
    await timed(`P_3 of all functions, ${round}`, () => topPaths(selection, { degree: 3, weight: 'samples' }));
    const question = { benchmark: 'b', candidate: null, window: 99, value: 'total', noise: false } as const;
    await timed(`series of all functions over ${PROFILES} runs, ${round}`, () => series(selection, question));
    await timed(`correlation of all functions, ${round}`, () => correlate(selection, { least: 2, value: 'base' }));
  }
} finally {
  rmSync(folder, { recursive: true });
}

async function* made(): AsyncGenerator<StoredProfile> {
  for (let index = 0; index < PROFILES; index += 1) {
    const facts = {
      key: `b/${index}`,
      benchmark: 'b',
      testRun: String(index),
      timeNs: BigInt(index),
      metricMean: index % 7,
      unit: 'samples' as const,
    };
    const tree = madeTree({ seed: index, nodes: NODES, names: NAMES, table });
    yield { ...facts, tree, modes: [], source: 'made', format: 'folded', lost: 0, unknown: 0, truncated: 0 };
  }
}
