// The program that runs Ladybug in a process of its own, where it can neither take the caller down nor keep its memory.
import { text } from 'node:stream/consumers';
import type { LadybugAnswer, LadybugJob } from './ladybug.ts';
import { type LadybugModule, ladybugPackage, plainValue } from './ladybug-module.ts';

run().catch((error) => say({ error: error instanceof Error ? error.message : String(error) }));

async function run(): Promise<void> {
  const { database: path, readOnly, statements }: LadybugJob = JSON.parse(await text(process.stdin));
  const { default: ladybug }: LadybugModule = await import(ladybugPackage());
  const database = new ladybug.Database(path, 0, true, readOnly);
  const connection = new ladybug.Connection(database);
  for (const [index, statement] of statements.entries()) {
    const results = await connection.query(statement);
    if (index < statements.length - 1) continue;
    // Several statements in one text have several results: the last is the answer.
    const result = Array.isArray(results) ? results.at(-1) : results;
    if (result === undefined) continue;
    const columns = await result.getColumnNames();
    say({ columns });
    while (result.hasNext()) {
      const row = await result.getNext();
      say({ row: columns.map((name) => plainValue(row[name])) });
    }
  }
  await connection.close();
  await database.close();
  say({ done: true });
}

function say(answer: LadybugAnswer): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
