import { asWork } from '../../analysis/path/phases/as-work.ts';
import type { CellPaths } from '../../analysis/path/phases/cell-paths.ts';
import { at, last } from '../../base/lists.ts';

export type PathPicture = ReturnType<typeof pathPicture>;

/** One search drawn: what every rank did when, and the critical path through them; seconds since its start. */
export function pathPicture(
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
