import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { projectRoot } from '../../base/paths.ts';

/**
 * What a program of ours answers to a job, in a process of its own, where native code can neither take this one down nor keep its memory.
 * Where it ended without an answer, `ended` says how, with the last line of its complaint.
 */
export async function askProcess<Answer>(
  program: string,
  job: object,
  cwd?: string,
): Promise<{ readonly answer: Answer } | { readonly ended: string }> {
  const child = fork(join(projectRoot(), 'dist', 'program', `${program}.cjs`), {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
    execArgv: [],
    cwd,
  });
  const complaint = child.stderr === null ? '' : text(child.stderr);
  let answer: Answer | undefined;
  child.once('message', (said) => {
    answer = said as Answer;
  });
  child.send(job);
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  if (answer !== undefined) return { answer };
  const said = (await complaint).trim().split('\n').at(-1) ?? '';
  return { ended: `${signal ?? code}${said === '' ? '' : `: ${said}`}` };
}
