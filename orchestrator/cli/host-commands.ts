import { parseSeconds } from '../../base/bounds.ts';
import { messageOf, PredictError } from '../../base/errors.ts';
import { parsePercent } from '../../base/units.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import type { Cluster } from '../hosts/cluster.ts';
import { deployPrograms } from '../hosts/deployment.ts';
import { clearThrottle, type LinkStates, setThrottle, showLinks } from '../hosts/throttle-hosts.ts';
import { type HostFlags, pickHosts, withCluster } from './pick-hosts.ts';
import { left, note, printExactly, printJson, printTable, right } from './print.ts';

export async function exec(
  words: readonly string[],
  { inventory, hosts, timeout, json }: HostFlags & { readonly timeout: string },
): Promise<void> {
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
  if (json) {
    const tenths = (ms: number): number => Math.round(ms * 10) / 10;
    printJson(
      results.map(({ host, exitCode, stdout, stderr, durationMs: ms }) => {
        return { host, exitCode, stdout, stderr, durationMs: tenths(ms) };
      }),
    );
  } else {
    for (const { host, stdout, stderr } of results.filter(({ reached }) => reached)) {
      for (const line of `${stdout}${stderr}`.trimEnd().split('\n')) printExactly(`${host}: ${line}`);
    }
  }
  const failed = results.filter(({ exitCode }) => exitCode !== 0);
  if (failed.length === 0) return;
  const how = ({ exitCode, timedOut, printedTooMuch, reached }: (typeof failed)[number]) =>
    timedOut ? 'timed out' : printedTooMuch ? 'printed too much' : reached ? exitCode : 'unreachable';
  const list = failed.map((result) => `${result.host} (${how(result)})`).join(', ');
  const reasons = failed.filter(({ reached }) => !reached).map(({ stderr }) => stderr);
  const heading = `The command failed on ${failed.length} of ${results.length} hosts: ${list}.`;
  const kind = failed.some(({ exitCode }) => exitCode === null) ? 'infrastructure' : 'workload';
  throw new PredictError([heading, ...reasons].join('\n'), { kind });
}

export async function set({ bw, lease, ...flags }: HostFlags & { bw: string; lease: string }): Promise<void> {
  const percent = parsePercent(bw, '--bw');
  const leaseS = parseSeconds(lease, 'throttle set --lease');
  await onLinks(flags, (cluster, hosts) => setThrottle(cluster, hosts, { percent, leaseS }));
  if (flags.json || percent === 100) return;
  note(`predict: the hosts restore their links in ${leaseS} s, or after 'predict throttle clear'.`);
}

export async function show(flags: HostFlags): Promise<void> {
  await onLinks(flags, showLinks);
}

export async function clear({ force = false, ...flags }: HostFlags & { force?: boolean }): Promise<void> {
  const say = (text: string): void => note(`predict: ${text}`);
  await onLinks(flags, (cluster, hosts) => clearThrottle(cluster, hosts, { force, say }));
}

/** Does something to the links of the chosen hosts and shows what is on them then. */
async function onLinks(
  { inventory, hosts, json }: HostFlags,
  task: (cluster: Cluster, hosts: readonly Host[]) => Promise<LinkStates>,
): Promise<void> {
  const states = await withCluster(inventory, async (cluster) => {
    const chosen = pickHosts(cluster.inventory, hosts);
    await deployPrograms(cluster, chosen);
    return task(cluster, chosen);
  });
  const rows = [...states].map(([host, state]) => ({ host, ...state }));
  if (json) {
    return printJson(
      rows.map(({ host, interface: name, state, rateBps, leaseEndsInS, owner, expired }) => {
        return { host, interface: name, state, rateBps, leaseEndsInS, owner, expired };
      }),
    );
  }
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
