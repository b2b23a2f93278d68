// npm run bench -- what-if [--dirs DIR,DIR...] [--mended HOST=FACTOR:DIR:DIR,...]: what-ifs of runs beside the measured truth.
// Of each campaign: runs at a bandwidth, asked with `link` for each higher one; of two campaigns: a host asked as it is in the other.

import { median } from 'simple-statistics';
import { type GoodRuns, goodRuns } from '../../analysis/explain-campaign.ts';
import { recordsCalls } from '../../analysis/path/across/path-campaign.ts';
import { recordedPath } from '../../analysis/path/mpi/recorded-path.ts';
import { cellPaths } from '../../analysis/path/phases/cell-paths.ts';
import type { RunPaths } from '../../analysis/path/run-paths.ts';
import { whatIf } from '../../analysis/path/what-if.ts';
import { at, groupBy } from '../../base/lists.ts';
import { cellLink } from '../../experiments/records.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';

const flag = (name: string): string | undefined =>
  process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined;
const errors: number[] = [];

for (const dir of flag('--dirs')?.split(',') ?? []) {
  const { good, paths } = await pathsOf(dir);
  const levels = groupBy(paths, ({ cell }) => `${cell.nodes} ${cell.bw}`).sort(
    ([a], [b]) => (a?.cell.bw ?? 0) - (b?.cell.bw ?? 0),
  );
  for (const [place, before] of levels.entries()) {
    for (const after of levels.slice(place + 1)) {
      const [from, to] = [at(before, 0).cell, at(after, 0).cell];
      if (from.nodes === to.nodes)
        compare(`${dir}, ${from.nodes} nodes, ${from.bw} to ${to.bw} %`, {
          good,
          before,
          after,
          key: 'link',
          factor: from.bw / to.bw,
        });
    }
  }
}
for (const asked of flag('--mended')?.split(',') ?? []) {
  const [mended = '', sick = '', well = ''] = asked.split(':');
  const [before, others] = [await pathsOf(sick), await pathsOf(well)];
  const settingOf = ({ cell }: RunPaths): string => `${cell.nodes} ${cell.bw}`;
  const settings = new Set(before.paths.map(settingOf));
  const after = others.paths.filter((path) => settings.has(settingOf(path)));
  const [key = '', factor] = mended.split('=');
  compare(`${sick}, ${mended}`, { good: before.good, before: before.paths, after, key, factor: Number(factor) });
}
const sorted = errors.map(Math.abs).sort((a, b) => a - b);
console.log(
  `${sorted.length} settings: median error ${percent(sorted[sorted.length >> 1] ?? Number.NaN)}, largest ${percent(sorted.at(-1) ?? Number.NaN)}`,
);

async function pathsOf(dir: string) {
  const good = await goodRuns(await openCampaign(dir), {});
  const read = recordsCalls(good.campaign) ? recordedPath : cellPaths;
  const paths: RunPaths[] = [];
  for (const record of good.records) {
    if (record.cell.role !== 'drift') paths.push(await read(good, record, good.options));
  }
  return { good, paths };
}

interface Asked {
  readonly good: GoodRuns;
  readonly before: readonly RunPaths[];
  readonly after: readonly RunPaths[];
  readonly key: string;
  readonly factor: number;
}

function compare(name: string, { good, before, after, key, factor }: Asked): void {
  const said = before.map(({ graphs, hostOf, cell, searches }) => {
    const linkOf = (slower: number) => cellLink(cell.bw, good.options.lineRateBps, slower);
    const lengths = whatIf(graphs, { changes: [{ key, factor }], hostOf, linkOf });
    return lengths.reduce((sum, ns) => sum + ns, 0) / searches.length;
  });
  const lengthOf = ({ meanNs }: RunPaths): number => meanNs.length ?? Number.NaN;
  const [was, says, is] = [median(before.map(lengthOf)), median(said), median(after.map(lengthOf))];
  errors.push(says / is - 1);
  console.log(`${name}: was ${ms(was)}, said ${ms(says)}, measured ${ms(is)}: ${percent(says / is - 1)}`);
}

function ms(ns: number): string {
  return `${(ns / 1e6).toFixed(0)} ms`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
