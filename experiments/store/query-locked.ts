import type { DuckDBConnection } from '@duckdb/node-api';
import { badInput, messageOf, PredictError } from '../../base/index.ts';
import { escapeGlob, literal, openDuckdb } from './duckdb.ts';

/** Tables for a statement of somebody else's: views, and the files that they read. */
export interface LockedTables {
  readonly views: readonly string[];
  readonly files: readonly string[];
}

export interface FoundRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/**
 * What a statement of somebody else's finds. It has a DuckDB of its own that opens no file but those named, loads no extension,
 * and lets nobody change that (https://duckdb.org/docs/stable/operations_manual/securing_duckdb/overview); statements that could
 * write into those files are rejected by the type that DuckDB gives them. Errors: badInput with what DuckDB says.
 */
export async function queryLocked(statement: string, { views, files }: LockedTables): Promise<FoundRows> {
  const { instance, connection } = await openDuckdb();
  try {
    for (const view of views) await connection.run(view);
    // A view finds its files by a pattern, and DuckDB judges both the pattern and the file.
    const allowed = [...new Set(files.flatMap((file) => [file, escapeGlob(file)]))].map(literal);
    await connection.run(`SET allowed_paths = [${allowed.join(', ')}]`);
    await connection.run('SET enable_external_access = false');
    await connection.run('SET lock_configuration = true');
    return await found(connection, statement);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function found(connection: DuckDBConnection, text: string): Promise<FoundRows> {
  const { StatementType } = await import('@duckdb/node-api');
  // What is created is in memory: PIVOT makes a type of the values that it finds.
  const allowed: readonly number[] = [StatementType.SELECT, StatementType.CREATE];
  // Its file is opened, in vain, where nothing catches the error: it ends the process.
  if (/enable_logging/i.test(text)) throw badInput('DuckDB cannot log here: leave out enable_logging.');
  try {
    const statements = await connection.extractStatements(text);
    let answer: FoundRows = { columns: [], rows: [] };
    for (let index = 0; index < statements.count; index += 1) {
      const prepared = await statements.prepare(index);
      if (!allowed.includes(prepared.statementType)) {
        throw badInput(
          `${StatementType[prepared.statementType]} is no statement that reads the store: ask with SELECT, FROM, WITH, VALUES, PIVOT, DESCRIBE or SUMMARIZE.`,
        );
      }
      const result = await prepared.runAndReadAll();
      answer = { columns: result.columnNames(), rows: result.getRowsJS() };
    }
    return answer;
  } catch (error) {
    if (error instanceof PredictError) throw error;
    const [said = ''] = messageOf(error)
      .replace(/^Failed to extract statements: /, '')
      .split('\n');
    // DuckDB's words for a text without a statement.
    throw badInput(`DuckDB refuses the statement: ${said === NOTHING ? 'there is none in it' : said}`, error);
  }
}

const NOTHING = 'Error in native callback';
