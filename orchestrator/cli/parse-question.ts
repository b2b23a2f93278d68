import { ascending, badInput, parseRange } from '../../base/index.ts';
import { type RankRule, rankRuleSchema } from '../../experiments/index.ts';
import {
  type BootstrapOptions,
  type Fit,
  type FitQuestion,
  fromCampaign,
  fromFile,
  highestBandwidth,
  type Measurements,
} from '../../modeling/index.ts';
import { given, type Optional, parseCount } from './flags.ts';
import { note } from './print.ts';

/** What every command that fits takes. */
export interface ModelFlags extends Optional<RowsFlag | 'model' | 'errors' | 'baseScale' | 'bootstrap' | 'seed'> {
  /** True when no level was given. */
  readonly interval?: string | true;
  readonly json?: boolean;
}

type RowsFlag = 'data' | 'scale' | 'bw' | 'atNodes' | 'trainNodes' | 'ranksPerNode' | 'ranksRule';

/** Refuses two sources at once, and none. */
export function requireOneSource(dir: string | undefined, data: string | undefined): void {
  if ((dir === undefined) === (data === undefined)) {
    throw badInput('Name one source: a campaign folder, or --data FILE.csv.');
  }
}

/** Reads the campaign folder or the file of rows that was named; what to be careful about goes to stderr. */
export async function openSource(dir: string | undefined, flags: ModelFlags): Promise<Measurements> {
  requireOneSource(dir, flags.data);
  const options = {
    ranksPerNode: given(flags.ranksPerNode, (text) => parseCount(text, '--ranks-per-node')),
    ranks: parseRule(flags.ranksRule),
    trainNodes: given(flags.trainNodes, (text) => parseCounts(text, '--train-nodes')),
  };
  const source = dir === undefined ? await fromFile(flags.data ?? '', options) : await fromCampaign(dir, options);
  for (const warning of source.warnings) note(`predict: ${warning}`);
  return source;
}

/** Which model of which rows; `projecting`: --scale and --bw are what is asked for, not what is fitted to. */
export function parseQuestion(flags: ModelFlags, { projecting = false } = {}): FitQuestion {
  const one = (text: string | undefined, what: string, integer = true): number | undefined =>
    given(text, (range) => parseRange(range, { what, min: 0, max: 1e6, integer })[0]);
  const [scale, bw, nodes] = [
    one(flags.scale, '--scale'),
    one(flags.bw, '--bw', false),
    one(flags.atNodes, '--at-nodes'),
  ];
  const { errors } = flags;
  if (errors !== undefined && errors !== 'absolute' && errors !== 'relative') {
    throw badInput(`--errors: '${errors}' is neither absolute nor relative.`);
  }
  return {
    model: flags.model,
    ...(errors === undefined ? {} : { errors }),
    baseScale: parseBaseScale(flags.baseScale),
    at: {
      ...(scale === undefined ? {} : { scale }),
      ...(bw === undefined ? {} : { bw }),
      ...(nodes === undefined ? {} : { nodes }),
    },
    projecting,
  };
}

/** What to project to: of a range of nodes only the counts that the program can run on. */
export function projectionTargets(
  fit: Fit,
  flags: Pick<ModelFlags, 'bw' | 'scale'> & { readonly nodes: string },
  isAdmissible: (nodes: number) => boolean,
): { readonly nodes: readonly number[]; readonly bw: readonly number[]; readonly scales: readonly number[] } {
  return {
    nodes: parseNodes(flags.nodes, isAdmissible),
    bw:
      given(flags.bw, (text) => parseBandwidths(text, highestBandwidth(fit.form))) ??
      (fit.form.fixed.includes('bw') ? fit.trainedOn.bw : [100]),
    scales: given(flags.scale, parseScales) ?? fit.trainedOn.scales,
  };
}

/** `4,9` as they are; of `36..400` the admissible counts. */
export function parseNodes(text: string, isAdmissible: (nodes: number) => boolean): readonly number[] {
  const nodes = text.split(',').flatMap((part) => {
    const counts = parseCounts(part, '--nodes');
    return part.includes('..') ? counts.filter(isAdmissible) : counts;
  });
  if (nodes.length === 0) throw badInput(`--nodes: no count in ${text} is admissible for this program.`);
  return ascending(nodes);
}

/** Node counts, all of a range. */
export function parseCounts(text: string, what: string): readonly number[] {
  return parseRange(text, { what, min: 1, max: 1e7 });
}

export function parseScales(text: string): readonly number[] {
  return parseRange(text, { what: '--scale', min: 0, max: 60 });
}

export function parseBandwidths(text: string, max = 100): readonly number[] {
  return parseRange(text, { what: '--bw', step: 2, min: 0.001, max, integer: false });
}

export function parseBaseScale(text: string | undefined): number | undefined {
  return given(text, (scale) => parseCount(scale, '--base-scale', 0));
}

export function bootstrapOptions({
  interval = true,
  bootstrap = '1000',
  seed = '1',
}: ModelFlags): Required<BootstrapOptions> {
  const level = interval === true ? 0.9 : Number(interval);
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
