import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { badInput, messageOf } from '../base/index.ts';
import { buildReport, readReportInput, render } from '../report/index.ts';

/** Writes the report of a campaign and returns its path. */
export async function writeReport(
  dir: string,
  { out, title }: { readonly out?: string | undefined; readonly title?: string | undefined } = {},
): Promise<string> {
  const input = await readReportInput(dir, { generatedAt: new Date().toISOString() });
  const page = render(buildReport({ ...input, ...(title === undefined ? {} : { title }) }));
  const path = resolve(out ?? join(dir, 'report.html'));
  try {
    writeFileSync(path, page);
  } catch (error) {
    throw badInput(`The report cannot be written to ${path}: ${messageOf(error)}.`, error);
  }
  return path;
}
