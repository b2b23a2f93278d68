import { badInput, parseRange } from '../../base/index.ts';
import {
  admits,
  observations,
  type RankRule,
  rankRuleSchema,
  readCampaign,
  traffic,
  workloadOf,
} from '../../experiments/index.ts';
import { readRowsFile } from '../../modeling/exchange/index.ts';
import {
  type BootstrapOptions,
  type Comparison,
  compare,
  distinct,
  type Extrapolation,
  type Fit,
  type FitOptions,
  type Form,
  filterRows,
  highestBandwidth,
  isPerfectSquare,
  leaveLargestOut,
  modelNames,
  models,
  paperModelFor,
  pickRows,
  type Rows,
  type Solved,
  solve,
  trafficForm,
  volumeLaw,
} from '../../modeling/index.ts';
import { parseCount } from './flags.ts';
import type { IntervalFlags, SourceFlags } from './model-flags.ts';

/** Rows to fit to, with what their origin says about ranks. */
export interface ModelSource {
  readonly rows: Rows;
  /** The rows that --train-nodes kept out; none without it. */
  readonly unseen: Rows;
  readonly ranksPerNode: number;
  readonly isAdmissible: (nodes: number) => boolean;
  /** Null for a file. */
  readonly campaign: string | null;
}

/** A fitted model and, where it was chosen, among what. */
export interface Resolved {
  readonly solved: Solved;
  readonly comparison: Comparison | null;
}

/** Reads a campaign folder or a file of rows. */
export async function openSource(dir: string | undefined, flags: SourceFlags): Promise<ModelSource> {
  if ((dir === undefined) === (flags.data === undefined)) {
    throw badInput('Name one source: a campaign folder, or --data FILE.csv.');
  }
  const given = flags.ranksPerNode === undefined ? undefined : parseCount(flags.ranksPerNode, '--ranks-per-node');
  const rule = parseRule(flags.ranksRule);
  if (dir === undefined) {
    const ranksPerNode = given ?? 1;
    const parts = split(await readRowsFile(flags.data ?? ''), flags);
    return { ...parts, ranksPerNode, isAdmissible: admissibleBy(rule, ranksPerNode), campaign: null };
  }
  const campaign = await readCampaign(dir);
  const table = await observations(dir);
  if (table.length === 0) throw badInput(`${dir} has no measured cell yet: run its sweep first.`);
  const ranksPerNode = given ?? campaign.inventory.ranksPerNode;
  const workload = workloadOf(campaign.workload);
  const isAdmissible = rule
    ? admissibleBy(rule, ranksPerNode)
    : (nodes: number): boolean => workload.admissible(nodes * ranksPerNode);
  return { ...split(table, flags), ranksPerNode, isAdmissible, campaign: dir };
}

/** A file does not know its program; the paper's node counts are perfect squares. */
export function admissibleBy(rule: RankRule | undefined, ranksPerNode: number): (nodes: number) => boolean {
  return rule ? (nodes) => admits(rule, nodes * ranksPerNode) : isPerfectSquare;
}

/** Fits the model that the flags name, or the one that a comparison chooses. */
export async function resolve(
  source: ModelSource,
  flags: SourceFlags,
  { projecting = false, fallback }: { readonly projecting?: boolean; readonly fallback?: 'auto' } = {},
): Promise<Resolved> {
  const name = flags.model ?? fallback;
  const options = fitOptions(source, flags, {
    projecting,
    form: name === 'auto' ? null : await formNamed(name, source),
  });
  if (name === 'auto') {
    const comparison = compare(source.rows, { ...options, more: await moreForms(source, options.baseScale) });
    const { errors, baseScale } = comparison.fit;
    const form = comparison.candidates.find((one) => one.name === comparison.chosen)?.form ?? comparison.fit.form;
    return { solved: solve(form, source.rows, { ...options, errors, baseScale }), comparison };
  }
  return { solved: solve(await formNamed(name, source), source.rows, options), comparison: null };
}

/** Only the rows that --scale, --bw and --at-nodes pick, of those to fit to and of those kept out. */
export function selectedBy(source: ModelSource, flags: SourceFlags): ModelSource {
  const { at = {} } = fitOptions(source, flags, { projecting: false, form: null });
  return { ...source, rows: filterRows(source.rows, at), unseen: filterRows(source.unseen, at) };
}

/** The extrapolation test; null where there are too few node counts for it. */
export function leaveLargest({ fit }: Solved, { rows }: ModelSource, options: FitOptions): Extrapolation | null {
  if (fit.form.fixed.includes('nodes') || distinct(rows, 'nodes').length < 3) return null;
  return leaveLargestOut(fit.form, rows, options);
}

/** Which rows, and how their errors count. */
export function fitOptions(
  { ranksPerNode }: ModelSource,
  flags: SourceFlags,
  { projecting, form }: { readonly projecting: boolean; readonly form: Form | null },
): FitOptions {
  const one = (text: string | undefined, what: string, integer = true): number | undefined =>
    text === undefined ? undefined : parseRange(text, { what, min: 0, max: 1e6, integer })[0];
  // When projecting, --scale and --bw are targets; they select rows only where the model holds them fixed.
  const selects = (variable: 'scale' | 'bw'): boolean => !projecting || form?.fixed.includes(variable) === true;
  const scale = selects('scale') ? one(flags.scale, '--scale') : undefined;
  const bw = selects('bw') ? one(flags.bw, '--bw', false) : undefined;
  const nodes = one(flags.atNodes, '--at-nodes');
  const baseScale = flags.baseScale === undefined ? undefined : parseCount(flags.baseScale, '--base-scale', 0);
  const errors = parseErrors(flags.errors);
  return {
    ranksPerNode,
    at: {
      ...(scale === undefined ? {} : { scale }),
      ...(bw === undefined ? {} : { bw }),
      ...(nodes === undefined ? {} : { nodes }),
    },
    ...(baseScale === undefined ? {} : { baseScale }),
    ...(errors === undefined ? {} : { errors }),
  };
}

/** What to project to: of a range of nodes only the counts that the program can run on. */
export function projectionTargets(
  fit: Fit,
  flags: Pick<SourceFlags, 'bw' | 'scale'> & { readonly nodes: string },
  isAdmissible: (nodes: number) => boolean,
): { readonly nodes: readonly number[]; readonly bw: readonly number[]; readonly scales: readonly number[] } {
  const nodes = parseNodes(flags.nodes, isAdmissible);
  const max = highestBandwidth(fit.form);
  const bw =
    flags.bw !== undefined
      ? parseRange(flags.bw, { what: '--bw', step: 2, min: 0.001, max, integer: false })
      : fit.form.fixed.includes('bw')
        ? fit.trainedOn.bw
        : [100];
  const scales =
    flags.scale === undefined ? fit.trainedOn.scales : parseRange(flags.scale, { what: '--scale', min: 0, max: 60 });
  return { nodes, bw, scales };
}

/** `4,9` as they are; of `36..400` the admissible counts. */
export function parseNodes(text: string, isAdmissible: (nodes: number) => boolean): readonly number[] {
  const nodes = new Set<number>();
  for (const part of text.split(',')) {
    const counts = parseRange(part, { what: '--nodes', min: 1, max: 1e7 });
    for (const count of part.includes('..') ? counts.filter(isAdmissible) : counts) nodes.add(count);
  }
  if (nodes.size === 0) throw badInput(`--nodes: no count in ${text} is admissible for this program.`);
  return [...nodes].sort((a, b) => a - b);
}

export function bootstrapOptions({
  interval,
  bootstrap = '1000',
  seed = '1',
}: IntervalFlags): Required<BootstrapOptions> {
  const level = interval === undefined || interval === true ? 0.9 : Number(interval);
  if (!(level > 0.5 && level < 1)) {
    throw badInput(`--interval: '${interval}' is no probability above 0.5 and below 1, such as 0.9.`);
  }
  return { level, replicates: parseCount(bootstrap, '--bootstrap', 20), seed: parseCount(seed, '--seed', 0) };
}

export function parseRule(text: string | undefined): RankRule | undefined {
  if (text === undefined) return undefined;
  const parsed = rankRuleSchema.safeParse(text);
  if (!parsed.success) throw badInput(`--ranks-rule: '${text}' is none of any, square, two-squares, power-of-two.`);
  return parsed.data;
}

/** Forms that need more than rows: volumes as the hosts' counters recorded them. */
export async function moreForms(source: ModelSource, baseScale?: number): Promise<readonly Form[]> {
  const form = await trafficOf(source, baseScale);
  return form ? [form] : [];
}

async function trafficOf({ campaign, rows, ranksPerNode }: ModelSource, given?: number): Promise<Form | null> {
  if (campaign === null || distinct(rows, 'bw').length < 2) return null;
  const measured = new Set(distinct(rows, 'nodes'));
  const points = (await traffic(campaign)).filter(({ nodes, bytes }) => measured.has(nodes) && bytes > 0);
  if (points.length === 0) return null;
  const baseScale = given ?? (distinct(rows, 'scale')[0] ?? 0) - 1;
  return trafficForm(volumeLaw(points, { ranksPerNode, baseScale }));
}

async function formNamed(name: string | undefined, source: ModelSource): Promise<Form> {
  const varies = (variable: 'scale' | 'bw' | 'nodes'): boolean => distinct(source.rows, variable).length > 1;
  const model =
    name ?? paperModelFor({ scale: varies('scale'), bw: varies('bw'), nodes: varies('nodes') || !varies('bw') });
  const known = modelNames.find((one) => one === model);
  if (known) return models[known];
  if (model === 'traffic') {
    const form = await trafficOf(source);
    if (form) return form;
    throw badInput(
      '--model traffic needs a campaign of several bandwidths whose program reports its searches: use volume.',
    );
  }
  throw badInput(`--model: '${model}' is none of auto, ${modelNames.join(', ')}, traffic.`);
}

function parseErrors(text: string | undefined): 'absolute' | 'relative' | undefined {
  if (text === undefined || text === 'absolute' || text === 'relative') return text;
  throw badInput(`--errors: '${text}' is neither absolute nor relative.`);
}

/** Rows to fit to, and those that `--train-nodes` keeps out. */
function split(rows: Rows, { trainNodes }: SourceFlags): { readonly rows: Rows; readonly unseen: Rows } {
  if (trainNodes === undefined) return { rows, unseen: pickRows(rows, []) };
  const wanted = new Set(parseRange(trainNodes, { what: '--train-nodes', min: 1, max: 1e7 }));
  const places = (inside: boolean): number[] =>
    [...rows.nodes.keys()].filter((index) => wanted.has(rows.nodes[index] ?? 0) === inside);
  const training = pickRows(rows, places(true));
  if (training.length === 0) throw badInput(`--train-nodes: no row has one of the node counts ${trainNodes}.`);
  return { rows: training, unseen: pickRows(rows, places(false)) };
}
