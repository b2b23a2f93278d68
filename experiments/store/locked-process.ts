// The program that asks DuckDB a statement of somebody else's, in a process of its own: what it writes to its output is nobody's answer,
// and where native code ends it, it ends alone.
import type { DuckDBConnection } from '@duckdb/node-api';
import { badInput, messageOf, PredictError } from '../../base/errors.ts';
import { escapeGlob, literal, openDuckdb } from './duckdb.ts';
import type { FoundRows, LockedAnswer, LockedJob } from './query-locked.ts';

process.once('message', async (job: LockedJob) => {
  const answer: LockedAnswer = await queried(job).catch((error: unknown) => ({ refused: messageOf(error) }));
  process.send?.(answer, () => process.disconnect());
});

/**
 * DuckDB opens no file but those named, loads no extension, and lets nobody change that
 * (https://duckdb.org/docs/stable/operations_manual/securing_duckdb/overview); statements that could write into those files are
 * rejected by the type that DuckDB gives them.
 */
async function queried({ statement, tables: { views, files } }: LockedJob): Promise<FoundRows> {
  const { connection } = await openDuckdb();
  for (const view of views) await connection.run(view);
  // A view finds its files by a pattern, and DuckDB judges both the pattern and the file.
  const allowed = [...new Set(files.flatMap((file) => [file, escapeGlob(file)]))].map(literal);
  // What DuckDB may write for itself it lets statements read and write too.
  await connection.run("SET temp_directory = ''");
  await connection.run(`SET allowed_paths = [${allowed.join(', ')}]`);
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
  return await found(connection, statement);
}

async function found(connection: DuckDBConnection, text: string): Promise<FoundRows> {
  const { StatementType } = await import('@duckdb/node-api');
  // What is created is in memory: PIVOT makes a type of the values that it finds.
  const allowed: readonly number[] = [StatementType.SELECT, StatementType.CREATE];
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
    throw badInput(`DuckDB rejects the statement: ${said === NOTHING ? 'it is empty' : said}`);
  }
}

const NOTHING = 'Error in native callback';
