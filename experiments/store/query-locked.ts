import { badInput } from '../../base/errors.ts';
import { askProcess } from './ask-process.ts';

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
  const job: LockedJob = { statement, tables };
  const found = await askProcess<LockedAnswer>('locked-process', job);
  if ('ended' in found) {
    throw badInput(
      `DuckDB ended while it ran the statement (${found.ended}): statements may read the store and nothing else.`,
    );
  }
  if ('refused' in found.answer) throw badInput(found.answer.refused);
  return found.answer;
}
