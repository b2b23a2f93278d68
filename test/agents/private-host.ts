import { execa, type Options, type Result } from 'execa';

/** What a script of the tests finds: an agent as $agent, /run and /var/lib as empty folders of root's, both its own. */
const PROLOGUE = [
  'umask 022',
  'mount -t tmpfs -o mode=755 tmpfs /run',
  'mount -t tmpfs -o mode=755 tmpfs /var/lib',
  // Waits for something, two seconds at most.
  'until_true() { for i in $(seq 100); do "$@" && return 0; sleep 0.02; done; echo "never: $*" >&2; return 1; }',
].join('\n');

/** Runs a shell script as root in mounts of its own, so that nothing of it is left on the machine. */
export const privately = (
  agent: string,
  script: string,
  options: Options = {},
): Promise<Result<{ encoding: 'utf8' }>> =>
  execa('unshare', ['--mount', '--propagation', 'private', 'sh', '-uc', `${PROLOGUE}\n${script}`], {
    env: { agent },
    reject: false,
    timeout: 300_000,
    ...options,
  }) as unknown as Promise<Result<{ encoding: 'utf8' }>>;
