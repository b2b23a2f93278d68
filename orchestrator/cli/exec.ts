import { parseSeconds } from '../../base/bounds.ts';
import { messageOf, PredictError } from '../../base/errors.ts';
import { type HostFlags, pickHosts, withCluster } from './pick-hosts.ts';
import { printExactly, printJson } from './print.ts';

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
