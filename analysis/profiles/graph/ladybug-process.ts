// The program that runs Ladybug in a process of its own. https://docs.ladybugdb.com/client-apis/nodejs
import { writeFileSync } from 'node:fs';
import { messageOf } from '../../../base/errors.ts';
import type { FoundRows } from '../../../experiments/store/query-locked.ts';
import { plainValue } from '../store/store-tables.ts';
import type { LadybugAnswer, LadybugJob } from './query-graph.ts';

/** What is used of its package. */
interface LadybugModule {
  readonly default: {
    readonly Database: new (path: string, bufferBytes: number, compress: boolean, readOnly: boolean) => Closed;
    readonly Connection: new (
      database: Closed,
    ) => Closed & { query(statement: string): Promise<LadybugResult | LadybugResult[]> };
  };
}

interface Closed {
  close(): Promise<void>;
}

interface LadybugResult {
  getColumnNames(): Promise<string[]>;
  getAll(): Promise<Readonly<Record<string, unknown>>[]>;
}

process.once('message', async (job: LadybugJob) => {
  const answer = await answered(job).catch((error: unknown): LadybugAnswer => ({ refused: messageOf(error) }));
  process.send?.(answer, () => process.disconnect());
});

async function answered({ module, build, built, reading }: LadybugJob): Promise<LadybugAnswer> {
  const { default: ladybug }: LadybugModule = await import(module);
  const unbuilt = await run(ladybug, false, build).then(
    () => null,
    (error: unknown) => ({ unbuilt: messageOf(error) }),
  );
  if (unbuilt !== null) return unbuilt;
  writeFileSync(built, '');
  return await run(ladybug, true, [reading]);
}

/** The last statement's rows. */
async function run(
  { Database, Connection }: LadybugModule['default'],
  readOnly: boolean,
  statements: readonly string[],
): Promise<FoundRows> {
  const database = new Database('graph.lbug', 0, true, readOnly);
  const connection = new Connection(database);
  let results: LadybugResult | LadybugResult[] = [];
  for (const statement of statements) results = await connection.query(statement);
  // Several statements in one text have several results: the last is the answer.
  const result = Array.isArray(results) ? results.at(-1) : results;
  const columns = (await result?.getColumnNames()) ?? [];
  const found = (await result?.getAll()) ?? [];
  const rows = found.map((row) => columns.map((name) => plainValue(row[name])));
  await connection.close();
  await database.close();
  return { columns, rows };
}
