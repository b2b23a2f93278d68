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
import { parseCount } from './flags.ts';
import type { IntervalFlags, SourceFlags } from './model-flags.ts';

/** Reads the campaign folder or the file of rows that was named. */
export async function openSource(dir: string | undefined, flags: SourceFlags): Promise<Measurements> {
  if ((dir === undefined) === (flags.data === undefined)) {
    throw badInput('Name one source: a campaign folder, or --data FILE.csv.');
  }
  const options = {
    ranksPerNode: flags.ranksPerNode === undefined ? undefined : parseCount(flags.ranksPerNode, '--ranks-per-node'),
    ranks: parseRule(flags.ranksRule),
    trainNodes:
      flags.trainNodes === undefined
        ? undefined
        : parseRange(flags.trainNodes, { what: '--train-nodes', min: 1, max: 1e7 }),
  };
  return dir === undefined ? await fromFile(flags.data ?? '', options) : await fromCampaign(dir, options);
}

/** Which model of which rows; `projecting`: --scale and --bw are what is asked for, not what is fitted to. */
export function parseQuestion(flags: SourceFlags, { projecting = false } = {}): FitQuestion {
  const one = (text: string | undefined, what: string, integer = true): number | undefined =>
    text === undefined ? undefined : parseRange(text, { what, min: 0, max: 1e6, integer })[0];
  const [scale, bw, nodes] = [
    one(flags.scale, '--scale'),
    one(flags.bw, '--bw', false),
    one(flags.atNodes, '--at-nodes'),
  ];
  const errors = parseErrors(flags.errors);
  return {
    model: flags.model,
    ...(errors === undefined ? {} : { errors }),
    baseScale: flags.baseScale === undefined ? undefined : parseCount(flags.baseScale, '--base-scale', 0),
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
  const nodes = text.split(',').flatMap((part) => {
    const counts = parseRange(part, { what: '--nodes', min: 1, max: 1e7 });
    return part.includes('..') ? counts.filter(isAdmissible) : counts;
  });
  if (nodes.length === 0) throw badInput(`--nodes: no count in ${text} is admissible for this program.`);
  return ascending(nodes);
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

function parseErrors(text: string | undefined): 'absolute' | 'relative' | undefined {
  if (text === undefined || text === 'absolute' || text === 'relative') return text;
  throw badInput(`--errors: '${text}' is neither absolute nor relative.`);
}
