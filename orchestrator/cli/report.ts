import { join, resolve } from 'node:path';
import { badInput } from '../../base/errors.ts';
import { canonicalJson } from '../../experiments/store/digest.ts';
import { type OpenCampaign, openCampaign } from '../../experiments/store/open-campaign.ts';
import { writeFileWhole } from '../../experiments/store/whole.ts';
import { buildPrograms, hasPrograms } from '../../report/content/build-programs.ts';
import { buildReport } from '../../report/content/build-report.ts';
import { readReportInput } from '../../report/content/from-campaign.ts';
import { render, renderPrograms } from '../../report/render.ts';
import { printAnswers } from './each-program.ts';
import type { Optional, Switches } from './flags.ts';
import { type Answer, leaveStdoutToFile, print, printExactly } from './print.ts';

/** Of what `--data` writes; it changes when a name in it changes or goes. */
const DATA_SCHEMA = 2;

/** `out`: the page's file, in the campaign's folder by default; `data`: that of all that the page shows. `-` is standard output. */
type ReportFlags = Optional<'out' | 'data' | 'title' | 'program'>;

/** Of several programs all side by side, unless one is named. */
export async function report(dir: string, flags: ReportFlags & Switches): Promise<Answer> {
  if (flags.data === '-') {
    const other = flags.json ? '--json' : flags.out === '-' ? '--out -' : null;
    if (other)
      throw badInput(`--data - and ${other} would both write to standard output: name a file for one of them.`);
    leaveStdoutToFile();
  }
  const open = await openCampaign(dir);
  if (flags.program === undefined && hasPrograms(open)) return await reportPrograms(open, flags);
  const written = await writeReport(open, flags);
  const say = (): void => {
    printAnswers(written.answers);
    printExactly(`Report: ${written.report}`);
  };
  return { json: written, say };
}

async function reportPrograms(open: OpenCampaign, flags: ReportFlags): Promise<Answer> {
  const data = await buildPrograms(open, { generatedAt: new Date().toISOString(), title: flags.title });
  const path = await writeBoth(open.dir, flags, { page: renderPrograms(data), data });
  const programs = data.programs.map(({ program, sentence, needs, data: { answers } }) => {
    return { program, sentence, needs, answers };
  });
  const say = (): void => {
    for (const { program, sentence } of programs) print(`${program}\n  ${sentence}`);
    if (data.first !== null) print(data.first);
    printExactly(`Report: ${path}`);
  };
  return { json: { report: path, first: data.first, programs }, say };
}

/** Writes the report of a campaign: the page's path and its answers, null where nothing was measured. */
export async function writeReport(open: OpenCampaign, { program, title, ...files }: ReportFlags = {}) {
  // Made once for as long as nothing of the campaign changes.
  const made = await open.kept({
    kind: 'report',
    settings: canonicalJson({ dir: resolve(open.dir), program }),
    make: async () => buildReport(await readReportInput(open, { generatedAt: '', program })),
  });
  const data = { ...made, generatedAt: new Date().toISOString(), ...(title === undefined ? {} : { title }) };
  const path = await writeBoth(open.dir, files, { page: render(data), data });
  return { report: path, answers: data.answers };
}

/** Returns the path of the page. */
async function writeBoth(
  dir: string,
  { out, data: dataFile }: ReportFlags,
  { page, data }: { readonly page: string; readonly data: object },
): Promise<string> {
  const path = placeOf(out ?? join(dir, 'report.html'));
  await writeFileWhole(path, page);
  if (dataFile !== undefined)
    await writeFileWhole(placeOf(dataFile), `${JSON.stringify({ schema: DATA_SCHEMA, ...data })}\n`);
  return path;
}

/** As an absolute path; `-` is standard output. */
function placeOf(file: string): string {
  return file === '-' ? file : resolve(file);
}
