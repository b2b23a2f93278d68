import { PROFILE_FORMATS } from '../../../analysis/profiles/formats/profile-format.ts';
import { parseStrip } from '../../../analysis/profiles/formats/strip-names.ts';
import { importCampaign } from '../../../analysis/profiles/scaling/campaign-runs.ts';
import { importProfiles } from '../../../analysis/profiles/store/import-profiles.ts';
import { parseNumber, parseWord } from '../../../base/bounds.ts';
import { badInput } from '../../../base/errors.ts';
import { shortened } from '../../../base/text.ts';
import { trimNumber } from '../../../base/units.ts';
import { isCampaign } from '../../../experiments/store/campaign-folders.ts';
import { openCampaign } from '../../../experiments/store/open-campaign.ts';
import { given, type ImportFlags } from '../flags.ts';
import { problemNotes } from '../path/print-path.ts';
import { left, note, printJson, printTable, right } from '../print.ts';

/** Imports the profiles of one run of a benchmark into a store, all or none. */
export async function importProfileFiles(files: readonly string[], flags: ImportFlags): Promise<void> {
  const { into = '', benchmark, run, format = 'auto' } = flags;
  const [dir] = files;
  if (dir !== undefined && isCampaign(dir)) return ofCampaign(dir, files, flags);
  for (const [flag, text] of [
    ['--benchmark', benchmark],
    ['--run', run],
  ] as const) {
    if (text === undefined) throw badInput(`${flag} is missing: only for a campaign is it known.`);
    if (text.trim() === '') throw badInput(`${flag} is empty: give it a name.`);
  }
  const named = parseWord(format, '--format', ['auto', ...PROFILE_FORMATS]);
  const imported = await importProfiles(into, files, {
    benchmark: benchmark ?? '',
    testRun: run ?? '',
    timeNs: given(flags.time, parseTimeNs) ?? null,
    metricMean: given(flags.metric, (text) => parseNumber(text, '--metric')) ?? null,
    normalise: parseStrip(flags.strip),
    format: named === 'auto' ? undefined : named,
    value: flags.value,
  });
  if (flags.json) return printJson({ imported: imported.map(withTime) });
  for (const { problems } of imported) problemNotes(problems);
  printTable(imported, [
    left('key', ({ key }) => key),
    right('nodes', ({ nodes }) => nodes),
    right('sampled', ({ total, unit }) => `${trimNumber(total)} ${unit}`),
    left('recorded', ({ timeNs }) => formatIso(timeNs)),
    left('format', (one) => one.format),
    left('from', ({ source }) => source),
  ]);
  for (const { key, lost, unknown, truncated } of imported) {
    const parts = [
      [lost, 'samples lost'],
      [unknown, 'frames without a name'],
      [truncated, 'stacks cut off'],
    ] as const;
    const said = parts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []));
    if (said.length > 0) note(`predict: ${key}: ${said.join(', ')}`);
  }
}

/** The profiled runs of a campaign, which says by itself what they are of. */
async function ofCampaign(
  dir: string,
  files: readonly string[],
  { into = '', json, run, ...flags }: ImportFlags,
): Promise<void> {
  const given = (['benchmark', 'time', 'metric', 'strip', 'value'] as const).find((name) => flags[name] !== undefined);
  if (run?.trim() === '') throw badInput('--run is empty: give it a name.');
  if (given !== undefined || files.length > 1) {
    const what = given === undefined ? 'other files' : `--${given}`;
    throw badInput(
      `${dir} is a campaign, whose profiled runs already have these names: import it alone, without ${what}.`,
    );
  }
  const imported = await importCampaign(into, await openCampaign(dir), { run });
  if (json) return printJson({ imported: imported.map(withTime) });
  printTable(imported, [
    left('key', ({ key }) => key),
    right('metric', ({ metricMean }) => (metricMean === null ? '-' : trimNumber(metricMean))),
    left('recorded', ({ timeNs }) => formatIso(timeNs)),
  ]);
}

/** JSON has no whole numbers of 64 bits: a time in ns stands as a text. */
export function withTime<T extends { readonly timeNs: bigint }>(
  facts: T,
): Omit<T, 'timeNs'> & { readonly timeNs: string } {
  return { ...facts, timeNs: String(facts.timeNs) };
}

export function formatIso(timeNs: bigint): string {
  const time = new Date(Number(timeNs / 1_000_000n));
  return Number.isNaN(time.getTime()) ? `${timeNs} ns` : time.toISOString();
}

/** Both ends of what 64 bits hold. */
const LATEST_S = 9_223_372_036;

/** `2026-01-31T12:00:00Z`, or seconds since 1970, also with a fraction. */
function parseTimeNs(text: string): bigint {
  const seconds = /^(\d+)(?:\.(\d{1,9}))?$/.exec(text.trim());
  if (seconds !== null && Number(seconds[1]) <= LATEST_S) {
    return BigInt(seconds[1] ?? '') * 1_000_000_000n + BigInt((seconds[2] ?? '').padEnd(9, '0'));
  }
  const time = /^\d{4}-\d{2}-\d{2}([T ].*)?$/.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN;
  if (Number.isNaN(time))
    throw badInput(`--time: '${shortened(text)}' is not a time: write 2026-01-31T12:00:00Z or seconds since 1970.`);
  return BigInt(time) * 1_000_000n;
}
