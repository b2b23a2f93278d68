import { type BitsPerSecond, infrastructure, lastLines, PredictError } from '../../base/index.ts';
import type { Host } from '../../inventory/index.ts';
import {
  clearScript,
  type DataLink,
  type Lease,
  type LinkState,
  readState,
  renewScript,
  SCRIPT_EXIT,
  setScript,
  showScript,
} from '../../throttle/index.ts';
import type { Cluster } from './cluster.ts';
import type { CommandResult } from './executor.ts';

export type LinkStates = ReadonlyMap<string, LinkState>;

export function showLinks(cluster: Cluster, hosts: readonly Host[]): Promise<LinkStates> {
  return onLinks(cluster, hosts, showScript);
}

/** Reads every link and refuses, before anything is changed, when one carries somebody else's qdisc. */
export async function requireOwnLinks(cluster: Cluster, hosts: readonly Host[]): Promise<LinkStates> {
  const states = await showLinks(cluster, hosts);
  const foreign = [...states].filter(([, { state }]) => state === 'foreign');
  if (foreign.length === 0) return states;
  const list = foreign.map(([host, state]) => `${host} ${state.interface} (${state.qdisc})`).join(', ');
  throw infrastructure(
    `The data link carries a qdisc that is not ours on ${list}: nothing was changed; remove it, or name another interface in the inventory.`,
  );
}

/** Throttles the hosts' links to `rateBps` in both directions; the agent must have been deployed. */
export function throttleLinks(
  cluster: Cluster,
  hosts: readonly Host[],
  rateBps: BitsPerSecond,
  lease: Lease,
): Promise<LinkStates> {
  return onLinks(cluster, hosts, (link) => setScript(link, rateBps, lease));
}

export function renewLinks(cluster: Cluster, hosts: readonly Host[], lease: Lease): Promise<LinkStates> {
  return onLinks(cluster, hosts, (link) => renewScript(link, lease));
}

export function clearLinks(cluster: Cluster, hosts: readonly Host[]): Promise<LinkStates> {
  return onLinks(cluster, hosts, clearScript);
}

async function onLinks(
  cluster: Cluster,
  hosts: readonly Host[],
  script: (link: DataLink) => string,
): Promise<LinkStates> {
  const results = await cluster.linkScript(hosts, script);
  const failures = results.filter(({ exitCode }) => exitCode !== 0).map(explain);
  const [first] = failures;
  if (first) {
    throw new PredictError(failures.map(({ message }) => message).join('\n'), { kind: first.kind, cause: first });
  }
  return new Map(results.map(({ host, stdout }) => [host, readState(host, stdout)]));
}

function explain({ host, exitCode, stderr, timedOut }: CommandResult): PredictError {
  const said = lastLines(stderr, 1);
  const text = timedOut
    ? 'the throttle command did not return in time'
    : exitCode === SCRIPT_EXIT.foreign
      ? `${said}; remove it yourself if nobody needs it`
      : /sudo/.test(said)
        ? `the user may not change qdiscs (${said}): use root or passwordless sudo`
        : said || `the throttle command ended with exit code ${exitCode}`;
  return infrastructure(`${host}: ${text}.`, { host });
}
