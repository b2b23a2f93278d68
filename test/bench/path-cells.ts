// npm run bench -- path-cells [--dir CAMPAIGN]: critical paths of the first 16 measured cells of a campaign, and how they grow.

import { goodRuns, measurements } from '../../analysis/explain-campaign.ts';
import { cellPaths } from '../../analysis/path/phases/cell-paths.ts';
import { rankPhases } from '../../analysis/path/phases/rank-phases.ts';
import { searchPaths } from '../../analysis/path/phases/search-graphs.ts';
import { at } from '../../base/lists.ts';
import { ahead } from '../../base/working.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { noPhases } from '../cases/path/read-phase-case.ts';

const CELLS = 16;
const KINDS = [
  { name: 'compute', group: null },
  { name: 'fold', group: 'row' },
  { name: 'synchronise', group: 'all' },
] as const;

const flag = process.argv.indexOf('--dir');
if (flag > 0) await campaign(at(process.argv, flag + 1));
for (const searches of [40, 400, 4000]) synthetic({ searches, ranks: 25, levels: 8 });

/** Milliseconds for 16 cells with reading, the best of three after one to warm up. */
async function campaign(dir: string): Promise<void> {
  const good = await goodRuns(await openCampaign(dir));
  const records = measurements(good).slice(0, CELLS);
  const times: number[] = [];
  let phases = 0;
  for (let run = 0; run < 4; run += 1) {
    const start = performance.now();
    phases = 0;
    for await (const paths of ahead(records, (record) => cellPaths(good, record, good.options))) {
      phases += paths.phases.rank.length;
    }
    times.push(performance.now() - start);
  }
  console.log(
    `${records.length} cells, ${phases} phases: first ${at(times, 0).toFixed(0)} ms, best ${Math.min(...times).toFixed(0)} ms`,
  );
}

/** From phases in memory: laying out and following. */
function synthetic({
  searches,
  ranks,
  levels,
}: {
  readonly searches: number;
  readonly ranks: number;
  readonly levels: number;
}): void {
  const columns = noPhases();
  for (let search = 0; search < searches; search += 1)
    for (let level = 0; level < levels; level += 1)
      for (let rank = 0; rank < ranks; rank += 1)
        for (let kind = 0; kind < KINDS.length; kind += 1) {
          const from = (search * levels + level) * 3000 + kind * 1000 + ((rank * 37) % 100);
          const to = (search * levels + level) * 3000 + (kind + 1) * 1000 + ((rank * 37) % 100);
          columns.rank.push(rank);
          columns.search.push(search);
          columns.kind.push(kind);
          columns.step.push(level);
          columns.startNs.push(from);
          columns.endNs.push(to);
          columns.asleepNs.push(kind === 0 ? 0 : 500);
          columns.queuedNs.push(0);
          columns.bytes.push(1000);
        }
  const start = performance.now();
  const paths = searchPaths(rankPhases(columns, { ranks, kinds: KINDS }));
  const ms = performance.now() - start;
  const count = columns.rank.length;
  console.log(
    `${count} phases of ${paths.length} searches: ${ms.toFixed(0)} ms, ${((count / ms) * 1e-3).toFixed(2)} million/s`,
  );
}
