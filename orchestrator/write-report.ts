import { join, resolve } from 'node:path';
import { writeFileWhole } from '../experiments/index.ts';
import {
  buildPrograms,
  buildReport,
  type ProgramsData,
  readReportInput,
  render,
  renderPrograms,
  type StoryLine,
} from '../report/index.ts';

export interface WrittenReport {
  /** Path of the page. */
  readonly report: string;
  /** The head of the page, one answer per question. */
  readonly story: readonly StoryLine[];
}

/** What each program of a campaign of several says. */
export interface WrittenPrograms {
  /** Path of the page. */
  readonly report: string;
  /** Which starves first, and why; null where that cannot be said. */
  readonly first: string | null;
  readonly programs: readonly {
    readonly program: string;
    readonly sentence: string;
    readonly story: readonly StoryLine[];
    /** Bandwidth, percent of the link, to stay within 10 % of its time. */
    readonly needs: ProgramsData['programs'][number]['needs'];
  }[];
}

/** Writes the report of a campaign of several programs, side by side. */
export async function writePrograms(
  dir: string,
  { out, title }: { readonly [option in 'out' | 'title']?: string | undefined } = {},
): Promise<WrittenPrograms> {
  const data = await buildPrograms(dir, { generatedAt: new Date().toISOString(), title });
  const path = placeOfReport(dir, out);
  await writeFileWhole(path, renderPrograms(data));
  const programs = data.programs.map(({ program, sentence, needs, data: { story } }) => ({
    ...{ program, sentence, needs, story },
  }));
  return { report: path, first: data.first, programs };
}

/** Writes the report of a campaign. */
export async function writeReport(
  dir: string,
  { out, title, program }: { readonly [option in 'out' | 'title' | 'program']?: string | undefined } = {},
): Promise<WrittenReport> {
  const input = await readReportInput(dir, { generatedAt: new Date().toISOString(), program });
  const data = buildReport({ ...input, ...(title === undefined ? {} : { title }) });
  const path = placeOfReport(dir, out);
  await writeFileWhole(path, render(data));
  return { report: path, story: data.story };
}

/** As an absolute path; `-` is standard output. */
function placeOfReport(dir: string, out: string | undefined): string {
  return out === '-' ? out : resolve(out ?? join(dir, 'report.html'));
}
