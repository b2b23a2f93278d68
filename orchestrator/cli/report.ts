import { badInput } from '../../base/errors.ts';
import { type OpenCampaign, openCampaign } from '../../experiments/store/open-campaign.ts';
import { hasPrograms } from '../../report/content/build-programs.ts';
import { writePrograms, writeReport } from '../write-report.ts';
import { printAnswers } from './each-program.ts';
import type { Optional, Switches } from './flags.ts';
import { leaveStdoutToFile, print, printExactly, printJson } from './print.ts';

type ReportFlags = Optional<'out' | 'data' | 'title' | 'program'> & Switches;

/** Of several programs all side by side, unless one is named. */
export async function report(dir: string, flags: ReportFlags): Promise<void> {
  if (flags.data === '-') {
    const other = flags.json ? '--json' : flags.out === '-' ? '--out -' : null;
    if (other)
      throw badInput(`--data - and ${other} would both write to standard output: name a file for one of them.`);
    leaveStdoutToFile();
  }
  const open = await openCampaign(dir);
  if (flags.program === undefined && hasPrograms(open)) return await reportPrograms(open, flags);
  const written = await writeReport(open, flags);
  if (flags.json) printJson(written);
  else {
    printAnswers(written.answers);
    printExactly(`Report: ${written.report}`);
  }
}

async function reportPrograms(open: OpenCampaign, flags: ReportFlags): Promise<void> {
  const written = await writePrograms(open, flags);
  if (flags.json) return printJson(written);
  for (const { program, sentence } of written.programs) print(`${program}\n  ${sentence}`);
  if (written.first !== null) print(written.first);
  printExactly(`Report: ${written.report}`);
}
