import { badInput, parseRange } from '../../base/index.ts';
import {
  admits,
  observations,
  type RankRule,
  rankRuleSchema,
  readCampaign,
  workloadOf,
} from '../../experiments/index.ts';
import {
  distinct,
  type Extrapolation,
  type Fit,
  type FitOptions,
  isPerfectSquare,
  leaveLargestOut,
  type ModelName,
  modelNameSchema,
  models,
  pickRows,
  type Rows,
  readRowsCsv,
} from '../../modeling/index.ts';
import { parseCount } from './flags.ts';

export interface SourceFlags {
  readonly data?: string;
  readonly model?: string;
  readonly ranksPerNode?: string;
  readonly baseScale?: string;
  readonly scale?: string;
  readonly bw?: string;
  readonly atNodes?: string;
  readonly trainNodes?: string;
  readonly ranksRule?: string;
  readonly json?: boolean;
}

/** Rows to fit to, with what their origin says about ranks. */
export interface ModelSource {
  readonly rows: Rows;
  readonly ranksPerNode: number;
  readonly isAdmissible: (nodes: number) => boolean;
  /** The extrapolation test; null where there are too few node counts for it. */
  leaveLargest(model: ModelName, options: FitOptions): Extrapolation | null;
}

/** Reads a campaign folder or a CSV file. */
export async function openSource(dir: string | undefined, flags: SourceFlags): Promise<ModelSource> {
  if ((dir === undefined) === (flags.data === undefined)) {
    throw badInput('Name one source: a campaign folder, or --data FILE.csv.');
  }
  const given = flags.ranksPerNode === undefined ? undefined : parseCount(flags.ranksPerNode, '--ranks-per-node');
  const rule = flags.ranksRule === undefined ? undefined : parseRule(flags.ranksRule);
  if (dir === undefined) {
    const ranksPerNode = given ?? 1;
    const rows = trainingRows(await readRowsCsv(flags.data ?? ''), flags);
    // A CSV file does not know its program; the paper's node counts are perfect squares.
    return source(rows, ranksPerNode, rule ? (nodes) => admits(rule, nodes * ranksPerNode) : isPerfectSquare);
  }
  const campaign = await readCampaign(dir);
  const table = await observations(dir);
  if (table.length === 0) throw badInput(`${dir} has no measured cell yet: run its sweep first.`);
  const ranksPerNode = given ?? campaign.inventory.ranksPerNode;
  const workload = workloadOf(campaign.workload);
  const admissible = (nodes: number): boolean =>
    rule ? admits(rule, nodes * ranksPerNode) : workload.admissible(nodes * ranksPerNode);
  return source(trainingRows(table, flags), ranksPerNode, admissible);
}

/** The model, and which rows it is fitted to. */
export function selectRows(
  { rows, ranksPerNode }: ModelSource,
  flags: SourceFlags,
  { projecting = false }: { readonly projecting?: boolean } = {},
): { readonly model: ModelName; readonly options: FitOptions } {
  const model = flags.model === undefined ? defaultModel(rows) : parseModel(flags.model);
  const { fixed } = models[model];
  const one = (text: string | undefined, what: string, integer = true): number | undefined =>
    text === undefined ? undefined : parseRange(text, { what, min: 0, max: 1e6, integer })[0];
  // When projecting, --scale and --bw are targets; they select rows only where the model holds them fixed.
  const scale = projecting && !fixed.includes('scale') ? undefined : one(flags.scale, '--scale');
  const bw = projecting && !fixed.includes('bw') ? undefined : one(flags.bw, '--bw', false);
  const nodes = one(flags.atNodes, '--at-nodes');
  const at = {
    ...(scale === undefined ? {} : { scale }),
    ...(bw === undefined ? {} : { bw }),
    ...(nodes === undefined ? {} : { nodes }),
  };
  const baseScale = flags.baseScale === undefined ? undefined : parseCount(flags.baseScale, '--base-scale', 0);
  return { model, options: { ranksPerNode, at, ...(baseScale === undefined ? {} : { baseScale }) } };
}

/** What to project to: of a range of nodes only the counts that the program can run on. */
export function projectionTargets(
  fit: Fit,
  flags: SourceFlags & { readonly nodes: string },
  isAdmissible: (nodes: number) => boolean,
): { readonly nodes: readonly number[]; readonly bw: readonly number[]; readonly scales: readonly number[] } {
  const parts = flags.nodes.split(',');
  const nodes = new Set<number>();
  for (const part of parts) {
    const counts = parseRange(part, { what: '--nodes', min: 1, max: 1e7 });
    for (const count of part.includes('..') ? counts.filter(isAdmissible) : counts) nodes.add(count);
  }
  if (nodes.size === 0) throw badInput(`--nodes: no count in ${flags.nodes} is admissible for this program.`);
  const bwHeld = models[fit.model].fixed.includes('bw');
  const bw =
    flags.bw !== undefined
      ? parseRange(flags.bw, { what: '--bw', step: 2, min: 0.001, max: 100, integer: false })
      : bwHeld
        ? fit.trainedOn.bw
        : [100];
  const scales =
    flags.scale === undefined ? fit.trainedOn.scales : parseRange(flags.scale, { what: '--scale', min: 0, max: 60 });
  return { nodes: [...nodes].sort((a, b) => a - b), bw, scales };
}

function source(rows: Rows, ranksPerNode: number, isAdmissible: (nodes: number) => boolean): ModelSource {
  return {
    rows,
    ranksPerNode,
    isAdmissible,
    leaveLargest: (model, options) => {
      if (models[model].fixed.includes('nodes') || distinct(rows, 'nodes').length < 3) return null;
      return leaveLargestOut(model, rows, options);
    },
  };
}

function trainingRows(rows: Rows, { trainNodes }: SourceFlags): Rows {
  if (trainNodes === undefined) return rows;
  const wanted = new Set(parseRange(trainNodes, { what: '--train-nodes', min: 1, max: 1e7 }));
  const places = [...rows.nodes.keys()].filter((index) => wanted.has(rows.nodes[index] ?? 0));
  if (places.length === 0) throw badInput(`--train-nodes: no row has one of the node counts ${trainNodes}.`);
  return pickRows(rows, places);
}

/** The model that uses everything that varies. */
function defaultModel(rows: Rows): ModelName {
  const varies = (name: 'scale' | 'bw'): boolean => distinct(rows, name).length > 1;
  if (varies('bw')) return varies('scale') ? 'eq7' : 'eq6';
  return varies('scale') ? 'eq3' : 'eq2';
}

function parseModel(text: string): ModelName {
  const parsed = modelNameSchema.safeParse(text);
  if (!parsed.success) throw badInput(`--model: '${text}' is none of ${modelNameSchema.options.join(', ')}.`);
  return parsed.data;
}

function parseRule(text: string): RankRule {
  const parsed = rankRuleSchema.safeParse(text);
  if (!parsed.success) throw badInput(`--ranks-rule: '${text}' is none of any, square, two-squares, power-of-two.`);
  return parsed.data;
}
