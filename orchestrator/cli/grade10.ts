import type { Command } from 'commander';
import type { Summary } from '../../analysis/index.ts';
import type { CellRecord } from '../../experiments/index.ts';
import { HELP } from './help.ts';
import { note, print, printJson, table } from './print.ts';

interface Grade10Flags {
  readonly case?: string;
  readonly cell?: string;
  readonly slice: string;
  readonly json?: boolean;
}

export function registerGrade10(program: Command): void {
  program
    .command('grade10')
    .description('why it stops scaling: where the time of measured searches went, by the Grade10 method')
    .argument('[dir]', 'campaign folder')
    .option('--cell <id>', 'one cell in detail; all of them by default')
    .option('--slice <time>', 'length of a time slice', '0.001s')
    .option('--case <file>', 'a Grade10 case in JSON instead of a campaign')
    .option('--json', HELP.json)
    .addHelpText('after', '\nExamples:\n  predict grade10 campaigns/first\n  predict grade10 --case input.json --json')
    .action(grade10);
}

async function grade10(dir: string | undefined, flags: Grade10Flags): Promise<void> {
  const { badInput } = await import('../../base/index.ts');
  if ((dir === undefined) === (flags.case === undefined)) {
    throw badInput('Name one source: a campaign folder, or --case FILE.json.');
  }
  if (flags.case !== undefined) return await runCaseFile(flags.case, flags.json);
  await explainCampaign(dir ?? '', flags);
}

async function runCaseFile(path: string, json: boolean | undefined): Promise<void> {
  const { readFile } = await import('node:fs/promises');
  const { badInput, messageOf } = await import('../../base/index.ts');
  const { parseCase, runCase } = await import('../../analysis/index.ts');
  let data: unknown;
  try {
    data = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw badInput(`--case: ${path} cannot be read as JSON (${messageOf(error)}).`, error);
  }
  const result = runCase(parseCase(data));
  if (json) return printJson(result);
  print(`${result.name}: ${result.phases.length} phases, ${result.issue_count} issues`);
  print(
    table([...result.issues].sort((a, b) => b.impact - a.impact).slice(0, 20), [
      { title: 'issue', value: ({ pass }) => pass },
      { title: 'slices', value: ({ impact }) => String(Number(impact.toFixed(1))), align: 'right' },
      { title: 'phase', value: ({ phase }) => phase },
      { title: 'phases at fault', value: (issue) => ('target' in issue ? issue.target : '') },
      { title: 'resource', value: (issue) => ('source' in issue ? issue.source : '') },
    ]),
  );
}

interface Explained {
  readonly cell: CellRecord['cell'];
  readonly summary: Summary;
  readonly warnings: readonly string[];
}

async function explainCampaign(dir: string, { cell: wanted, slice, json }: Grade10Flags): Promise<void> {
  const { badInput } = await import('../../base/index.ts');
  const { hostFacts, readCampaign, readRecords } = await import('../../experiments/index.ts');
  const { explainCell } = await import('../../analysis/index.ts');
  const { parseSeconds } = await import('./flags.ts');
  const campaign = await readCampaign(dir);
  const timesliceNs = Math.round(parseSeconds(slice, '--slice') * 1e9);
  const cores = Math.min(...hostFacts(campaign).map((host) => host.cpuQuota ?? host.cores ?? 1));
  const records = [...(await readRecords(dir)).values()].filter(
    ({ cell, status }) => status === 'ok' && (wanted === undefined ? cell.role === 'measure' : cell.id === wanted),
  );
  if (records.length === 0) {
    throw badInput(wanted === undefined ? `${dir} has no measured cell yet.` : `${dir} has no good cell ${wanted}.`);
  }
  records.sort((a, b) => a.cell.scale - b.cell.scale || a.cell.nodes - b.cell.nodes || b.cell.bw - a.cell.bw);
  const explained: Explained[] = [];
  for (const record of records) {
    const options = { lineRateBps: campaign.inventory.lineRateBps, cores, timesliceNs };
    explained.push({ cell: record.cell, ...(await explainCell(dir, record, options)) });
  }
  if (json)
    return printJson({ cells: explained.map(({ cell, summary, warnings }) => ({ ...cell, ...summary, warnings })) });
  for (const warning of new Set(explained.flatMap(({ warnings }) => (wanted === undefined ? [] : warnings)))) {
    note(`predict: ${warning}`);
  }
  printExplained(explained);
  const [only] = explained;
  if (wanted !== undefined && only) printCosts(only.summary);
}

const PARTS = ['Expand', 'Compute', 'Fold', 'Synchronise'] as const;

function printExplained(cells: readonly Explained[]): void {
  const right = 'right' as const;
  const share = ({ summary }: Explained, part: string): string => {
    const own = summary.phaseSeconds.find(({ phases }) => phases.endsWith(`/${part}`));
    return own ? `${((own.seconds / summary.searchSeconds) * 100).toFixed(0)} %` : '-';
  };
  const first = ({ summary }: Explained, kind: Summary['costs'][number]['kind']): string => {
    const found = summary.costs.find((cost) => cost.kind === kind);
    return found ? `${nameOf(found.resource ?? found.phases)} ${found.percent.toFixed(0)} %` : '-';
  };
  print(
    table(cells, [
      { title: 'scale', value: ({ cell }) => String(cell.scale), align: right },
      { title: 'nodes', value: ({ cell }) => String(cell.nodes), align: right },
      { title: 'bw %', value: ({ cell }) => String(cell.bw), align: right },
      {
        title: 'per search',
        value: ({ cell, summary }) => `${((summary.searchSeconds / cell.roots) * 1000).toFixed(0)} ms`,
        align: right,
      },
      ...PARTS.map((part) => ({ title: part, value: (one: Explained) => share(one, part), align: right })),
      { title: 'largest bottleneck', value: (one) => first(one, 'critical-path') },
      { title: 'largest imbalance', value: (one) => first(one, 'imbalance') },
    ]),
  );
}

function printCosts({ costs, searchSeconds }: Summary): void {
  print(`\nWhat the searches (${searchSeconds.toFixed(2)} s) could save at most:`);
  for (const { kind, phases, resource, seconds, percent } of costs.slice(0, 12)) {
    const what =
      kind === 'imbalance'
        ? `if ${nameOf(phases)} took as long on every rank`
        : kind === 'bottleneck'
          ? `if ${nameOf(phases)} did not have to wait for ${nameOf(resource)}`
          : `if nothing had to wait for ${nameOf(resource)}`;
    print(`  ${seconds.toFixed(3)} s (${percent.toFixed(0)} %) ${what}`);
  }
}

/** `/host/network/bytes-in` -> `bytes-in`. */
function nameOf(path: string | null): string {
  return path?.split('/').at(-1) ?? '';
}
