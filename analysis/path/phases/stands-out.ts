import { at, own } from '../../../base/lists.ts';
import { nodesText, sizeText } from '../../../base/units.ts';
import type { Finding } from '../../finding.ts';
import { hostsOfTransfer, type RunPaths } from '../run-paths.ts';
import { isBeyondChance, sumColumns } from './beyond-chance.ts';

/** A host stands out with so many times its even share (of few hosts: halfway from that to all), and at least this share of the path. */
const TIMES_EVEN = 2;
const LEAST_SHARE = 0.1;
/** Hosts that are named although nothing is amiss: in so many of the campaigns (or single runs) that are looked at. */
const FALSE_ALARMS = 0.01;

/** Two hosts always share; from three on one may stand out. */
const FEWEST_HOSTS = 3;

/** A host that has far more than its share, by chance or not. Plain data. */
export interface OddHost {
  readonly finding: Finding;
  /** For each search ns of every host, which chance is judged by. */
  readonly rows: readonly (readonly number[])[];
}

/**
 * The host on which far more of the path lies than on others (a slow processor, others at work on it), and the host whose messages,
 * to it and from it, hold the path up far more than others' do (a slow link), if more so than the scatter of searches explains: every
 * search may have its path anywhere, but not most of them on one host. Mean seconds per search.
 */
export function standingOut(
  paths: Parameters<typeof oddHosts>[0],
  { noun, runs }: { readonly noun: string; readonly runs: number },
): readonly Finding[] {
  return beyondChance(oddHosts(paths, noun), runs);
}

/** Those that chance does not explain. `runs`: how many are looked at together, this one among them. */
export function beyondChance(odd: readonly OddHost[], runs: number): readonly Finding[] {
  // Each run is asked for its processors and for its links.
  const level = FALSE_ALARMS / (2 * runs);
  return odd
    .filter(({ rows }) =>
      isBeyondChance(
        rows.map((row) => Float64Array.from(row)),
        level,
      ),
    )
    .map(({ finding }) => finding);
}

/** Hosts of a run that have more than their share, whether by chance or not. */
export function oddHosts(
  paths: Pick<RunPaths, 'cell' | 'searches' | 'hostOf' | 'meanNs'>,
  noun: string,
): readonly OddHost[] {
  const { cell, meanNs, searches } = paths;
  const length = (own(meanNs, 'length') ?? 0) * searches.length;
  if (cell.nodes < FEWEST_HOSTS || length === 0) return [];
  const where = `${nodesText(cell.nodes)}${sizeText(cell.scale)}, ${cell.bw} % bandwidth`;
  const { hosts, onHost, onLink } = byHost(paths);
  const found = (
    kind: Finding['kind'],
    rows: readonly Float64Array[],
    { even, say }: { readonly even: number; readonly say: (host: string, share: string, fair: string) => string },
  ): OddHost[] => {
    const sums = sumColumns(rows, hosts);
    const { name: host, ns } = at(sums, 0);
    const all = sums.reduce((sum, one) => sum + one.ns, 0) / (even * cell.nodes);
    if (ns < LEAST_SHARE * length || ns < Math.min(TIMES_EVEN * even, (1 + even) / 2) * all) return [];
    const percent = (part: number): string => `${(part * 100).toFixed(0)} %`;
    const sentence = say(host, percent(ns / all), percent(even));
    const seconds = ns / searches.length / 1e9;
    const share = { seconds, percent: (ns / length) * 100, interval: null };
    const finding = { kind, where: `${where}: ${host}`, ...share, sentence };
    return [{ finding, rows: rows.map((row) => Array.from(row)) }];
  };
  return [
    ...found('path/host', onHost, {
      even: 1 / cell.nodes,
      say: (host, share, fair) =>
        `${host} stands out on ${where}: ${share} of the critical path of a ${noun} lies on it (even share: ${fair}). Check its processors and what else runs there.`,
    }),
    // Each transfer has two ends.
    ...found('path/link', onLink, {
      even: 2 / cell.nodes,
      say: (host, share, fair) =>
        `The link of ${host} stands out on ${where}: ${share} of transfers on the critical path of a ${noun} start or end there (even share: ${fair}).`,
    }),
  ];
}

/** For each search ns of its path on every host, and in transfers from and to it. */
function byHost({ cell, searches, hostOf }: Parameters<typeof oddHosts>[0]) {
  const hosts = [...new Set(Array.from({ length: cell.ranks }, (_, rank) => hostOf(rank)))];
  const numberOf = new Map(hosts.map((host, number) => [host, number]));
  // Hosts without a phase have nothing of any path.
  const table = (): Float64Array[] => searches.map(() => new Float64Array(Math.max(cell.nodes, hosts.length)));
  const [onHost, onLink] = [table(), table()];
  const add = (row: Float64Array, host: string, ns: number): void => {
    const number = numberOf.get(host);
    if (number !== undefined) row[number] = at(row, number) + ns;
  };
  for (const [search, { path }] of searches.entries()) {
    for (const step of path) {
      const ns = step.endNs - step.startNs;
      add(at(onHost, search), hostOf(step.rank), ns);
      for (const end of hostsOfTransfer(step, hostOf) ?? []) add(at(onLink, search), end, ns);
    }
  }
  return { hosts, onHost, onLink };
}
