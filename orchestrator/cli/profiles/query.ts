import { queryGraph } from '../../../analysis/profiles/graph/query-graph.ts';
import { listStore } from '../../../analysis/profiles/store/read-store.ts';
import { querySql } from '../../../analysis/profiles/store/store-tables.ts';
import type { Switches } from '../flags.ts';
import { left, print, printJson, printTable, right } from '../print.ts';
import { formatIso, withTime } from './import-profile-files.ts';

/** What a statement finds in a store; without one its profiles. */
export async function queryCommand(
  store: string,
  statement: string | undefined,
  { sql = false, json }: Switches<'sql'>,
): Promise<void> {
  if (statement === undefined) return await listProfiles(store, json);
  const found = await (sql ? querySql : queryGraph)(store, statement);
  if (json) return printJson(found);
  const { columns, rows } = found;
  if (rows.length === 0) return print('No rows.');
  printTable(
    rows,
    columns.map((name, index) => left(name, (row: readonly unknown[]) => textOf(row[index]))),
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

async function listProfiles(store: string, json: boolean | undefined): Promise<void> {
  const profiles = await listStore(store);
  if (json) return printJson({ profiles: profiles.map(withTime) });
  printTable(profiles, [
    left('key', ({ key }) => key),
    left('benchmark', ({ benchmark }) => benchmark),
    left('run', ({ testRun }) => testRun),
    left('recorded', ({ timeNs }) => formatIso(timeNs)),
    right('metric', ({ metricMean }) => metricMean ?? '-'),
    left('format', ({ format }) => format),
  ]);
}
