// Import of 200 MB of collapsed text on one core, by what its stacks are like and their order; the budget is 2 s.
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCollapsed } from '../../../analysis/profiles/formats/collapsed.ts';
import { importProfiles } from '../../../analysis/profiles/store/import-profiles.ts';
import { NameTable } from '../../../analysis/profiles/tree/call-tree.ts';
import { formatBytes } from '../../../base/units.ts';
import { madeText } from './collapsed-text.ts';

const BYTES = 203e6;
const folder = mkdtempSync(join(tmpdir(), 'bench-profiles-'));
try {
  const texts = [
    { what: 'deep stacks, alike together', stacks: 100_000, branching: 1, shuffled: false },
    { what: 'deep stacks, shuffled', stacks: 100_000, branching: 1, shuffled: true },
    { what: 'bushy trees, shuffled', stacks: 400_000, branching: 3, shuffled: true },
  ];
  for (const { what, ...more } of texts) {
    const path = join(folder, 'made.folded');
    const file = openSync(path, 'w');
    for (const piece of madeText({ seed: 1, bytes: BYTES, names: 5000, ...more })) writeSync(file, piece);
    closeSync(file);
    const size = formatBytes(statSync(path).size);
    const read = performance.now();
    const { tree } = await readCollapsed(path, { names: new NameTable(), normalise: null });
    const readS = (performance.now() - read) / 1000;
    const start = performance.now();
    const choice = { benchmark: 'b', testRun: what, timeNs: null, metricMean: null, normalise: null };
    await importProfiles(join(folder, 'store'), [path], choice);
    const allS = (performance.now() - start) / 1000;
    console.log(
      `${size}, ${what}: ${tree.name.length} nodes, read in ${readS.toFixed(2)} s, imported in ${allS.toFixed(2)} s`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}
