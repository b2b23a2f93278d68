import { infrastructure, PredictError } from '../../base/errors.ts';
import { lastLines } from '../../base/text.ts';
import { firstSaid } from '../../experiments/workloads/said.ts';
import { type Host, headOf } from '../../inventory/inventory-schema.ts';
import { LAUNCHERS } from '../launchers/launchers.ts';
import type { Cluster } from './cluster.ts';
import type { CommandResult } from './executor.ts';
import { runOnRanks } from './start-ranks.ts';

/** For `hostname` on every rank, beside a launcher's wait for busy hosts. */
const CHECK_MS = 120_000;

/**
 * Starts `hostname` on these hosts as runs are started. Errors: `infrastructure` where it cannot, or not every rank comes up on its
 * host; nothing else is tried then. The agent must have been deployed.
 */
export async function checkLauncher(
  cluster: Cluster,
  hosts: readonly Host[],
  {
    ranksPerNode,
    signal,
    waitMs,
  }: {
    readonly ranksPerNode: number;
    readonly signal: AbortSignal;
    /** Longest wait of a launcher for busy hosts; two minutes by default. */
    readonly waitMs?: number;
  },
): Promise<void> {
  const { launcher, command } = cluster.inventory.mpi;
  const program = command ?? LAUNCHERS[launcher].command;
  const options = { timeoutMs: CHECK_MS, signal };
  const run = { argv: ['hostname'], ranksPerNode, link: undefined, options, waitMs };
  const { result, givenUp } = await runOnRanks(cluster, hosts, run);
  if (signal.aborted) throw new PredictError('Interrupted.', { kind: 'interrupted' });
  if (givenUp !== null) throw infrastructure(givenUp);
  const refusal = result.exitCode === 0 ? null : LAUNCHERS[launcher].refusal?.(result.stderr);
  if (refusal) throw new PredictError(refusal.text, { kind: refusal.kind });
  const why = problemOf(result, { ranks: hosts.length * ranksPerNode, hosts: hosts.length });
  if (why === null) return;
  const { name } = headOf(cluster.inventory);
  throw infrastructure(
    `${name}: the launcher ${launcher} (${program}) could not start 'hostname' on ${hosts.length} hosts with ${ranksPerNode} each: ${why}. Correct mpi in the inventory, or fix the launcher on this host.`,
    { host: name },
  );
}

function problemOf(
  { exitCode, stdout, stderr, timedOut }: CommandResult,
  asked: { readonly ranks: number; readonly hosts: number },
): string | null {
  if (timedOut) return `it did not end within ${CHECK_MS / 1000} s: ${lastLines(stderr, 1)}`;
  if (exitCode !== 0)
    return firstSaid({ stdout, stderr }).replace(/\.$/, '') || `it ended with exit status ${exitCode}`;
  // What else a launcher prints has blanks in it.
  const names = stdout.split('\n').filter((line) => /^[\w.-]+$/.test(line.trim()));
  const distinct = new Set(names).size;
  if (names.length === asked.ranks && distinct === asked.hosts) return null;
  return `${names.length} ranks started on ${distinct} hosts, not ${asked.ranks} on ${asked.hosts}`;
}
