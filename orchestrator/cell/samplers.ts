import { createReadStream } from 'node:fs';
import { lastLines } from '../../base/text.ts';
import type { CellRecord } from '../../experiments/records.ts';
import type { HostSamples } from '../../experiments/store/write-parquet.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import type { Cluster } from '../hosts/cluster.ts';
import { AGENT } from '../hosts/deployment.ts';
import { endWatcher, startWatcher, type Watcher } from '../hosts/executor.ts';
import { readSampled, type Sampled } from './sampled.ts';
import { signalOfShell } from './why-ended.ts';

/** What the samplers of a run left, host by host. */
interface Samples {
  readonly texts: readonly HostSamples[];
  readonly costs: CellRecord['samplers'];
  readonly seen: readonly SampledHost[];
}

/** What a host's sampler saw, and how it ended if not by being told to. */
export interface SampledHost extends Sampled {
  readonly death: string | null;
}

/** What of a sampler's output stays in memory, each end; a longer one is read from its file. */
const END_BYTES = 2 ** 18;
/** For samplers to end by themselves once they are told to; then they are killed. */
const GOODBYE_MS = 10_000;

/**
 * Starts a sampler on every host; `stop` ends them in bounded time and returns what they saw. They end with their connection too. Where one
 * cannot be started, none goes on.
 */
export async function startSamplers(
  cluster: Cluster,
  hosts: readonly Host[],
  {
    timeoutMs,
    outputFolder,
    goodbyeMs = GOODBYE_MS,
  }: { readonly timeoutMs: number; readonly outputFolder: string; readonly goodbyeMs?: number },
): Promise<{ stop(): Promise<Samples> }> {
  const { hz, cgroup, cores } = cluster.inventory.sampling;
  const options = { timeoutMs, outputFolder, endBytes: END_BYTES };
  const started: Watcher[] = [];
  const endAll = (samplers: readonly Watcher[]): Promise<Ended[]> =>
    Promise.all(samplers.map((sampler) => endWatcher(sampler, goodbyeMs)));
  try {
    const samplers = await cluster.onEach(hosts, async (executor, { name }) => {
      const groups = cgroup.flatMap((folder) => ['--cgroup', folder.replaceAll('{host}', name)]);
      const share = cores ? ['--cores', String(cores)] : [];
      const words = [cluster.remotePath(AGENT), 'sample', '--hz', String(hz), ...groups, ...share];
      const sampler = await startWatcher(executor, words, options);
      started.push(sampler);
      return sampler;
    });
    return { stop: async () => await samplesOf(await endAll(samplers)) };
  } catch (error) {
    await endAll(started).catch(() => undefined);
    throw error;
  }
}

type Ended = Awaited<ReturnType<typeof endWatcher>>;

async function samplesOf(results: readonly Ended[]): Promise<Samples> {
  const seen: SampledHost[] = [];
  for (const result of results) {
    const { host, stdout, stdoutFile: file } = result;
    const pieces = file === undefined ? [stdout] : createReadStream(file, 'utf8');
    seen.push({ ...(await readSampled(host, pieces)), death: deathOf(result) });
  }
  return {
    texts: results.map(({ host, stdout, stdoutFile: file }) =>
      file === undefined ? { host, text: stdout } : { host, file },
    ),
    costs: seen.map(({ host, samples, end }) => ({
      host,
      samples: end?.samples ?? samples,
      missed: end?.missed ?? null,
      cpuNs: end?.cpuNs ?? null,
    })),
    seen,
  };
}

function deathOf({ exitCode, signal, stderr, timedOut, killed }: Ended): string | null {
  if (killed) return 'did not end when requested and was killed';
  if (timedOut) return 'was ended by its time-out';
  if (exitCode === 0) return null;
  const said = lastLines(stderr, 1);
  // The shell of the login lives on and tells of it.
  const ended = signal ?? (exitCode === null ? null : signalOfShell(exitCode));
  return `ended with ${ended === null ? `exit code ${exitCode}` : `signal ${ended}`}${said === '' ? '' : `: ${said}`}`;
}
