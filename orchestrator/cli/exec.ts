import type { Command } from 'commander';
import { HELP } from './help.ts';
import { print, printJson } from './print.ts';

interface ExecFlags {
  readonly inventory: string;
  readonly hosts?: string;
  readonly timeout: string;
  readonly json?: boolean;
}

export function registerExec(program: Command): void {
  program
    .command('exec')
    .description('run a command on all hosts side by side')
    .requiredOption('--inventory <file>', HELP.inventory)
    .option('--hosts <names>', HELP.hosts)
    .option('--timeout <seconds>', 'end the command after this time', '60')
    .option('--json', 'print [{host, exitCode, stdout, stderr, durationMs}]')
    .argument('<command...>', 'command and arguments, after --')
    .addHelpText('after', '\nExample:\n  predict exec --inventory lab.yaml -- uname -r')
    .action(exec);
}

async function exec(words: readonly string[], { inventory, hosts, timeout, json }: ExecFlags): Promise<void> {
  const { messageOf, PredictError, quoteAll } = await import('../../base/index.ts');
  const { pickHosts, withCluster } = await import('./hosts.ts');
  const { parseSeconds } = await import('./flags.ts');
  const timeoutMs = parseSeconds(timeout, '--timeout') * 1000;
  const results = await withCluster(inventory, (cluster) =>
    cluster.onEach(pickHosts(cluster.inventory, hosts), async (executor, { name }) => {
      try {
        return { ...(await executor.exec(quoteAll(words), { timeoutMs })), reached: true };
      } catch (error) {
        // One host out of reach must not hide what the others said.
        return {
          host: name,
          exitCode: null,
          stdout: '',
          stderr: messageOf(error),
          durationMs: 0,
          timedOut: false,
          reached: false,
        };
      }
    }),
  );
  if (json) {
    printJson(
      results.map(({ host, exitCode, stdout, stderr, durationMs }) => ({
        host,
        exitCode,
        stdout,
        stderr,
        durationMs: Math.round(durationMs * 10) / 10,
      })),
    );
  } else {
    for (const { host, stdout, stderr } of results.filter(({ reached }) => reached)) {
      for (const line of `${stdout}${stderr}`.trimEnd().split('\n')) print(`${host}: ${line}`);
    }
  }
  const failed = results.filter(({ exitCode }) => exitCode !== 0);
  if (failed.length === 0) return;
  const unreached = failed.filter(({ reached }) => !reached);
  const list = failed
    .map(
      ({ host, exitCode, timedOut, reached }) =>
        `${host} (${timedOut ? 'timed out' : reached ? exitCode : 'not reached'})`,
    )
    .join(', ');
  const reasons = unreached.map(({ stderr }) => stderr);
  throw new PredictError(
    [`The command failed on ${failed.length} of ${results.length} hosts: ${list}.`, ...reasons].join('\n'),
    {
      kind: failed.some(({ exitCode }) => exitCode === null) ? 'infrastructure' : 'workload',
    },
  );
}
