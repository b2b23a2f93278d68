import { join, resolve } from 'node:path';
import { writeFileWhole } from '../experiments/index.ts';
import { buildReport, readReportInput, render } from '../report/index.ts';

/** Writes the report of a campaign and returns its path. */
export async function writeReport(
  dir: string,
  { out, title }: { readonly out?: string | undefined; readonly title?: string | undefined } = {},
): Promise<string> {
  const input = await readReportInput(dir, { generatedAt: new Date().toISOString() });
  const page = render(buildReport({ ...input, ...(title === undefined ? {} : { title }) }));
  const path = resolve(out ?? join(dir, 'report.html'));
  await writeFileWhole(path, page);
  return path;
}
