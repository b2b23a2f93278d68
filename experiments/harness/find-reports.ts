import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { badInput, messageOf } from '../../base/errors.ts';
import { compareText } from '../../base/text.ts';
import { formatBytes } from '../../base/units.ts';
import { isGzip, unpacked } from '../../base/unpack.ts';
import { openRegular, readProblem } from '../store/regular.ts';
import type { HarnessReport } from './harness-run.ts';
import { joinReport, type ReportTexts } from './join-report.ts';

/** No report is larger, unpacked. */
const MOST_BYTES = 2 ** 28;
const MOST_DEPTH = 12;
const RESULTS = /(?:^|\.)results\.json(?:\.gz)?$/;
const DATA = /^data\.js(?:\.gz)?$/;
const LOG = /^benchmark-(?:summary|full)\.log(?:\.gz)?$/;

/** A report and the file that it was read from. */
export interface FoundReport extends HarnessReport {
  readonly path: string;
}

/**
 * The reports at a path: a results.json (plain, .gz, or behind a prefix), the harness's data.js, a report's folder whatever its
 * name, or a folder with several of them. Logs are read where they stand beside. `properties` are files of datasets.
 * Errors are `badInput` that names the file.
 */
export async function readReports(path: string, properties: readonly string[] = []): Promise<FoundReport[]> {
  const found = await stat(path).catch((error: unknown) => {
    throw badInput(
      `${path} ${readProblem(error)}: give a results.json of the Graphalytics harness, or a folder of it.`,
    );
  });
  const described = await Promise.all(properties.map(async (file) => ({ path: file, text: await readText(file) })));
  if (!found.isDirectory()) {
    return [await readReport(path, described, besideOf(path, await filesBelow(baseOf(path), MOST_DEPTH - 4)))];
  }
  // Logs stand beside a report's json folder.
  const files = await filesBelow(basename(path) === 'json' ? dirname(path) : path, 0);
  const results = files.filter((file) => RESULTS.test(basename(file)));
  const bases = new Set(results.map(baseOf));
  // The page's own copy stands in where the results were left out.
  const copies = files.filter((file) => DATA.test(basename(file)) && !bases.has(baseOf(file)));
  const all = [...results, ...copies].sort(compareText);
  if (all.length === 0) {
    const log = files.find((file) => LOG.test(basename(file)));
    const but =
      log === undefined ? '' : ` (there is a log of the harness, ${log}: it was ended before it wrote results)`;
    throw badInput(`There is no results.json below ${path}${but}.`);
  }
  const reports: FoundReport[] = [];
  for (const file of all) reports.push(await readReport(file, described, besideOf(file, files)));
  return reports;
}

async function readReport(
  path: string,
  properties: NonNullable<ReportTexts['properties']>,
  beside: readonly string[],
): Promise<FoundReport> {
  const results = await readText(path);
  const byName = (pattern: RegExp): string[] => beside.filter((file) => pattern.test(basename(file))).sort(compareText);
  const summaries = byName(/^benchmark-summary\.log/);
  const logs = summaries.length > 0 ? summaries : byName(/^benchmark-full\.log/);
  const runnerLogs = new Map<string, string>();
  for (const file of byName(/runner\.logs?$/)) {
    const id = /(?:^|\/)(r\w+?)-[^/]*(?:\/|\.)(?:platform\/)?runner\.logs?$/.exec(file)?.[1];
    if (id !== undefined) runnerLogs.set(id, await readText(file));
  }
  const texts = { results, path, runnerLogs, properties, logs: await Promise.all(logs.map(readText)) };
  return { path, ...joinReport(texts) };
}

/** The folder of a report: json/results.json and html/data/data.js stand below it. */
function baseOf(file: string): string {
  const folder = dirname(file);
  if (basename(folder) === 'json') return dirname(folder);
  return DATA.test(basename(file)) && basename(folder) === 'data' ? dirname(dirname(folder)) : folder;
}

/** Files of the same report; of several results in one folder none owns the logs there. */
function besideOf(path: string, files: readonly string[]): readonly string[] {
  const base = baseOf(path);
  const isBelow = (file: string): boolean => base === '.' || file.startsWith(`${base}/`);
  const below = files.filter(isBelow);
  return below.some((file) => file !== path && RESULTS.test(basename(file))) ? [] : below;
}

/** All files; links are not followed. */
async function filesBelow(folder: string, depth: number): Promise<string[]> {
  if (depth > MOST_DEPTH) return [];
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw badInput(`${folder} cannot be listed (${messageOf(error)}).`, error);
  });
  const inner = entries.filter((entry) => entry.isDirectory());
  const below = await Promise.all(inner.map(({ name }) => filesBelow(join(folder, name), depth + 1)));
  return [...entries.flatMap((entry) => (entry.isFile() ? [join(folder, entry.name)] : [])), ...below.flat()];
}

async function readText(path: string): Promise<string> {
  const bytes = await readBytes(path).catch((error: unknown) => {
    throw badInput(`${path} ${readProblem(error)}.`, error);
  });
  if (!isGzip(bytes)) return bytes.toString('utf8');
  const pieces: Buffer[] = [];
  for await (const piece of unpacked([bytes], { path, most: MOST_BYTES })) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

async function readBytes(path: string): Promise<Buffer> {
  const file = await openRegular(path);
  try {
    const { size } = await file.stat();
    if (size > MOST_BYTES) {
      throw new Error(`it has ${formatBytes(size)}, more than ${formatBytes(MOST_BYTES)}`);
    }
    return await file.readFile();
  } finally {
    await file.close();
  }
}
