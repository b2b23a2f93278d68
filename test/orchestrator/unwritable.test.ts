import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runPredict } from '../run-predict.ts';

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const campaign = path('../fixtures/campaigns/schema-1');
const rows = path('../fixtures/modeling/eq2_s28.csv');
const nowhere = '/nonexistent/folder';

test.each([
  [`${nowhere}/page.html`, ['report', campaign, '--out', `${nowhere}/page.html`]],
  [`${nowhere}/rows.csv`, ['export', campaign, '--format', 'csv', '--out', `${nowhere}/rows.csv`]],
  [`${nowhere}/rows.csv`, ['import', rows, '--format', 'csv', '--out', `${nowhere}/rows.csv`]],
  [`${nowhere}/trace.json`, ['grade10', campaign, '--cell', '4:12:20', '--trace', `${nowhere}/trace.json`]],
  ['/dev/null/tables', ['grade10', campaign, '--cell', '4:12:20', '--export', '/dev/null/tables']],
])('a result that cannot be written is exit 3 and one sentence: %s', async (file, args) => {
  const { exitCode, stderr } = await runPredict(args);
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining(`predict: ${file} cannot be written (`)]);
  expect(stderr).toMatch(/: choose another location, or make this one writable\)\.$/);
});
