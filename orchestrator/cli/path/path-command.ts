import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { WAYS } from '../../../analysis/path/run-paths.ts';
import { parseNumber } from '../../../base/bounds.ts';
import { badInput } from '../../../base/errors.ts';
import { shortened } from '../../../base/text.ts';
import { given as parsed } from '../flags.ts';
import { type PathFlags, type ReadTrace, rejectFlags } from './path-flags.ts';

/** What only a trace of activities can be asked, what only one trace, and what only runs of ours. */
const OF_TRACES = ['format', 'slice', 'near', 'before', 'out', 'follow', 'skew', 'waitFrom', 'saveColumns'] as const;
const OF_ONE_TRACE = [
  ...(['slice', 'near', 'before', 'out', 'follow', 'skew', 'saveColumns', 'whatIf', 'trace'] as const),
];
const OF_RUNS = ['cell', 'root', 'against', 'program', 'whole', 'nodes'] as const;
const OF_ONE_RUN = ['root', 'against', 'whatIf', 'trace'] as const;

/** A campaign, one of its cells, or a trace: whichever was named. Each loads what it needs. */
export async function criticalPathCommand(named: string | undefined, given: PathFlags): Promise<void> {
  // A file in the place of a folder is a trace.
  const isFile = named !== undefined && statSync(named, { throwIfNoEntry: false })?.isDirectory() === false;
  const [dir, flags] =
    isFile && given.activities === undefined ? [undefined, { ...given, activities: named }] : [named, given];
  if ((dir === undefined) === (flags.activities === undefined))
    throw badInput('Name one source: a campaign folder, or --activities FILE.');
  if (dir === undefined) rejectFlags(flags, OF_RUNS, 'a campaign: name its folder instead of a file');
  if (flags.activities !== undefined) {
    rejectFlags(flags, ['model'], 'campaigns: leave it out with --activities');
    const [file = '', ...more] = [flags.activities].flat();
    return more.length === 0 ? await pathOfFile(file, flags) : await pathOfFiles([file, ...more], flags);
  }
  rejectFlags(flags, OF_TRACES, 'a trace: name it with --activities FILE');
  if (flags.cell === undefined) rejectFlags(flags, OF_ONE_RUN, 'one run: name it with --cell NODES:SCALE:BW');
  await pathsOfRuns(dir ?? '', flags);
}

async function pathsOfRuns(dir: string, flags: PathFlags): Promise<void> {
  const by = WAYS.find((way) => way === flags.by);
  if (by === undefined) throw badInput(`--by: '${shortened(flags.by ?? '')}' is unknown: write ${WAYS.join(', ')}.`);
  const level = parsed(flags.interval, (text) => parseNumber(text, '--interval')) ?? 0.9;
  const [{ goodRuns }, { recordsCalls }, { loadPlatform }, { openCampaign }, { parseForecastNodes }] =
    await Promise.all([
      import('../../../analysis/explain-campaign.ts'),
      import('../../../analysis/path/across/path-campaign.ts'),
      import('../../../analysis/platform/load-platform.ts'),
      import('../../../experiments/store/open-campaign.ts'),
      import('../parse-question.ts'),
    ]);
  const platform = flags.model === undefined ? undefined : await loadPlatform(flags.model);
  const open = await openCampaign(dir);
  if (flags.cell !== undefined) rejectFlags(flags, ['nodes'], 'forecasts: leave it out with --cell');
  const nodes = parsed(flags.nodes, (text) => parseForecastNodes(text, open.campaign));
  const choice = { platform, program: flags.program, whole: flags.whole, nodes };
  const good = await goodRuns(open, choice);
  const isRecorded = recordsCalls(good.campaign);
  if (isRecorded && flags.root !== undefined) {
    throw badInput(
      `--root selects a search of the bundled programs, but a run of ${dir} has one path (of MPI calls): leave it out.`,
    );
  }
  if (isRecorded && good.records.length === 0)
    throw badInput(`${dir} has no measured cell yet: run predict sweep first.`);
  const { cell, json } = flags;
  if (cell === undefined) {
    const { pathsOfCampaign } = await import('./paths-of-campaign.ts');
    return await pathsOfCampaign(good, { by, level, isRecorded, json });
  }
  const { pathsOfCell } = await import('./cell.ts');
  await pathsOfCell(good, { by, choice, isRecorded, flags: { ...flags, cell } });
}

/** A format of traces: how one is read (null where a file is none), and, where that takes more, answered for (false). */
interface Format {
  readonly read: ReadTrace;
  readonly say?: (path: string, flags: PathFlags) => Promise<boolean>;
}

/** Formats of `--activities`, in the order in which a file is tried without `--format`. */
const FORMATS: Readonly<Record<string, () => Promise<Format>>> = {
  otf2: async () => ({ read: (await import('../../../analysis/path/formats/otf2/read-otf2.ts')).readOtf2 }),
  timely: async () => (await import('./timely.ts')).TIMELY,
  activities: async () => ({
    read: (await import('../../../analysis/path/formats/read-activities.ts')).readActivities,
  }),
};

/** The critical paths of a trace. */
async function pathOfFile(path: string, flags: PathFlags): Promise<void> {
  await inItsFormat(path, flags, async ({ say, read }, name) => {
    if (say !== undefined) return (await say(path, flags)) || null;
    const found = await read(path, flags);
    if (found === null) return null;
    await (await import('./path-of-activities.ts')).pathOfTrace(name, found, flags);
    return true;
  });
}

/** The critical paths of several traces, by their worker counts. */
async function pathOfFiles(paths: readonly string[], flags: PathFlags): Promise<void> {
  rejectFlags(flags, OF_ONE_TRACE, `one trace, but ${paths.length} are named: leave it out`);
  if (paths.includes('-')) throw badInput('Standard input is one trace: name it alone, or save it to a file.');
  const read = async (path: string) => await inItsFormat(path, flags, async (format) => await format.read(path, flags));
  await (await import('./several-traces.ts')).pathOverWorkers(paths, { read, json: flags.json });
}

/** What is made of a trace by the first format that does not say null: each format's reader says whether the file is one. */
async function inItsFormat<T>(
  path: string,
  { format, follow }: PathFlags,
  make: (format: Format, name: string) => Promise<T | null>,
): Promise<T> {
  const names = Object.keys(FORMATS);
  if (format !== undefined && !names.includes(format)) {
    throw badInput(`--format: '${shortened(format)}' is unknown: write ${names.join(', ')}.`);
  }
  const found = path === '-' ? null : await stat(path).catch(() => null);
  if (found?.isFile() && found.size === 0 && follow !== true)
    throw badInput(`${shortened(path)} is empty: it contains no trace.`);
  for (const [name, load] of Object.entries(FORMATS)) {
    if (format !== undefined && format !== name) continue;
    // Standard input can be read once, so that only one reader can be asked.
    if (path === '-' && format === undefined && name !== 'timely') continue;
    const made = await make(await load(), name);
    if (made !== null) return made;
  }
  throw badInput(
    format === undefined
      ? `${shortened(path)} is in none of the known formats (${names.join(', ')}): name its format with --format.`
      : `${shortened(path)} is not a trace of the format ${format}: none of its first lines match.`,
  );
}
