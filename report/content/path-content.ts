import { pathCampaign, recordsCalls } from '../../analysis/path/across/path-campaign.ts';
import type { CellPathSummary } from '../../analysis/path/path-summary.ts';
import { type CellPaths, cellPaths } from '../../analysis/path/phases/cell-paths.ts';
import { meaningOf } from '../../analysis/path/phases/phase-meaning.ts';
import { asWork } from '../../analysis/path/run-paths.ts';
import { at, last, own } from '../../base/lists.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';
import { pictured, runsAt, type WitnessChoice } from './why-content.ts';

/** On which chains of work and messages runs hung; seconds are per phase in focus (`noun`: a search). */
export type PathData = NonNullable<Awaited<ReturnType<typeof readPathData>>>;

/** The critical paths of every measured run, what they say together, and one search drawn. Null where nothing was traced. */
export async function readPathData(open: OpenCampaign, choice: WitnessChoice = {}) {
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

export type PathPicture = ReturnType<typeof pathPicture>;

/** One search drawn: what every rank did when, and the critical path through them; seconds since its start. */
function pathPicture(
  { cell, phases, searches, hostOf }: Pick<CellPaths, 'cell' | 'phases' | 'searches' | 'hostOf'>,
  { root, meaning }: { readonly root: number; readonly meaning: (key: string) => string },
) {
  const search = phases.searches.indexOf(root);
  const { startNs, lengthNs, path, hops, profileNs } = at(searches, search);
  const since = (ns: number): number => (ns - startNs) / 1e9;
  const { ranks, first, kinds, kind, asleepNs } = phases;
  const lanes = Array.from({ length: ranks }, (_, rank) => {
    const places = Array.from(
      { length: at(first, search * ranks + rank + 1) - at(first, search * ranks + rank) },
      (_, index) => at(first, search * ranks + rank) + index,
    );
    return {
      rank,
      host: hostOf(rank),
      spans: places.flatMap((place) => {
        const { name, group } = at(kinds, at(kind, place));
        const [from, to] = [since(at(phases.startNs, place)), since(at(phases.endNs, place))];
        if (group === null) return [{ from, to, meaning: meaning(name) }];
        const asleep = at(asleepNs, place);
        if (Number.isNaN(asleep)) return [{ from, to, meaning: meaning(name) }];
        // When it slept is not known: it is drawn first, as on the path.
        const travelled = Math.min(to, from + asleep / 1e9);
        return [
          { from, to: travelled, meaning: meaning(`${name} transfer`) },
          { from: travelled, to, meaning: meaning(`${name} work`) },
        ].filter((span) => span.to > span.from);
      }),
    };
  });
  const [largest, ns] = Object.entries(asWork(profileNs, kinds)).sort((a, b) => b[1] - a[1])[0] ?? ['', 0];
  const longest = Object.entries(at(searches, search).ranksNs).sort((a, b) => b[1] - a[1])[0];
  const seconds = lengthNs / 1e9;
  return {
    // What each key of its path is closest to among Grade10's components.
    meanings: Object.fromEntries(Object.keys(profileNs).map((key) => [key, meaning(key)])),
    ...{ nodes: cell.nodes, scale: cell.scale, bw: cell.bw, root, seconds, hops, lanes },
    steps: path.map(({ rank, startNs: from, endNs: to, key }) => ({ rank, key, from: since(from), to: since(to) })),
    sentence: `The path of search ${root} ends on rank ${path.length === 0 ? 0 : last(path).rank}, has ${hops} rank switches, and spends most time on rank ${longest?.[0] ?? 0} (${((Number(longest?.[1] ?? 0) / lengthNs) * 100).toFixed(0)} %). Its largest part is ${largest} (${((ns / lengthNs) * 100).toFixed(0)} %).`,
  };
}
