import { refuseMore, SIZES } from '../base/bounds.ts';
import { badInput } from '../base/errors.ts';
import { ascending, at, groupBy, own, shuffledIndices } from '../base/lists.ts';
import { formatRange } from '../base/ranges.ts';
import { compareText, shortened } from '../base/text.ts';
import { LATENCY, refuseLatency } from './latency.ts';
import type { Cell } from './records.ts';
import { canonicalJson, contentHash } from './store/digest.ts';
import type { Sweep } from './sweep.ts';
import { describeRankRule } from './workloads/rank-rule.ts';
import type { ParamChoice, Workload } from './workloads/workload.ts';

interface PlanOptions {
  readonly workload: Workload;
  readonly ranksPerNode: number;
  /** How many hosts the inventory has. */
  readonly hosts: number;
}

/**
 * The cells of a sweep in the order in which they run. Scales one after the other; of each, blocks: every (nodes, parameters,
 * bandwidth) once, in an order drawn from the seed (of a program that follows orders with all levels of a size together), as often as there are repetitions (profiled ones among them), and at the end the 100 % baseline of
 * every (nodes, parameters) once more as its `drift` cell (rep = reps + 1). So what changes in time changes no comparison.
 * Node counts that the workload or the hosts do not allow are one `badInput` that lists them; so are parameters that the
 * workload does not read or lacks, and a sweep that is too large.
 */
export function plan(sweep: Sweep, { workload, ranksPerNode, hosts }: PlanOptions): Cell[] {
  refuseSize(sweep, workload);
  const perNode = sweep.ranksPerNode ?? [ranksPerNode];
  for (const ranks of perNode) refuseNodeCounts(sweep.nodes, { workload, ranksPerNode: ranks, hosts });
  refuseParameters(sweep, workload);
  if (sweep.latency !== undefined) refuseLatency(workload);
  refuseScales(sweep, workload);
  const { name } = workload.definition;
  const identify = identifier(sweep, workload);
  const settings = settingsOf(sweep, workload).flatMap((setting) =>
    perNode.map((ranks) => ({ ...setting, ranks: setting.nodes * ranks })),
  );
  for (const { params } of settings) {
    const reason = workload.refusal?.({ params, roots: sweep.roots }) ?? null;
    if (reason !== null) throw badInput(reason);
  }
  return inBlocks(settings, sweep.seed, workload).map((setting) =>
    identify({ ...setting, workload: name, roots: sweep.roots }),
  );
}

/** The same cell visited once more, as this repetition. */
export function visitAgain(cell: Cell, rep: number, of: { readonly sweep: Sweep; readonly workload: Workload }): Cell {
  const { id: _, ...content } = cell;
  return identifier(of.sweep, of.workload)({ ...content, rep, role: 'measure' });
}

/**
 * The same for cells that one start of a program that follows orders serves: repetitions are starts of their own, so that what differs
 * from start to start is seen in them.
 */
export function startOf({ nodes, ranks, scale, params, roots, rep }: Cell): string {
  return JSON.stringify([nodes, ranks, scale, params ?? null, roots, rep]);
}

/** Gives a cell the id of its content: of equal content in a sweep of the same seed and workload there is one. */
function identifier({ seed }: Sweep, { definition }: Workload): (content: Omit<Cell, 'id'>) => Cell {
  const hash = contentHash(definition);
  return ({ workload, nodes, ranks, scale, params, bw, rep, role, profile, roots }) => {
    const told = { ...(params && { params }), ...(profile && { profile }) };
    const content = { workload, nodes, ranks, scale, ...told, bw, rep, role, roots };
    return { id: contentHash({ ...content, definition: hash, seed }), ...content };
  };
}

type CellSetting = Pick<Cell, 'nodes' | 'scale' | 'params' | 'bw' | 'rep' | 'role' | 'profile'>;

/** The measurements, and of a sweep that profiles each of them once more. */
function settingsOf(sweep: Sweep, workload: Workload): readonly CellSetting[] {
  const { profile } = sweep;
  const settings = measuredSettings(sweep, workload);
  if (profile === undefined) return settings;
  if (workload.launch !== 'ranks') {
    throw badInput(
      `--profile: ${workload.definition.name} starts its ranks by itself, so they cannot be profiled: leave this option out.`,
    );
  }
  const measured = settings.filter(({ role }) => role === 'measure');
  return [...settings, ...measured.map((setting) => ({ ...setting, role: 'profile' as const, profile }))];
}

function measuredSettings(sweep: Sweep, workload: Workload): readonly CellSetting[] {
  const choices = choicesOf(sweep, workload);
  if (sweep.cells) {
    const order = [...sweep.cells].sort(
      (a, b) => a.nodes - b.nodes || a.scale - b.scale || b.bw - a.bw || a.rep - b.rep,
    );
    return choices.flatMap(({ scale, params }) =>
      order.filter((cell) => cell.scale === scale).map((cell) => ({ ...cell, params, role: 'measure' })),
    );
  }
  const bandwidths = ascending([...sweep.bw, 100]).reverse();
  const settings: CellSetting[] = [];
  for (const nodes of ascending(sweep.nodes)) {
    for (const choice of choices) {
      const group = { nodes, ...choice };
      for (const bw of bandwidths)
        for (let rep = 1; rep <= sweep.reps; rep += 1) settings.push({ ...group, bw, rep, role: 'measure' });
      settings.push({ ...group, bw: 100, rep: sweep.reps + 1, role: 'drift' });
    }
  }
  return [...settings, ...anchorsOf(sweep, choices)];
}

/**
 * Sizes with what the workload is told beside them: as the workload has them, else every size with every combination. Each with every
 * latency.
 */
function choicesOf({ scales, params, latency }: Sweep, workload: Workload): readonly Pick<Cell, 'scale' | 'params'>[] {
  const free = (): Pick<Cell, 'scale' | 'params'>[] =>
    ascending(scales).flatMap((scale) => combinations(params).map((one) => ({ scale, params: one })));
  const choices = workload.choices?.flatMap((choice) => withOthers(choice, params)) ?? free();
  if (latency === undefined) return choices;
  return choices.flatMap(({ scale, params: told }) =>
    latency.map((ms) => ({ scale, params: { ...told, [LATENCY]: ms } })),
  );
}

/** With every combination of the parameters that the choice does not have. */
function withOthers({ scale, params: own }: ParamChoice, params: Sweep['params']): readonly ParamChoice[] {
  return combinations(othersOf(params, own)).map((others) => ({ scale, params: { ...own, ...others } }));
}

function othersOf(params: Sweep['params'], own: ParamChoice['params']): NonNullable<Sweep['params']> {
  return Object.fromEntries(Object.entries(params ?? {}).filter(([name]) => !(name in own)));
}

/** Repetitions beyond those of a sweep of as many, whose last one is its drift cell. */
function anchorsOf({ anchors = [], reps }: Sweep, choices: readonly Pick<Cell, 'scale' | 'params'>[]): CellSetting[] {
  return ascending(anchors).flatMap((nodes) =>
    choices.flatMap((choice) =>
      Array.from({ length: reps }, (_, block) => ({
        ...{ nodes, ...choice, bw: 100, rep: reps + 2 + block, role: 'drift' as const },
      })),
    ),
  );
}

/** What a workload keeps of one scale serves all its blocks; the next scale needs the room. */
function inBlocks<S extends CellSetting>(
  settings: readonly S[],
  seed: number,
  { followsOrders }: Pick<Workload, 'followsOrders'>,
): readonly S[] {
  const visits = groupBy(settings, ({ rep: _, role, ...setting }) => JSON.stringify([role === 'profile', setting]));
  const numbered = visits.flatMap((own) => own.map((setting, turn) => ({ setting, turn })));
  const blocks = groupBy(numbered, ({ setting, turn }) => JSON.stringify([setting.scale, turn]));
  blocks.sort(([a], [b]) => (a && b ? a.setting.scale - b.setting.scale || a.turn - b.turn : 0));
  return blocks.flatMap((block, place) => {
    const own = block.map(({ setting }) => setting);
    return followsOrders !== undefined ? bySize(own, seed + place) : shuffled(own, seed + place);
  });
}

/** Levels that one start serves follow each other, in an order drawn for each start; so do the starts. */
function bySize<S extends CellSetting>(settings: readonly S[], seed: number): readonly S[] {
  const starts = groupBy(settings, ({ bw: _, ...start }) => JSON.stringify(start));
  return shuffled(starts, seed).flatMap((start, place) => shuffled(start, (place + 1) * STRIDE + seed));
}

/** Between the seeds of starts, so that none is that of another block; 2^32 over the golden ratio. */
const STRIDE = 2_654_435_769;

function shuffled<T>(values: readonly T[], seed: number): readonly T[] {
  return [...shuffledIndices(values.length, seed)].map((index) => at(values, index));
}

/** Every choice of one value per parameter, in an order of their own; one choice of nothing without parameters. */
function combinations(params: Sweep['params']): readonly Cell['params'][] {
  const choices = Object.entries(params ?? {}).reduce<readonly Cell['params'][]>(
    (chosen, [name, values]) => chosen.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [undefined],
  );
  return [...choices].sort((a, b) => compareText(canonicalJson(a ?? null), canonicalJson(b ?? null)));
}

/** Wrong node counts that a message lists one by one. */
const LISTED = 8;

function refuseSize(
  { nodes, scales, bw, reps, params, latency = [0], cells, ranksPerNode, profile }: Sweep,
  { choices }: Workload,
): void {
  const times = profile === undefined ? 1 : 2;
  const combinedOf = (of: Sweep['params']): number =>
    Object.values(of ?? {}).reduce((product, values) => product * values.length, 1);
  const combined = combinedOf(params);
  // Every group has the baseline once more, as its drift cell.
  const told =
    (choices?.reduce((sum, own) => sum + combinedOf(othersOf(params, own.params)), 0) ?? scales.length * combined) *
    latency.length;
  const groups = nodes.length * told * (ranksPerNode?.length ?? 1);
  const levels = bw.includes(100) ? bw.length : bw.length + 1;
  const count =
    cells === undefined ? groups * (levels * reps * times + 1) : cells.length * combined * latency.length * times;
  refuseMore(count, SIZES.cells, {
    what: `This sweep has ${count} cells`,
    help: 'name fewer nodes, scales, bandwidths, parameters or repetitions',
  });
}

/** What is measured with a value that nobody reads would be the same run under several names. */
function refuseScales({ scales, cells = [] }: Sweep, { definition: { name }, ignoresScale }: Workload): void {
  const asked = cells.length > 0 ? new Set(cells.map(({ scale }) => scale)).size : scales.length;
  if (ignoresScale !== true || asked < 2) return;
  throw badInput(
    `--scales: ${name} does not use {scale}, so runs of ${asked} scales would be identical. Name one scale, or write {scale} into its command.`,
  );
}

function refuseParameters({ params = {} }: Sweep, workload: Workload): void {
  const { parameters, optional = {} } = workload;
  const { name } = workload.definition;
  const given = Object.keys(params);
  const read = [...parameters, ...Object.keys(optional)];
  const unread = given.find((one) => !read.includes(one));
  if (unread !== undefined) {
    const reads = read.length === 0 ? 'no parameter' : `only ${read.join(', ')}`;
    throw badInput(
      `--param ${unread}: ${name} uses ${reads}: write {param.${unread}} into its command, or leave the option out.`,
    );
  }
  for (const [key, values] of Object.entries(optional)) {
    const wrong = own(params, key)?.find((value) => !values.includes(String(value)));
    if (wrong === undefined) continue;
    const allowed = values.every((value) => /^\d+$/.test(value)) ? formatRange(values.map(Number)) : values.join(', ');
    throw badInput(`--param ${key}: '${shortened(String(wrong))}' is not one of ${allowed}.`);
  }
  const missing = parameters.find((one) => !given.includes(one));
  if (missing === undefined) return;
  throw badInput(`${name} uses {param.${missing}}, which has no value: give one with --param ${missing}=VALUE.`);
}

function refuseNodeCounts(nodes: readonly number[], { workload, ranksPerNode, hosts }: PlanOptions): void {
  const { mostNodes, definition } = workload;
  const most = Math.max(...nodes);
  if (mostNodes !== undefined && most > mostNodes) {
    throw badInput(
      `nodes: the ${mostNodes} commands of ${definition.name} run on at most ${mostNodes} hosts, not on ${most}: name fewer nodes.`,
    );
  }
  const admissible = (count: number): boolean => workload.admissible(count * ranksPerNode);
  const tooMany = ascending(nodes).filter((count) => count > hosts);
  const wrong = ascending(nodes).filter((count) => !admissible(count));
  if (tooMany.length === 0 && wrong.length === 0) return;
  const allowed = Array.from({ length: hosts }, (_, index) => index + 1).filter(admissible);
  const sentences: string[] = [];
  if (wrong.length > 0) {
    const name = workload.definition.name;
    sentences.push(`nodes: ${name} needs ${describeRankRule(workload.ranks)}, with ${ranksPerNode} per node`);
    if (allowed.length === 0) {
      sentences.push(`no node count up to ${hosts} satisfies that: change ranksPerNode in the inventory`);
    } else {
      for (const count of wrong.slice(0, LISTED))
        sentences.push(`${count} nodes cannot run (nearest: ${nearest(count, allowed)})`);
      if (wrong.length > LISTED) sentences.push(`${wrong.length - LISTED} more cannot run`);
    }
  }
  if (tooMany.length > 0) {
    const possible = allowed.length > 0 ? `; possible node counts: ${formatRange(allowed)}` : '';
    sentences.push(
      `the inventory has ${hosts} ${hosts === 1 ? 'host' : 'hosts'}, too few for ${formatRange(tooMany)} nodes${possible}`,
    );
  }
  throw badInput(`${sentences.join('; ')}.`);
}

/** The admissible counts next below and next above, as words: `4 or 9`. */
function nearest(count: number, allowed: readonly number[]): string {
  const below = allowed.findLast((candidate) => candidate < count);
  const above = allowed.find((candidate) => candidate > count);
  return [below, above].filter((candidate) => candidate !== undefined).join(' or ');
}
