import { type CellPaths, pathTrace } from '../../../analysis/index.ts';
import { at } from '../../../base/index.ts';
import { writeFileWhole } from '../../../experiments/index.ts';
import { note } from '../print.ts';

type Search = CellPaths['searches'][number];

/** Writes what ranks did in some searches and the paths through them for ui.perfetto.dev, if that was asked for. */
export async function saveCellTrace(
  file: string | undefined,
  { phases, hostOf }: Pick<CellPaths, 'phases' | 'hostOf'>,
  searches: readonly Search[],
): Promise<void> {
  if (file === undefined) return;
  const workers = Array.from({ length: phases.ranks }, (_, rank) => `rank ${rank} on ${hostOf(rank)}`);
  const originNs = Math.min(...searches.map(({ startNs }) => startNs));
  await writeFileWhole(
    file,
    pathTrace({ workers, events: lanes(phases, searches), path: steps(phases, searches), originNs }),
  );
  note(`predict: ${file}: open it in https://ui.perfetto.dev.`);
}

function* lanes(
  { ranks, searches, first, rank, kind, kinds, startNs, endNs }: CellPaths['phases'],
  wanted: readonly Search[],
) {
  for (const { root } of wanted) {
    const search = searches.indexOf(root);
    for (let place = at(first, search * ranks); place < at(first, (search + 1) * ranks); place += 1) {
      const { name, group } = at(kinds, at(kind, place));
      const what = { name, kind: group === null ? 'work' : 'exchange' };
      yield { worker: at(rank, place), ...what, startNs: at(startNs, place), endNs: at(endNs, place) };
    }
  }
}

/** After a hop the step is a transfer from the rank that was waited for. */
function* steps({ rank }: CellPaths['phases'], wanted: readonly Search[]) {
  for (const { path } of wanted) {
    for (const { rank: own, key, hop, startNs, endNs } of path) {
      const place = hop < 0 ? { worker: own, to: null } : { worker: at(rank, hop), to: own };
      yield { ...place, name: key, kind: hop < 0 ? 'work' : 'transfer', startNs, endNs };
    }
  }
}
