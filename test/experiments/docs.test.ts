import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadWorkload, writeCell } from '../../experiments/index.ts';
import { duckdb, escapeGlob } from '../../experiments/store/duckdb.ts';
import { goodRecord, newCampaign, tempFolder } from './make.ts';

const blocks = (page: string, language: string): string[] =>
  [
    ...readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8').matchAll(
      new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'),
    ),
  ].map((match) => match[1] ?? '');

test('the query of docs/campaign.md works in a campaign folder', async () => {
  const { dir, cells } = await newCampaign({ nodes: '1' });
  for (const cell of cells) await writeCell(dir, goodRecord(cell), { stdout: '', stderr: '' });
  // The page runs it inside the folder; a test cannot change the directory that DuckDB resolves against.
  const [query = ''] = blocks('campaign', 'sql');
  const folder = escapeGlob(dir).replaceAll("'", "''");
  const result = await (await duckdb()).run(query.replace("'cells/", `'${folder}/cells/`));
  expect(await result.getRowObjectsJson()).toMatchObject([
    { scale: 10, nodes: 1, bw: 100, searches: '2', mean_ct: 0.375 },
    { scale: 10, nodes: 1, bw: 50, searches: '2', mean_ct: 0.375 },
  ]);
});

test('the workload files of docs/workloads.md load', async () => {
  const names: string[] = [];
  for (const [index, yaml] of blocks('workloads', 'yaml').entries()) {
    const path = join(tempFolder(), `${index}.yaml`);
    writeFileSync(path, yaml);
    names.push((await loadWorkload(path)).definition.name);
  }
  expect(names).toEqual(['reference', 'solver', 'official']);
});
