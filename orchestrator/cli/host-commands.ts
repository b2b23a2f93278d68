import { parseSeconds } from '../../base/bounds.ts';
import { messageOf, PredictError } from '../../base/errors.ts';
import { parsePercent } from '../../base/units.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import type { Cluster } from '../hosts/cluster.ts';
import { deployPrograms } from '../hosts/deployment.ts';
import { clearThrottle, type LinkStates, setThrottle, showLinks } from '../hosts/throttle-hosts.ts';
import { type HostFlags, pickHosts, withCluster } from './pick-hosts.ts';
import { type Answer, left, note, printExactly, printTable, right } from './print.ts';

/** Runs a command on hosts. Errors after the answer: it failed somewhere, or a host is out of reach. */
export async function exec(
  words: readonly string[],
  { inventory, hosts, timeout }: HostFlags & { readonly timeout: string },
): Promise<Answer> {
  const timeoutMs = parseSeconds(timeout, '--timeout') * 1000;
  const results = await withCluster(inventory, (cluster) =>
    cluster.onEach(pickHosts(cluster.inventory, hosts), async (executor, { name }) => {
      try {
        return { ...(await executor.exec(words, { timeoutMs })), reached: true };
      } catch (error) {
        // One host out of reach must not hide what the others said.
        const nothing = { exitCode: null, stdout: '', durationMs: 0, timedOut: false, printedTooMuch: false };
        return { ...nothing, host: name, stderr: messageOf(error), reached: false };
      }
    }),
  );
  const json = results.map(({ host, exitCode, stdout, stderr, durationMs }) => {
    return { host, exitCode, stdout, stderr, durationMs: Math.round(durationMs * 10) / 10 };
  });
  const say = (): void => {
    for (const { host, stdout, stderr } of results.filter(({ reached }) => reached)) {
      for (const line of `${stdout}${stderr}`.trimEnd().split('\n')) printExactly(`${host}: ${line}`);
    }
  };
  return { json, say, after: () => requireSuccess(results) };
}

interface Ended {
  readonly host: string;
  readonly exitCode: number | null;
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly printedTooMuch: boolean;
  readonly reached: boolean;
}

function requireSuccess(results: readonly Ended[]): void {
  const failed = results.filter(({ exitCode }) => exitCode !== 0);
  if (failed.length === 0) return;
  const how = ({ exitCode, timedOut, printedTooMuch, reached }: Ended) =>
    timedOut ? 'timed out' : printedTooMuch ? 'printed too much' : reached ? exitCode : 'unreachable';
  const list = failed.map((result) => `${result.host} (${how(result)})`).join(', ');
  const reasons = failed.filter(({ reached }) => !reached).map(({ stderr }) => stderr);
  const heading = `The command failed on ${failed.length} of ${results.length} hosts: ${list}.`;
  const kind = failed.some(({ exitCode }) => exitCode === null) ? 'infrastructure' : 'workload';
  throw new PredictError([heading, ...reasons].join('\n'), { kind });
}

export async function set({ bw, lease, ...flags }: HostFlags & { bw: string; lease: string }): Promise<Answer> {
  const percent = parsePercent(bw, '--bw');
  const leaseS = parseSeconds(lease, 'throttle set --lease');
  const { json, say } = await onLinks(flags, (cluster, hosts) => setThrottle(cluster, hosts, { percent, leaseS }));
  const sayBoth = (): void => {
    say();
    if (percent !== 100)
      note(`predict: the hosts restore their links in ${leaseS} s, or after 'predict throttle clear'.`);
  };
  return { json, say: sayBoth };
}

export async function show(flags: HostFlags): Promise<Answer> {
  return await onLinks(flags, showLinks);
}

export async function clear({ force = false, ...flags }: HostFlags & { force?: boolean }): Promise<Answer> {
  const say = (text: string): void => note(`predict: ${text}`);
  return await onLinks(flags, (cluster, hosts) => clearThrottle(cluster, hosts, { force, say }));
}

/** Does something to the links of the chosen hosts and shows what is on them then. */
async function onLinks(
  { inventory, hosts }: HostFlags,
  task: (cluster: Cluster, hosts: readonly Host[]) => Promise<LinkStates>,
): Promise<Answer> {
  const states = await withCluster(inventory, async (cluster) => {
    const chosen = pickHosts(cluster.inventory, hosts);
    await deployPrograms(cluster, chosen);
    return task(cluster, chosen);
  });
  const json = [...states].map(
    ([host, { interface: name, state, rateBps, latencyMs, leaseEndsInS, owner, expired }]) => {
      return { host, interface: name, state, rateBps, latencyMs, leaseEndsInS, owner, expired };
    },
  );
  return { json, say: () => printLinks(states) };
}

function printLinks(states: LinkStates): void {
  const rows = [...states].map(([host, state]) => ({ host, ...state }));
  printTable(rows, [
    left('host', ({ host }) => host),
    left('interface', (row) => row.interface),
    left('state', ({ state, qdisc, expired }) => {
      return `${state === 'foreign' ? `foreign (${qdisc})` : state}${expired ? ', lease expired' : ''}`;
    }),
    right('Mbit/s', ({ rateBps }) => (rateBps === null ? '-' : rateBps / 1e6)),
    right('lease ends in', ({ leaseEndsInS }) => (leaseEndsInS === null ? '-' : `${Math.round(leaseEndsInS)} s`)),
    left('set by', ({ owner }) => owner ?? '-'),
  ]);
}
