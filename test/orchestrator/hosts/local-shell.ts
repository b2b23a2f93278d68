import { execa } from 'execa';
import type { CommandOptions, CommandResult, Executor } from '../../../orchestrator/hosts/executor.ts';

/** This machine as a host: commands run in `sh`, as the user with this id, in mounts that `prepare` changes first. */
export function localShell({ uid = 0, prepare = 'true' }: { uid?: number; prepare?: string } = {}): Executor {
  const exec = async (words: readonly string[], { input = '' }: CommandOptions = {}): Promise<CommandResult> => {
    const user = uid === 0 ? '' : `setpriv --reuid ${uid} --regid ${uid} --clear-groups `;
    const script = `${prepare}; exec ${user}"$@"`;
    const args = ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', ...words];
    const { stdout, stderr, exitCode, durationMs } = await execa('unshare', args, { reject: false, input });
    return {
      host: 'here',
      exitCode: exitCode ?? null,
      signal: null,
      stdout,
      stderr,
      durationMs,
      timedOut: false,
      printedTooMuch: false,
    };
  };
  const not = (): never => {
    throw new Error('a local shell does nothing else');
  };
  return { host: 'here', sshPort: 22, exec, start: not, send: not, fetch: not, close: () => undefined };
}
