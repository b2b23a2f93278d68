import { pathCampaign, recordsCalls } from '../../analysis/path/across/path-campaign.ts';
import type { CellPathSummary } from '../../analysis/path/path-summary.ts';
import { asWork } from '../../analysis/path/phases/as-work.ts';
import { type CellPaths, cellPaths } from '../../analysis/path/phases/cell-paths.ts';
import { meaningOf } from '../../analysis/path/phases/phase-meaning.ts';
import { at } from '../../base/at.ts';
import { own } from '../../base/own.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';
import { type PathPicture, pathPicture } from './path-picture.ts';
import { pictured, runsAt, type WitnessChoice } from './why-content.ts';

/** On which chains of work and messages runs hung; seconds are per phase in focus (`noun`: a search). */
export type PathData = NonNullable<Awaited<ReturnType<typeof pathOf>>>;

/** The critical paths of every measured run, what they say together, and one search drawn. Null where nothing was traced. */
export async function pathOf(open: OpenCampaign, choice: WitnessChoice = {}) {
  const good = await runsAt(open, choice);
  const found = await pathCampaign(good);
  if (found === null) return null;
  const { platform } = good.options;
  const { noun, forecasts, findings } = found;
  // What ranks had no processor for counts as work, as in the forecasts.
  const cells = found.cells.map((one) => ({ ...one, meanNs: asWork(one.meanNs, one.kinds) }));
  const keys = keysOf(cells);
  const drawn = choice.at === undefined ? pictured(cells)[0] : undefined;
  const record = good.records.find(({ cell }) => cell.id === drawn?.cell.id);
  return {
    noun,
    // The largest in sum first; `meaning` is the component of Grade10 that it is closest to.
    components: keys.map((name) => ({
      name,
      label: name,
      meaning: meaningOf(name, platform),
      isExchange: isExchange(name, cells),
    })),
    rows: cells
      .toSorted(({ cell: a }, { cell: b }) => b.scale - a.scale || a.nodes - b.nodes || b.bw - a.bw || a.rep - b.rep)
      .map(({ cell: { nodes, scale, bw }, meanNs, transfersNs, hops, searches }) => ({
        ...{ nodes, scale, bw },
        seconds: (own(meanNs, 'length') ?? 0) / 1e9,
        // Seconds of each key, in their order.
        parts: keys.map((key) => (own(meanNs, key) ?? 0) / 1e9),
        // Of the transfers, what their bytes take at the rate of the link.
        onLink: Object.values(transfersNs).reduce((sum, { onLinkNs }) => sum + onLinkNs, 0) / 1e9,
        hops: hops / searches,
      })),
    forecasts: forecasts.map(({ components, ...setting }) => ({
      ...setting,
      components: components.map(({ key, seconds, percent }) => ({ name: key, ...seconds, percent })),
    })),
    findings,
    doubtful: {
      hops: cells.reduce((sum, one) => sum + one.hops, 0),
      doubtful: cells.reduce((sum, one) => sum + one.doubtfulHops, 0),
    },
    causes: found.causes,
    // Of recorded calls there is no search to draw.
    picture:
      record === undefined || recordsCalls(open.campaign)
        ? null
        : pictureOf(await cellPaths(good, record, good.options), platform),
  };
}

/** Whether a key is a part of an exchange. */
function isExchange(key: string, [cell]: readonly CellPathSummary[]): boolean {
  return cell?.kinds.some(({ name, group }) => group !== null && (key === name || key.startsWith(`${name} `))) === true;
}

/** All keys of all paths, the largest in sum first. */
function keysOf(cells: readonly CellPathSummary[]): readonly string[] {
  const sums = new Map<string, number>();
  for (const { meanNs } of cells) {
    for (const [key, ns] of Object.entries(meanNs)) if (key !== 'length') sums.set(key, (sums.get(key) ?? 0) + ns);
  }
  return [...sums].sort((a, b) => b[1] - a[1]).map(([key]) => key);
}

function pictureOf(paths: CellPaths, platform: Parameters<typeof meaningOf>[1]): PathPicture {
  // The search whose length is in the middle.
  const sorted = paths.searches.toSorted((a, b) => a.lengthNs - b.lengthNs);
  const search = at(sorted, Math.floor((sorted.length - 1) / 2));
  return pathPicture(paths, { root: search.root, meaning: (key) => meaningOf(key, platform) });
}
