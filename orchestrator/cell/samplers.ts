import { quoteAll } from '../../base/index.ts';
import type { CellRecord, HostSamples } from '../../experiments/index.ts';
import type { Host } from '../../inventory/index.ts';
import type { Cluster } from '../hosts/cluster.ts';
import { AGENT } from '../hosts/deployment.ts';
import type { RunningCommand } from '../hosts/executor.ts';

/** What of a sampler's output stays in memory, each end: its last line says what it cost. */
const END_BYTES = 2 ** 18;

/** Starts a sampler on every host; `stop` ends them and returns what they saw. They end with their connection too. */
export async function startSamplers(
  cluster: Cluster,
  hosts: readonly Host[],
  { timeoutMs, outputFolder }: { readonly timeoutMs: number; readonly outputFolder: string },
): Promise<{ stop(): Promise<{ texts: HostSamples[]; costs: CellRecord['samplers'] }> }> {
  const { hz, cgroup } = cluster.inventory.sampling;
  const running = await cluster.onEach(hosts, (executor, host): Promise<RunningCommand> => {
    const groups = cgroup.flatMap((folder) => ['--cgroup', folder.replaceAll('{host}', host.name)]);
    return executor.start(quoteAll([cluster.remotePath(AGENT), 'sample', '--hz', String(hz), ...groups]), {
      ...{ timeoutMs, outputFolder, endBytes: END_BYTES },
    });
  });
  return {
    stop: async () => {
      for (const sampler of running) sampler.end();
      const results = await Promise.all(running.map(({ done }) => done));
      return {
        texts: results.map(({ host, stdout, stdoutFile: file }) =>
          file === undefined ? { host, text: stdout } : { host, file },
        ),
        costs: results.map(({ host, stdout }) => ({ host, ...cost(stdout) })),
      };
    },
  };
}

/** `#end samples=N missed=M cpu_ns=X`, the sampler's own last line. */
function cost(text: string): { samples: number; missed: number; cpuNs: number } {
  const last = text.slice(text.lastIndexOf('#end'));
  const field = (name: string): number => Number(new RegExp(`\\b${name}=(\\d+)`).exec(last)?.[1] ?? 0);
  return { samples: field('samples'), missed: field('missed'), cpuNs: field('cpu_ns') };
}
