import { join } from 'node:path';
import { execa, type Options, type Result } from 'execa';
import { projectRoot } from '../../base/paths.ts';

/** Runs the command line as users do; does not throw when it fails. */
export const predict = (args: readonly string[], options: Options = {}): Promise<Result<{ encoding: 'utf8' }>> =>
  execa(join(projectRoot(), 'predict'), args, {
    reject: false,
    timeout: 300_000,
    ...options,
  }) as unknown as Promise<Result<{ encoding: 'utf8' }>>;

export const predictJson = async <T>(args: readonly string[]): Promise<T> => {
  const result = await predict(args);
  if (result.exitCode !== 0) throw new Error(`predict ${args.join(' ')}: ${result.exitCode}: ${result.stderr}`);
  return JSON.parse(result.stdout) as T;
};
