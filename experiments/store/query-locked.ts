import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { badInput } from '../../base/errors.ts';
import { projectRoot } from '../../base/paths.ts';

/** Tables for a statement of somebody else's: views, and the files that they read. */
export interface LockedTables {
  readonly views: readonly string[];
  readonly files: readonly string[];
}

export interface FoundRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** What the process is told, and what it answers. */
export interface LockedJob {
  readonly statement: string;
  readonly tables: LockedTables;
}
export type LockedAnswer = FoundRows | { readonly refused: string };

/**
 * What a statement of somebody else's finds, asked in a process of its own that reads these tables and nothing else. Errors: badInput with
 * what DuckDB says, or that it ended that process.
 */
export async function queryLocked(statement: string, tables: LockedTables): Promise<FoundRows> {
  const program = join(projectRoot(), 'dist', 'program', 'locked-process.cjs');
  const child = fork(program, {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    execArgv: [],
  });
  let answer: LockedAnswer | undefined;
  child.once('message', (said: LockedAnswer) => {
    answer = said;
  });
  const job: LockedJob = { statement, tables };
  child.send(job);
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  if (answer === undefined) {
    throw badInput(
      `DuckDB ended while it ran the statement (${signal ?? code}): statements may read the store and nothing else.`,
    );
  }
  if ('refused' in answer) throw badInput(answer.refused);
  return answer;
}
