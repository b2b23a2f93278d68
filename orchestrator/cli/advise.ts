import type { Command } from 'commander';
import { ascending } from '../../base/index.ts';
import type { Advice, Origin, Target } from '../../modeling/index.ts';
import { type IntervalFlags, type SourceFlags, withInterval, withModel, withSource } from './model-flags.ts';
import { print, printJson, table } from './print.ts';

interface AdviseFlags extends SourceFlags, IntervalFlags {
  readonly target: string;
  readonly budget: string;
  readonly nodes?: string;
  readonly roots?: string;
  readonly overhead: string;
}

export function registerAdvise(program: Command): void {
  const command = withSource(program.command('advise'));
  withInterval(withModel(command, 'auto by default'))
    .requiredOption('--target <setting>', 'what is to be known better: nodes=100,bw=100,scale=28')
    .requiredOption('--budget <node-hours>', 'what the new cells may cost')
    .option(
      '--nodes <range>',
      'node counts that can be measured: 4..25; by default all that the campaign’s hosts allow',
    )
    .option('--scale <range>', 'scales that can be measured; those of the rows by default')
    .option('--bw <range>', 'bandwidths that can be measured; by default those of the rows and those half-way between')
    .option('--roots <n>', "searches per cell; the campaign's own by default")
    .option('--overhead <time>', 'a cell without records takes this long beside its searches', '10s')
    .description('which cells to measure next so that the interval of a projection shrinks most')
    .addHelpText(
      'after',
      '\nExamples:\n  predict advise campaigns/first --target nodes=100,bw=100,scale=20 --budget 0.5\n' +
        '  predict advise campaigns/first --target nodes=100,bw=20,scale=20 --budget 0.5 --json > advice.json\n' +
        '  predict sweep --inventory lab.yaml --cells advice.json --out campaigns/first',
    )
    .action(advise);
}

async function advise(dir: string | undefined, flags: AdviseFlags): Promise<void> {
  const { parseRange } = await import('../../base/index.ts');
  const { bootstrapOptions, openSource, parseNodes, parseQuestion } = await import('./parse-question.ts');
  const { advise: adviseOn, chooseAndFit, predict } = await import('../../modeling/index.ts');
  const { parseCount, parseNumber, parseSeconds } = await import('./flags.ts');
  const options = bootstrapOptions(flags);
  const source = await openSource(dir, flags);
  const question = parseQuestion({ ...flags, model: flags.model ?? 'auto' }, { projecting: true });
  const { solved } = await chooseAndFit(source, question);
  const { fit } = solved;
  const history = historyOf(source.campaign);
  const target = await parseTarget(flags.target);
  const nodes = parseNodes(flags.nodes ?? history.nodes ?? fit.trainedOn.nodes.join(','), source.isAdmissible);
  const scales =
    flags.scale === undefined ? fit.trainedOn.scales : parseRange(flags.scale, { what: '--scale', min: 0, max: 60 });
  const bw =
    flags.bw === undefined
      ? withMidpoints(fit.trainedOn.bw)
      : parseRange(flags.bw, { what: '--bw', step: 2, min: 0.001, max: 100, integer: false });
  const roots = flags.roots === undefined ? history.roots : parseCount(flags.roots, '--roots');
  const overhead = parseSeconds(flags.overhead, '--overhead');
  const advice = adviseOn(solved, {
    ...options,
    target,
    candidates: scales.flatMap((scale) =>
      nodes.flatMap((count) => bw.map((one) => ({ nodes: count, scale, bw: one }))),
    ),
    costOf: (cell) => (cell.nodes * (history.besideSearches(cell, overhead) + roots * predict(fit, cell))) / 3600,
    budgetNodeHours: parseNumber(flags.budget, '--budget'),
    repetitions: roots,
  });
  const cells = withRepetitions(advice, history.cells);
  if (flags.json) return printJson({ ...advice, cells, roots });
  await printAdvice({ ...advice, cells }, { roots, dir });
}

type AdvisedCell = Advice['cells'][number] & { readonly rep: number };

async function printAdvice(
  advice: Omit<Advice, 'cells'> & { readonly cells: readonly AdvisedCell[] },
  { roots, dir }: { readonly roots: number; readonly dir: string | undefined },
): Promise<void> {
  const { formatSeconds } = await import('../../base/index.ts');
  const { target, before, after, cells, nodeHours } = advice;
  const text = ({ low, high }: { low: number | null; high: number | null }): string =>
    `${low === null ? '?' : formatSeconds(low)} to ${high === null ? '?' : formatSeconds(high)}`;
  print(
    `On ${target.nodes} nodes at ${target.bw} % bandwidth, scale ${target.scale}: ${formatSeconds(before.value ?? 0)} today (${text(before)}).`,
  );
  if (cells.length === 0) return print('No cell fits into the budget: raise --budget.');
  const right = 'right' as const;
  print(`These ${cells.length} cells, ${nodeHours.toPrecision(3)} node-hours, should narrow it to ${text(after)}:`);
  print(
    table(cells, [
      { title: 'nodes', value: ({ nodes }) => String(nodes), align: right },
      { title: 'scale', value: ({ scale }) => String(scale), align: right },
      { title: 'bw %', value: ({ bw }) => String(bw), align: right },
      { title: 'rep', value: ({ rep }) => String(rep), align: right },
      { title: 'node-hours', value: (cell) => cell.nodeHours.toPrecision(3), align: right },
      { title: 'standard error left', value: (cell) => `${(cell.standardErrorLeft * 100).toFixed(0)} %`, align: right },
    ]),
  );
  const list = cells.map(({ nodes, scale, bw, rep }) => [nodes, scale, bw, rep].join(':')).join(',');
  print(`predict sweep --inventory INVENTORY --roots ${roots} --out ${dir ?? 'CAMPAIGN'} --cells ${list}`);
}

/** A cell that was measured before gets the next repetition's number. */
function withRepetitions(advice: Advice, measured: readonly (Target & { readonly rep: number })[]): AdvisedCell[] {
  const last = new Map<string, number>();
  const key = ({ nodes, scale, bw }: Target): string => `${nodes} ${scale} ${bw}`;
  for (const cell of measured) last.set(key(cell), Math.max(cell.rep, last.get(key(cell)) ?? 0));
  return advice.cells.map((cell) => {
    const rep = (last.get(key(cell)) ?? 0) + 1;
    last.set(key(cell), rep);
    return { ...cell, rep };
  });
}

/** Levels and those half-way between neighbours, whole percents. */
function withMidpoints(levels: readonly number[]): number[] {
  const between = levels.slice(1).map((level, index) => Math.round((level + (levels[index] ?? level)) / 2));
  return ascending([...levels, ...between]);
}

interface History {
  readonly roots: number;
  /** The node counts that its hosts allow, as a range; undefined for a file. */
  readonly nodes?: string;
  readonly cells: readonly (Target & { readonly rep: number })[];
  /** Seconds that a cell takes beside its searches. */
  besideSearches(cell: Target, unknown: number): number;
}

/** What the records of a campaign tell about the cost of a cell: the slowest of its node count and scale, or of its scale. */
function historyOf(origin: Origin | null): History {
  if (origin === null) return { roots: 64, cells: [], besideSearches: (_cell, unknown) => unknown };
  const { campaign, records } = origin;
  const costs = records.map(({ cell, runs, timing }) => ({
    cell,
    seconds: timing.totalMs / 1000 - runs.reduce((sum, { ct }) => sum + ct, 0),
  }));
  return {
    roots: campaign.sweep.roots,
    // One node has no network to learn about.
    nodes: `2..${campaign.inventory.hosts.length}`,
    cells: campaign.cells,
    besideSearches: ({ nodes, scale }, unknown) => {
      const most = (own: typeof costs): number | undefined =>
        own.length === 0 ? undefined : Math.max(...own.map(({ seconds }) => seconds));
      const near = costs.filter(({ cell }) => cell.scale === scale);
      return most(near.filter(({ cell }) => cell.nodes === nodes)) ?? most(near) ?? most(costs) ?? unknown;
    },
  };
}

/** `nodes=100,bw=100,scale=28`; bw is 100 if left out. */
async function parseTarget(text: string): Promise<Target> {
  const { badInput } = await import('../../base/index.ts');
  const given = new Map(
    text.split(',').map((part) => part.split('=').map((piece) => piece.trim()) as [string, string]),
  );
  const number = (name: string, fallback?: number): number => {
    const value = given.has(name) ? Number(given.get(name) || Number.NaN) : (fallback ?? Number.NaN);
    if (!(value > 0)) throw badInput(`--target: '${text}' has no ${name}: write nodes=100,bw=100,scale=28.`);
    return value;
  };
  const unknown = [...given.keys()].find((name) => !['nodes', 'bw', 'scale'].includes(name));
  if (unknown !== undefined) throw badInput(`--target: '${unknown}' is none of nodes, bw and scale.`);
  return { nodes: number('nodes'), bw: number('bw', 100), scale: number('scale') };
}
