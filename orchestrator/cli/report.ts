import { writeReport } from '../write-report.ts';
import { printJson } from './print.ts';
import { printStory } from './story.ts';

interface ReportFlags {
  readonly out?: string;
  readonly title?: string;
  readonly program?: string;
  readonly json?: boolean;
}

export async function report(dir: string, flags: ReportFlags): Promise<void> {
  const written = await writeReport(dir, flags);
  if (flags.json) printJson(written);
  else printStory(written);
}
