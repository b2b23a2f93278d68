import { ascending, badInput, formatSeconds } from '../../base/index.ts';
import {
  type Advice,
  advise as adviseOn,
  chooseAndFit,
  type Origin,
  predict,
  type Target,
} from '../../modeling/index.ts';
import { given, parseCount, parseNumber, parseSeconds } from './flags.ts';
import {
  bootstrapOptions,
  type ModelFlags,
  openSource,
  parseBandwidths,
  parseNodes,
  parseQuestion,
  parseScales,
} from './parse-question.ts';
import { ends, print, printJson, printTable, right } from './print.ts';

interface AdviseFlags extends ModelFlags {
  readonly target: string;
  readonly budget: string;
  readonly nodes?: string;
  readonly roots?: string;
  readonly overhead: string;
}

export async function adviseCommand(dir: string | undefined, flags: AdviseFlags): Promise<void> {
  const options = bootstrapOptions(flags);
  const source = await openSource(dir, flags);
  const question = parseQuestion({ ...flags, model: flags.model ?? 'auto' }, { projecting: true });
  const { solved } = await chooseAndFit(source, question);
  const { fit } = solved;
  const history = historyOf(source.campaign);
  const target = parseTarget(flags.target);
  const nodes = parseNodes(flags.nodes ?? history.nodes ?? fit.trainedOn.nodes.join(','), source.isAdmissible);
  const scales = given(flags.scale, parseScales) ?? fit.trainedOn.scales;
  const bw = given(flags.bw, parseBandwidths) ?? withMidpoints(fit.trainedOn.bw);
  const roots = given(flags.roots, (text) => parseCount(text, '--roots')) ?? history.roots;
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
  const { before, after, nodeHours } = advice;
  print(
    `On ${target.nodes} nodes at ${target.bw} % bandwidth, scale ${target.scale}: ${formatSeconds(before.value ?? 0)} today (${ends(before, formatSeconds)}).`,
  );
  if (cells.length === 0) return print('No cell fits into the budget: raise --budget.');
  print(
    `These ${cells.length} cells, ${nodeHours.toPrecision(3)} node-hours, should narrow it to ${ends(after, formatSeconds)}:`,
  );
  printTable(cells, [
    right('nodes', ({ nodes }) => nodes),
    right('scale', ({ scale }) => scale),
    right('bw %', ({ bw }) => bw),
    right('rep', ({ rep }) => rep),
    right('node-hours', (cell) => cell.nodeHours.toPrecision(3)),
    right('standard error left', (cell) => `${(cell.standardErrorLeft * 100).toFixed(0)} %`),
  ]);
  const list = cells.map(({ nodes, scale, bw, rep }) => [nodes, scale, bw, rep].join(':')).join(',');
  print(`predict sweep --inventory INVENTORY --roots ${roots} --out ${dir ?? 'CAMPAIGN'} --cells ${list}`);
}

/** A cell that was measured before gets the next repetition's number. */
function withRepetitions(advice: Advice, measured: History['cells']) {
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
function parseTarget(text: string): Target {
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
