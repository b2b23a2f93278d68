import { writeReport } from '../write-report.ts';
import { print, printJson } from './print.ts';

interface ReportFlags {
  readonly out?: string;
  readonly title?: string;
  readonly json?: boolean;
}

export async function report(dir: string, flags: ReportFlags): Promise<void> {
  const path = await writeReport(dir, flags);
  if (flags.json) printJson({ report: path });
  else print(`Report: ${path}`);
}
