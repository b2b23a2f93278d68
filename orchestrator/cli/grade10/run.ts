import { readFile } from 'node:fs/promises';
import {
  type Analysis,
  analyse,
  type CaseOutput,
  loadPlatform,
  type ModelChoice,
  parseCase,
  readJob,
  runCase,
  summarise,
  writeAnalysis,
} from '../../../analysis/index.ts';
import { badInput, messageOf } from '../../../base/index.ts';
import { parseSeconds } from '../flags.ts';
import { noteAlike, print, printJson, printLongJson, table } from '../print.ts';
import { explainAll } from './all-cells.ts';
import { explainOne } from './one-cell.ts';
import { printSummary } from './print-summary.ts';
import type { Grade10Flags } from './register.ts';
import { saveTables, saveTrace } from './save.ts';

/** A campaign, one of its cells, a job's folder or a case: whichever was named. */
export async function grade10(dir: string | undefined, flags: Grade10Flags): Promise<void> {
  const sources = [dir, flags.job, flags.case].filter((source) => source !== undefined);
  if (sources.length !== 1) {
    throw badInput('Name one source: a campaign folder, --job FOLDER, or --case FILE.json.');
  }
  if (!['parquet', 'tsv'].includes(flags.format)) {
    throw badInput(`--format: '${flags.format}' is unknown: write parquet or tsv.`);
  }
  const detailed = ['against', 'sampling', ...(flags.job === undefined ? (['trace', 'export'] as const) : [])] as const;
  const one = detailed.find((flag) => flags[flag] !== undefined);
  if (one !== undefined && flags.cell === undefined) {
    throw badInput(`--${one} is about one run: name it with --cell NODES:SCALE:BW.`);
  }
  if (flags.case !== undefined) return await runCaseFile(flags.case, flags.json);
  const platform = flags.model === undefined ? undefined : await loadPlatform(flags.model);
  const timesliceNs = flags.slice === undefined ? undefined : Math.round(parseSeconds(flags.slice, '--slice') * 1e9);
  if (flags.job !== undefined) return await runJob(flags.job, { platform, timesliceNs, flags });
  if (flags.cell === undefined) return await explainAll(dir ?? '', { platform, timesliceNs, json: flags.json });
  await explainOne(dir ?? '', { platform, timesliceNs, flags: { ...flags, cell: flags.cell } });
}

async function runCaseFile(path: string, json: boolean | undefined): Promise<void> {
  let data: unknown;
  try {
    data = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw badInput(`--case: ${path} cannot be read as JSON (${messageOf(error)}).`, error);
  }
  const result = runCase(parseCase(data));
  if (json) return printJson(result);
  printIssues(result);
}

async function runJob(
  folder: string,
  { platform, timesliceNs, flags }: ModelChoice & { readonly flags: Grade10Flags },
): Promise<void> {
  if (platform === undefined) throw badInput('--job needs --model: the name of a shipped model, or a YAML file.');
  const { model, warnings } = await readJob(folder, { platform, timesliceNs });
  const analysis: Analysis = analyse(model, platform.analyseOptions(model));
  await saveTrace(flags.trace, analysis, folder);
  await saveTables(flags.export, analysis, flags.format);
  const summary = summarise(analysis, platform);
  if (flags.json) return printLongJson({ summary, warnings, ...writeAnalysis(folder, analysis) });
  noteAlike(warnings);
  printSummary(summary, platform);
}

function printIssues({ name, phases, issue_count, issues }: CaseOutput): void {
  print(`${name}: ${phases.length} phases, ${issue_count} issues`);
  print(
    table([...issues].sort((a, b) => b.impact - a.impact).slice(0, 20), [
      { title: 'issue', value: ({ pass }) => pass },
      { title: 'slices', value: ({ impact }) => String(Number(impact.toFixed(1))), align: 'right' },
      { title: 'phase', value: ({ phase }) => phase },
      { title: 'phases at fault', value: (issue) => ('target' in issue ? issue.target : '') },
      { title: 'resource', value: (issue) => ('source' in issue ? issue.source : '') },
    ]),
  );
}
