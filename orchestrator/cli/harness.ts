import { groupBy } from '../../base/lists.ts';
import { formatSeconds, trimNumber } from '../../base/units.ts';
import { type FoundReport, readReports } from '../../experiments/harness/find-reports.ts';
import { computeMeans, computeScore, failuresByCode, type PairMeans } from '../../experiments/harness/harness-run.ts';
import type { ImportFlags } from './flags.ts';
import { type Answer, left, print, printTable, right } from './print.ts';

/** Prints what reports of the Graphalytics harness hold: per algorithm and graph, then failures, then what is absent. */
export async function harnessRead(
  paths: readonly string[],
  { properties = [] }: Pick<ImportFlags, 'properties'>,
): Promise<Answer> {
  const reports: FoundReport[] = [];
  for (const path of paths) reports.push(...(await readReports(path, properties)));
  const runs = reports.flatMap((report) => report.runs);
  const systems = systemsOf(reports);
  const [failures, absent] = [failuresByCode(runs), reports.flatMap((report) => report.absent)];
  const say = (): void => {
    for (const report of reports) print(headOf(report));
    printSystems(systems);
    printFailures(runs, failures);
    for (const sentence of absent) print(sentence);
  };
  return { json: { reports, systems, failures, absent }, say };
}

function printSystems(systems: ReturnType<typeof systemsOf>): void {
  for (const { name, pairs, means } of systems) {
    print(`\n${name}: mean over algorithms: makespan ${time(means.makespanS)}, T_proc ${time(means.processingS)}`);
    printPairs(pairs);
  }
}

function printFailures(runs: FoundReport['runs'], failures: ReturnType<typeof failuresByCode>): void {
  const failed = runs.filter(({ success }) => !success);
  print(`\n${runs.length} runs, ${failed.length} failed`);
  if (failed.length === 0) return;
  printTable(failures, [left('code', ({ code }) => code), right('runs', (row) => row.runs)]);
  for (const { id, algorithm, graph, reason } of failed)
    print(`${id} ${algorithm ?? '?'} on ${graph ?? '?'}: ${reason}`);
}

function printPairs(pairs: readonly PairMeans[]): void {
  printTable(pairs, [
    left('algorithm', ({ algorithm }) => algorithm ?? '?'),
    left('graph', ({ graph }) => graph ?? '?'),
    right('vertices', ({ vertices }) => vertices ?? '?'),
    right('edges', ({ edges }) => edges ?? '?'),
    right('runs', ({ succeeded, failed }) => `${succeeded}/${succeeded + failed}`),
    right('load', ({ loadS }) => time(loadS)),
    right('makespan', ({ makespanS }) => time(makespanS)),
    right('T_proc', ({ processingS }) => time(processingS)),
    right('CV', ({ variation }) => (variation === null ? '-' : trimNumber(variation))),
    right('EPS', ({ eps }) => rate(eps)),
    right('EVPS', ({ evps }) => rate(evps)),
    left('', ({ doubt }) => (doubt === null ? '' : `careful: ${doubt}`)),
  ]);
}

/** Reports of one platform on as many machines belong together. */
function systemsOf(reports: readonly FoundReport[]) {
  return groupBy(reports, systemOf).map((group) => {
    const pairs = computeMeans(group.flatMap(({ runs }) => runs));
    const means = { makespanS: computeScore(pairs, 'makespanS'), processingS: computeScore(pairs, 'processingS') };
    return { name: systemOf(group[0] as FoundReport), pairs, means };
  });
}

function systemOf({ platform, environment, nodes }: FoundReport): string {
  const machines = nodes === null ? 'an unknown number of machines' : `${nodes} machine${nodes === 1 ? '' : 's'}`;
  const where = environment === null ? '' : ` (${environment})`;
  return `${platform.name ?? 'an unnamed platform'} on ${machines}${where}`;
}

function headOf(report: FoundReport): string {
  const { path, runs } = report;
  return `${path}: ${systemOf(report)}, ${runs.length} ${runs.length === 1 ? 'run' : 'runs'}`;
}

function time(seconds: number | null): string {
  return seconds === null ? '-' : seconds === 0 ? '0 s' : formatSeconds(seconds);
}

function rate(perSecond: number | null): string {
  if (perSecond === null) return '-';
  const [divisor, unit] = perSecond >= 1e9 ? [1e9, 'G/s'] : perSecond >= 1e6 ? [1e6, 'M/s'] : [1e3, 'k/s'];
  return `${trimNumber(perSecond / divisor)} ${unit}`;
}
