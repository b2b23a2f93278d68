import { at, groupBy, own } from '../../../base/index.ts';
import type { Finding } from '../../finding.ts';
import { type CellPaths, dividedBy, LINK, NO_LINK } from './cell-paths.ts';

/** A host stands out with so many times its even share of the path, and at least this share of it. */
const TIMES_EVEN = 2.5;
const LEAST_SHARE = 0.25;

/** Two hosts always share; from three on one may stand out. */
const FEWEST_HOSTS = 3;

/**
 * The host on which far more of the path lies than on others (a slow processor, others at work on it), and the host whose messages,
 * to it and from it, hold the path up far more than others' do (a slow link). Mean seconds per search.
 */
export function standingOut(
  paths: Pick<CellPaths, 'cell' | 'searches' | 'hostOf' | 'phases' | 'meanNs'>,
  noun: string,
): readonly Finding[] {
  const { cell, meanNs } = paths;
  const length = own(meanNs, 'length') ?? 0;
  if (cell.nodes < FEWEST_HOSTS || length === 0) return [];
  const where = `${cell.nodes} nodes, scale ${cell.scale}, ${cell.bw} % bandwidth`;
  const found = (
    kind: Finding['kind'],
    parts: readonly (readonly [host: string, ns: number])[],
    { even, say }: { readonly even: number; readonly say: (host: string, share: string, fair: string) => string },
  ): Finding[] => {
    const [most] = parts.toSorted((a, b) => b[1] - a[1]);
    const all = parts.reduce((sum, [, ns]) => sum + ns, 0) / (even * cell.nodes);
    if (most === undefined || most[1] < LEAST_SHARE * length || most[1] < TIMES_EVEN * even * all) return [];
    const [host, ns] = most;
    const percent = (part: number): string => `${(part * 100).toFixed(0)} %`;
    const sentence = say(host, percent(ns / all), percent(even));
    return [
      { kind, where: `${where}: ${host}`, seconds: ns / 1e9, percent: (ns / length) * 100, interval: null, sentence },
    ];
  };
  // Each transfer has two ends.
  const ends = dividedBy(paths, 'link').flatMap(([name, ns]) =>
    name === NO_LINK ? [] : name.split(LINK).map((host) => ({ host, ns })),
  );
  const transfers = groupBy(ends, ({ host }) => host).map(
    (same) => [at(same, 0).host, same.reduce((sum, { ns }) => sum + ns, 0)] as const,
  );
  return [
    ...found('path/host', dividedBy(paths, 'host'), {
      even: 1 / cell.nodes,
      say: (host, share, fair) =>
        `${host} stands out on ${where}: ${share} of the critical path of a ${noun} lies on it, where ${fair} would be its even share; look at its processors and at what else runs there.`,
    }),
    ...found('path/link', transfers, {
      even: 2 / cell.nodes,
      say: (host, share, fair) =>
        `The link of ${host} stands out on ${where}: ${share} of the transfers on the critical path of a ${noun} come from it or go to it, where ${fair} would be its even share.`,
    }),
  ];
}
