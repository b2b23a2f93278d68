// Format: https://github.com/extra-p/extrap/blob/master/docs/file-formats.md (text file format)

import { badInput } from '../../base/errors.ts';
import { at } from '../../base/lists.ts';
import {
  canonical,
  coordinateKey,
  type Experiment,
  gatherExperiment,
  type Measurement,
  nameProblem,
  requireSharedPoints,
  seriesKey,
  seriesName,
} from './experiment.ts';
import { finiteNumber, splitLines } from './read-text.ts';

/** Extra-P's own limit for this format. */
const MAX_PARAMETERS = 4;

/** What was read so far. */
interface Reading {
  readonly source: string;
  readonly parameters: string[];
  readonly coordinates: number[][];
  /** Line of each point. */
  readonly points: Map<string, number>;
  readonly measurements: Measurement[];
  /** First line of DATA of each series. */
  readonly begun: Map<string, number>;
  readonly header: { REGION: string; METRIC: string };
  /** Lines of the headers since the last DATA line. */
  fresh: { REGION?: number; METRIC?: number };
  /** DATA lines since the last header, and the last one's number. */
  data: number;
  lastData: number;
}

/** What follows a keyword, and where. */
interface Line {
  readonly rest: string;
  readonly number: number;
  readonly where: string;
}

type ReadLine = (reading: Reading, line: Line) => void;
const KEYWORDS: ReadonlyMap<string, ReadLine> = new Map<string, ReadLine>([
  ['PARAMETER', addParameters],
  ['POINTS', addPoints],
  ['REGION', (reading, line) => setHeader(reading, 'REGION', line)],
  ['METRIC', (reading, line) => setHeader(reading, 'METRIC', line)],
  ['DATA', addData],
]);

/** Reads Extra-P's text input: PARAMETER, POINTS, then REGION and METRIC (both optional) with one DATA line per point. */
export function readExtrapText(text: string, source: string): Experiment {
  const reading: Reading = {
    ...{ source, parameters: [], coordinates: [], points: new Map(), measurements: [], begun: new Map() },
    ...{ header: { REGION: '', METRIC: '' }, fresh: {}, data: 0, lastData: 0 },
  };
  for (const { number, text: line } of splitLines(text, source)) {
    if (line.startsWith('#')) continue;
    const where = `${source}, line ${number}`;
    const [keyword = ''] = line.split(/\s/, 1);
    const read = KEYWORDS.get(keyword);
    if (read === undefined) {
      throw badInput(
        `${where}: '${keyword.slice(0, 40)}' is not one of ${[...KEYWORDS.keys()].join(', ')} or a comment with #.`,
      );
    }
    read(reading, { rest: line.slice(keyword.length).trim(), number, where });
  }
  requireWhole(reading);
  return gatherExperiment(reading.parameters, reading.measurements);
}

function addParameters({ points, parameters }: Reading, { rest, where }: Line): void {
  if (points.size > 0) throw badInput(`${where}: PARAMETER after POINTS: name all parameters first.`);
  parameters.push(...newParameters(rest, { parameters, where }));
}

function addPoints({ parameters, points, coordinates, measurements }: Reading, { rest, number, where }: Line): void {
  if (parameters.length === 0) throw badInput(`${where}: POINTS before any PARAMETER: name the parameters first.`);
  if (rest === '') throw badInput(`${where}: POINTS names no point: write POINTS ( 4 10 ) ( 4 20 ).`);
  if (measurements.length > 0) throw badInput(`${where}: POINTS after DATA: name all points first.`);
  for (const coordinate of parsePoints(rest, { parameters, where })) {
    const key = coordinateKey(coordinate);
    const before = points.get(key);
    if (before !== undefined) {
      throw badInput(`${where}: the point ( ${key} ) is given a second time, after line ${before}: keep one.`);
    }
    points.set(key, number);
    coordinates.push(coordinate);
  }
}

function setHeader(reading: Reading, keyword: 'REGION' | 'METRIC', { rest, number, where }: Line): void {
  requireAllData(reading);
  const problem = nameProblem(rest);
  if (problem !== null) throw badInput(`${where}: ${keyword} is ${JSON.stringify(rest)}: ${problem}.`);
  const unused = reading.fresh[keyword];
  if (unused !== undefined) {
    throw badInput(`${reading.source}, line ${unused}: no DATA follows this ${keyword}: remove it.`);
  }
  reading.fresh[keyword] = number;
  reading.header[keyword] = rest;
  reading.data = 0;
}

function addData(reading: Reading, { rest, number, where }: Line): void {
  const { points, header, begun, coordinates, measurements, data } = reading;
  if (points.size === 0) throw badInput(`${where}: DATA before PARAMETER and POINTS: name those first.`);
  const series = { callpath: header.REGION, metric: header.METRIC };
  const before = begun.get(seriesKey(series));
  if (data === 0 && before !== undefined) {
    throw badInput(`${where}: ${seriesName(series)} is given a second time, after line ${before}: keep one.`);
  }
  if (data === 0) begun.set(seriesKey(series), number);
  const coordinate = coordinates[data];
  if (!coordinate) {
    throw badInput(
      `${where}: DATA line ${data + 1} of ${seriesName(series)}, but POINTS names ${points.size}: remove it.`,
    );
  }
  if (rest === '') throw badInput(`${where}: DATA has no value: give at least one.`);
  const values = rest.split(/\s+/).map((value) => finiteNumber(value, { where, what: 'a value' }));
  measurements.push({ ...series, coordinate, values });
  reading.data += 1;
  reading.lastData = number;
  reading.fresh = {};
}

/** A series that began has one DATA line per point. */
function requireAllData({ source, data, points, header, lastData }: Reading): void {
  if (data === 0 || data === points.size) return;
  const name = seriesName({ callpath: header.REGION, metric: header.METRIC });
  throw badInput(
    `${source}, line ${lastData}: ${name} ends after ${data} of ${points.size} DATA lines: give one per point of POINTS.`,
  );
}

/** At the end of the file nothing is missing. */
function requireWhole(reading: Reading): void {
  const { source, parameters, points, fresh, measurements } = reading;
  requireAllData(reading);
  if (parameters.length === 0) {
    throw badInput(`${source} has no PARAMETER line: check that it is in Extra-P's text format.`);
  }
  if (points.size === 0) throw badInput(`${source} has no POINTS line: it is truncated or lacks the points.`);
  const unused = fresh.REGION ?? fresh.METRIC;
  if (unused !== undefined) throw badInput(`${source}, line ${unused}: no DATA follows, so the file is truncated.`);
  if (measurements.length === 0) {
    throw badInput(`${source} has no DATA line: nothing was measured, or the file is truncated.`);
  }
}

/**
 * Writes Extra-P's text input. All regions of a metric stand together: Extra-P takes a METRIC line that comes back after
 * another metric for that other one.
 */
export function writeExtrapText(experiment: Experiment): string {
  const { parameters, series } = requireSharedPoints(canonical(experiment), 'extrap-text');
  if (parameters.length > MAX_PARAMETERS) {
    throw badInput(
      `extrap-text holds at most ${MAX_PARAMETERS} parameters, not ${parameters.join(', ')}: use extrap-json.`,
    );
  }
  const spaced = parameters.find((name) => /\s/.test(name));
  if (spaced !== undefined) throw badInput(`extrap-text cannot hold the blank in '${spaced}': use extrap-json.`);
  const points = at(series, 0).points.map(({ coordinate }) =>
    coordinate.length === 1 ? `${coordinate[0]}` : `( ${coordinate.join(' ')} )`,
  );
  const lines = [`PARAMETER ${parameters.join(' ')}`, `POINTS ${points.join(' ')}`];
  const metrics = [...new Set(series.map(({ metric }) => metric))].sort();
  for (const metric of metrics) {
    lines.push('', `METRIC ${metric}`.trim());
    for (const { callpath, points: own } of series.filter((one) => one.metric === metric)) {
      lines.push(`REGION ${callpath}`.trim(), ...own.map(({ values }) => `DATA ${values.join(' ')}`));
    }
  }
  return `${lines.join('\n')}\n`;
}

function newParameters(
  text: string,
  { parameters, where }: { readonly parameters: readonly string[]; readonly where: string },
): string[] {
  if (text === '') throw badInput(`${where}: PARAMETER has no name: write PARAMETER nodes.`);
  const names = text.split(/\s+/);
  if (parameters.length + names.length > MAX_PARAMETERS) {
    throw badInput(
      `${where}: parameter ${MAX_PARAMETERS + 1} is '${names.at(-1)}': this format has at most ${MAX_PARAMETERS}.`,
    );
  }
  for (const [index, name] of names.entries()) {
    if (parameters.includes(name) || names.indexOf(name) < index) {
      throw badInput(`${where}: the parameter '${name}' is named a second time: keep one.`);
    }
    if (nameProblem(name) !== null)
      throw badInput(`${where}: PARAMETER is ${JSON.stringify(name)}: ${nameProblem(name)}.`);
  }
  return names;
}

/**
 * The coordinates of a POINTS line: `4 8 16` for one parameter, `( 4 10 ) ( 4 20 )` for several; brackets around single
 * numbers, `((4) (10))`, change nothing. `where` begins the sentence of an error.
 */
function parsePoints(
  text: string,
  { parameters, where }: { readonly parameters: readonly string[]; readonly where: string },
): number[][] {
  const points: number[][] = [];
  let open: number[] = [];
  let depth = 0;
  for (const token of text.match(/[()]|[^()\s]+/g) ?? []) {
    if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    else open.push(finiteNumber(token, { where, what: 'a coordinate' }));
    if (depth < 0 || depth > 2) throw badInput(`${where}: the brackets in '${text}' do not match: write ( 4 10 ).`);
    if (depth > 0 || open.length === 0) continue;
    points.push(open);
    open = [];
  }
  if (depth > 0) throw badInput(`${where}: a '(' is not closed in '${text}': the line is truncated or lacks a ')'.`);
  const wrong = points.find((point) => point.length !== parameters.length);
  if (wrong === undefined) return points;
  throw badInput(
    `${where}: the point '( ${wrong.join(' ')} )' has ${wrong.length} coordinates, the parameters are ${parameters.length} ` +
      `(${parameters.join(', ')}): give one per parameter.`,
  );
}
