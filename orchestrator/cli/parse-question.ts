import { parseCount, parseNumber, RANGES, refuseMore, SIZES } from '../../base/bounds.ts';
import { badInput } from '../../base/errors.ts';
import { ascending } from '../../base/lists.ts';
import { parseRange } from '../../base/ranges.ts';
import { joinWords, shortened } from '../../base/text.ts';
import type { Campaign } from '../../experiments/store/campaign.ts';
import { type OpenCampaign, openCampaign } from '../../experiments/store/open-campaign.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { type RankRule, rankRuleSchema } from '../../experiments/workloads/rank-rule.ts';
import { smallestAdmissible } from '../../modeling/answers/dominance.ts';
import { highestBandwidth } from '../../modeling/forms/form.ts';
import type { BootstrapOptions } from '../../modeling/judge/ensemble.ts';
import type { Fit } from '../../modeling/model-records.ts';
import type { FitQuestion } from '../../modeling/questions/choose-and-fit.ts';
import { fromCampaign, fromFile, type Measurements } from '../../modeling/questions/measurements.ts';
import { given, type Optional, requireOneSource, type Switches } from './flags.ts';
import { note } from './print.ts';

/** What every command that fits takes. */
export interface ModelFlags
  extends Switches,
    Optional<RowsFlag | 'program' | 'threads' | 'model' | 'errors' | 'baseScale' | 'bootstrap' | 'seed'> {
  /** True when no level was given. */
  readonly interval?: string | true | undefined;
}

type Wish = 'deadline' | 'gain' | 'efficiency' | 'cti' | 'price' | 'linkPrice' | 'runs' | 'reference';
type Memory = 'bytesPerEdge' | 'edgeFactor' | 'memory';
type Next = 'target' | 'budget' | 'roots' | 'overhead';

/** What `predict model` and its older names can be asked. */
export interface ModelCommandFlags extends ModelFlags, Optional<Wish | Memory | Next | 'nodes' | 'coefficients'> {
  readonly rank?: boolean;
  /** The JSON of an older command, which is a part of this one's. */
  readonly view?: string;
}

/** The volume model takes links faster than the one that was measured, in percent of it. */
const MOST_BANDWIDTH = 10_000;

type RowsFlag = 'data' | 'scale' | 'bw' | 'atNodes' | 'trainNodes' | 'ranksPerNode' | 'ranksRule';

/** Opens the campaign that was named; null where a file of rows was. Errors: badInput for both, and for none. */
export async function openNamed(dir: string | undefined, flags: ModelFlags): Promise<OpenCampaign | null> {
  requireOneSource(dir, flags);
  return dir === undefined ? null : await openCampaign(dir);
}

/** The measurements of what was named; what to be careful about goes to stderr. */
export async function openSource(dir: string | undefined, flags: ModelFlags): Promise<Measurements> {
  const source = await sourceOf(await openNamed(dir, flags), flags);
  for (const warning of source.warnings) note(`predict: ${warning}`);
  return source;
}

/** The measurements of an open campaign, or of the file that flags name. */
export async function sourceOf(open: OpenCampaign | null, flags: ModelFlags): Promise<Measurements> {
  const options = {
    ranksPerNode: given(flags.ranksPerNode, (text) => parseCount(text, '--ranks-per-node')),
    ranks: given(flags.ranksRule, parseRule),
    trainNodes: given(flags.trainNodes, (text) => parseCounts(text, '--train-nodes')),
  };
  return open === null
    ? await fromFile(flags.data ?? '', options)
    : fromCampaign(open, { ...options, program: flags.program, overThreads: flags.threads !== undefined });
}

/** Which model of which rows; `projecting`: --scale and --bw are what is asked for, not what is fitted to. */
export function parseQuestion(flags: ModelFlags, { projecting = false } = {}): FitQuestion {
  const scale = given(flags.scale, (text) => oneOf(parseScales(text), { text, what: '--scale', projecting }));
  const bw = given(flags.bw, (text) =>
    oneOf(parseBandwidths(text, MOST_BANDWIDTH), { text, what: '--bw', projecting }),
  );
  const nodes = given(flags.atNodes, (text) => oneOf(parseCounts(text, '--at-nodes'), { text, what: '--at-nodes' }));
  const { errors } = flags;
  if (errors !== undefined && errors !== 'absolute' && errors !== 'relative') {
    throw badInput(`--errors: '${shortened(errors)}' is unknown: write absolute or relative.`);
  }
  return {
    model: flags.model,
    ...(errors === undefined ? {} : { errors }),
    baseScale: given(flags.baseScale, parseBaseScale),
    threads: given(flags.threads, (text) => parseCount(text, '--threads')),
    at: {
      ...(scale === undefined ? {} : { scale }),
      ...(bw === undefined ? {} : { bw }),
      ...(nodes === undefined ? {} : { nodes }),
    },
    projecting,
  };
}

/** The value that picks rows. Several are an error, unless they are what to project to: then they pick none. */
function oneOf(
  values: readonly number[],
  { text, what, projecting = false }: { readonly text: string; readonly what: string; readonly projecting?: boolean },
): number | undefined {
  if (values.length === 1) return values[0];
  if (projecting) return undefined;
  throw badInput(
    `${what}: '${shortened(text)}' has ${values.length} values, but selects the rows of one value: give one.`,
  );
}

/** What to project to: of a range of nodes only the counts that the program can run on. */
export function projectionTargets(
  fit: Fit,
  flags: Pick<ModelFlags, 'bw' | 'scale' | 'bootstrap' | 'interval' | 'seed'> & { readonly nodes: string },
  isAdmissible: (nodes: number) => boolean,
): { readonly nodes: readonly number[]; readonly bw: readonly number[]; readonly scales: readonly number[] } {
  const nodes = parseNodes(flags.nodes, isAdmissible);
  const bw =
    given(flags.bw, (text) => parseBandwidths(text, highestBandwidth(fit.form))) ??
    (fit.form.fixed.includes('bw') ? fit.trainedOn.bw : [100]);
  const scales = given(flags.scale, parseScales) ?? fit.trainedOn.scales;
  const count = nodes.length * bw.length * scales.length;
  refuseMore(count, SIZES.projections, {
    what: `--nodes, --bw and --scale ask for ${count} projections`,
    help: 'name fewer, or a larger step, as in 4..400/12',
  });
  const replicates = bootstrapOptions(flags).replicates;
  refuseMore(count * replicates, SIZES.estimates, {
    what: `${count} projections times --bootstrap ${replicates} are ${count * replicates} estimates`,
    help: 'ask for fewer of one of them',
  });
  return { nodes, bw, scales };
}

/** `4,9` as they are; of `36..400` the admissible counts. */
export function parseNodes(text: string, isAdmissible: (nodes: number) => boolean): readonly number[] {
  const nodes = text.split(',').flatMap((part) => {
    const counts = parseCounts(part, '--nodes');
    return part.includes('..') ? counts.filter(isAdmissible) : counts;
  });
  if (nodes.length === 0) throw badInput(`--nodes: no node count in ${text} is admissible for this program.`);
  return ascending(nodes);
}

/**
 * Node counts to forecast for, of `--nodes`: of a range those that the program can run on. Errors: badInput for one that is named and that it
 * cannot run on.
 */
export function parseForecastNodes(
  text: string,
  { workload, inventory: { ranksPerNode } }: Pick<Campaign, 'workload' | 'inventory'>,
): readonly number[] {
  const { admissible } = workloadOf(workload);
  const isAdmissible = (nodes: number): boolean => admissible(nodes * ranksPerNode);
  const nodes = parseNodes(text, isAdmissible);
  refuseMore(nodes.length, MOST_FORECASTS, {
    what: `--nodes asks for ${nodes.length} node counts`,
    help: 'name fewer, or a larger step, as in 4..400/12',
  });
  const refused = nodes.find((count) => !isAdmissible(count));
  if (refused === undefined) return nodes;
  const next = smallestAdmissible(refused, isAdmissible);
  throw badInput(`--nodes: the program cannot run on ${refused} nodes${next === null ? '' : `; the next is ${next}`}.`);
}

/** Each has a fit of its own for every part and draw. */
const MOST_FORECASTS = 100;

/** A sentence about node counts that are named one by one though the program cannot run on them; a file knows no program. */
export function cannotRun(
  text: string,
  { campaign, isAdmissible }: Pick<Measurements, 'campaign' | 'isAdmissible'>,
): string[] {
  if (campaign === null) return [];
  const refused = parseNodes(text, isAdmissible).filter((nodes) => !isAdmissible(nodes));
  if (refused.length === 0) return [];
  const next = ascending(refused.flatMap((nodes) => smallestAdmissible(nodes, isAdmissible) ?? []));
  return [`The program cannot run on ${joinWords(refused)} nodes; the next possible node counts: ${joinWords(next)}.`];
}

/** Node counts, all of a range. */
export function parseCounts(text: string, what: string): readonly number[] {
  return parseRange(text, { what, ...RANGES['--nodes'] });
}

export function parseScales(text: string): readonly number[] {
  return parseRange(text, { what: '--scale', ...RANGES['--scale'], integer: false });
}

export function parseBandwidths(text: string, most: number = RANGES['--bw'].most): readonly number[] {
  return parseRange(text, { what: '--bw', step: 2, least: RANGES['--bw'].least, most, integer: false });
}

export function parseBaseScale(text: string): number {
  return parseCount(text, '--base-scale');
}

export function bootstrapOptions({
  interval = true,
  bootstrap = '1000',
  seed = '1',
}: ModelFlags): Required<Omit<BootstrapOptions, 'doubt'>> {
  const level = interval === true ? 0.9 : parseNumber(interval, '--interval');
  return { level, replicates: parseCount(bootstrap, '--bootstrap'), seed: parseCount(seed, '--seed') };
}

export function parseRule(text: string): RankRule {
  const parsed = rankRuleSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw badInput(`--ranks-rule: '${shortened(text)}' is not one of any, square, two-squares, power-of-two.`);
}
