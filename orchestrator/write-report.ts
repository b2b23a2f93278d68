import { join, resolve } from 'node:path';
import { canonicalJson } from '../experiments/store/digest.ts';
import type { OpenCampaign } from '../experiments/store/open-campaign.ts';
import { writeFileWhole } from '../experiments/store/whole.ts';
import type { Answers } from '../report/answers/answers-schema.ts';
import { buildPrograms, type ProgramsData } from '../report/content/build-programs.ts';
import { buildReport } from '../report/content/build-report.ts';
import { readReportInput } from '../report/content/from-campaign.ts';
import { render, renderPrograms } from '../report/render.ts';

/** What a report is asked for. */
interface ReportOptions {
  /** Where the page goes; `report.html` in the campaign's folder by default, `-` for standard output. */
  readonly out?: string | undefined;
  /** Where all that the page shows goes too, as JSON; `-` for standard output. */
  readonly data?: string | undefined;
  readonly title?: string | undefined;
}

/** Of what `data` writes; it changes when a name in it changes or goes. */
const DATA_SCHEMA = 2;

interface WrittenReport {
  /** Path of the page. */
  readonly report: string;
  /** The head of the page; null where nothing was measured. */
  readonly answers: Answers | null;
}

/** What each program of a campaign of several says. */
interface WrittenPrograms {
  /** Path of the page. */
  readonly report: string;
  /** Which starves first, and why; null where that cannot be said. */
  readonly first: string | null;
  readonly programs: readonly {
    readonly program: string;
    readonly sentence: string;
    readonly answers: Answers | null;
    /** Bandwidth, percent of the link, to stay within 10 % of its time. */
    readonly needs: ProgramsData['programs'][number]['needs'];
  }[];
}

/** Writes the report of a campaign of several programs, side by side. */
export async function writePrograms(open: OpenCampaign, options: ReportOptions = {}): Promise<WrittenPrograms> {
  const data = await buildPrograms(open, { generatedAt: new Date().toISOString(), title: options.title });
  const path = await writeBoth(open.dir, options, { page: renderPrograms(data), data });
  const programs = data.programs.map(({ program, sentence, needs, data: { answers } }) => ({
    ...{ program, sentence, needs, answers },
  }));
  return { report: path, first: data.first, programs };
}

/** Writes the report of a campaign. */
export async function writeReport(
  open: OpenCampaign,
  { program, ...options }: ReportOptions & { readonly program?: string | undefined } = {},
): Promise<WrittenReport> {
  const { title, ...rest } = options;
  const settings = canonicalJson({ dir: resolve(open.dir), program });
  // Made once for as long as nothing of the campaign changes.
  const made = await open.kept({
    ...{ kind: 'report', settings },
    make: async () => buildReport(await readReportInput(open, { generatedAt: '', program })),
  });
  const data = { ...made, generatedAt: new Date().toISOString(), ...(title === undefined ? {} : { title }) };
  const path = await writeBoth(open.dir, rest, { page: render(data), data });
  return { report: path, answers: data.answers };
}

/** Returns the path of the page. */
async function writeBoth(
  dir: string,
  { out, data: dataFile }: ReportOptions,
  { page, data }: { readonly page: string; readonly data: object },
): Promise<string> {
  const path = placeOf(out ?? join(dir, 'report.html'));
  await writeFileWhole(path, page);
  if (dataFile !== undefined) {
    await writeFileWhole(placeOf(dataFile), `${JSON.stringify({ schema: DATA_SCHEMA, ...data })}\n`);
  }
  return path;
}

/** As an absolute path; `-` is standard output. */
function placeOf(file: string): string {
  return file === '-' ? file : resolve(file);
}
