import { join, resolve } from 'node:path';
import { writeFileWhole } from '../experiments/index.ts';
import { buildReport, readReportInput, render, type StoryLine } from '../report/index.ts';

export interface WrittenReport {
  /** Path of the page. */
  readonly report: string;
  /** The head of the page, one answer per question. */
  readonly story: readonly StoryLine[];
}

/** Writes the report of a campaign. */
export async function writeReport(
  dir: string,
  { out, title, program }: { readonly [option in 'out' | 'title' | 'program']?: string | undefined } = {},
): Promise<WrittenReport> {
  const input = await readReportInput(dir, { generatedAt: new Date().toISOString(), program });
  const data = buildReport({ ...input, ...(title === undefined ? {} : { title }) });
  const path = resolve(out ?? join(dir, 'report.html'));
  await writeFileWhole(path, render(data));
  return { report: path, story: data.story };
}
