import { z } from 'zod';
import { COUNTS, RANGES } from '../base/bounds.ts';
import { badInput } from '../base/errors.ts';
import { ascending, own } from '../base/lists.ts';
import { parseRange } from '../base/ranges.ts';
import { shortened } from '../base/text.ts';
import { countField, field, rangeField, wrongFlags } from '../base/yaml/yaml-fields.ts';
import { latencyField, latencySchema } from './latency.ts';
import { type ChosenCell, cellsField, chosenCellSchema } from './parse-cells.ts';
import { type StackProfile, sizeSchema, stackProfileSchema } from './records.ts';
import type { Workload } from './workloads/workload.ts';

/** What to measure: the product of nodes, scales and bandwidths, each `reps` times with `roots` searches. */
export const sweepSchema = z.strictObject({
  /** `graph500`, or the YAML file of a workload as the user named it. */
  workload: z.string().min(1),
  nodes: z.array(z.int().positive()).min(1),
  /** Dataset size exponents. */
  scales: z.array(sizeSchema).min(1),
  /** Percent of the line rate, (0, 100], ascending; 100 is always among them. */
  bw: z
    .array(z.number().positive().max(100))
    .min(1)
    .refine((values) => values.includes(100), 'the baseline of 100 % is missing'),
  reps: z.int().positive(),
  roots: z.int().positive(),
  /** Seed of the graph and of the choice of roots. */
  seed: z.int().nonnegative().default(1),
  /** Values of what the workload is told beside the scale, by name: every combination is measured. */
  params: z.record(z.string().regex(/^\w+$/), z.array(z.union([z.string().min(1), z.number()])).min(1)).optional(),
  /** Milliseconds that the network adds one way, ascending: each value is measured, as parameter `latency` of its cells. */
  latency: z.array(latencySchema).min(1).optional(),
  /** Ranks on each node, where they are part of what varies; else as the inventory says. */
  ranksPerNode: z.array(z.int().positive()).min(1).optional(),
  /** Of a named experiment, its name, and the longest makespan that counts, seconds. */
  preset: z.strictObject({ name: z.string().min(1), slaS: z.number().positive() }).optional(),
  /** Node counts of an earlier sweep of the campaign: their 100 % baseline is visited in every block, so that both can be compared. */
  anchors: z.array(z.int().positive()).optional(),
  /** Every cell is run once more with its ranks profiled, beside its measurements. */
  profile: stackProfileSchema.optional(),
  /** Present when cells were named one by one: these are measured, not the product of the lists above. */
  cells: z.array(chosenCellSchema).min(1).optional(),
});
export type Sweep = z.infer<typeof sweepSchema>;

const BANDWIDTHS = { what: '--bw', step: 2, ...RANGES['--bw'], integer: false } as const;
const USUAL = { scales: [20], bw: parseRange('10..50', BANDWIDTHS), reps: 1, roots: 64, seed: 1 } as const;
/** Of profiles, samples per second: not a round number, so that no program works in step with it. */
const USUAL_HZ = 99;

const PROFILES: readonly string[] = stackProfileSchema.shape.kind.options;
const PARAMETER = /^[A-Za-z]\w*$/;

/** What of a sweep flags and campaign files say: each a text of the command line, or the values that it stands for. */
export const sweepFields = {
  workload: z.string().min(1),
  nodes: rangeField({ what: '--nodes', ...RANGES['sweep --nodes'] }),
  scales: rangeField({ what: '--scales', ...RANGES['--scale'] }),
  cells: cellsField(),
  bw: rangeField(BANDWIDTHS),
  latency: latencyField(),
  reps: countField('--reps'),
  roots: countField('--roots'),
  seed: countField('--seed'),
  ranksPerNode: rangeField({ what: '--ranks-per-node', ...COUNTS['--ranks-per-node'] }),
  profile: field(z.string().meta({ enum: PROFILES }), parseProfile),
  profileHz: countField('--profile-hz'),
  param: field(
    z.union([
      z.record(z.string().regex(PARAMETER, 'write a letter, then letters, digits and underscores'), valuesSchema()),
      z.array(z.string()),
    ]),
    parseParameters,
  ),
};

const askedSchema = z.object(sweepFields).partial();
/** What is asked of a sweep; what is left out has the defaults of `parseSweep`. */
export type AskedSweep = z.input<typeof askedSchema>;

/**
 * Texts such as `4,9,16,25` (nodes), `10..50/10` (bw, step 2 when none is given), or what they stand for -> a sweep; 100 % is added to
 * bw. Errors are `badInput` and name the flag and the value.
 */
export function parseSweep(texts: AskedSweep): Sweep {
  const parsed = askedSchema.safeParse(texts);
  if (!parsed.success) throw wrongFlags(parsed.error);
  const { workload = 'graph500', nodes, cells, scales, bw, reps, roots, seed, ...asked } = parsed.data;
  const rest = {
    reps: reps ?? USUAL.reps,
    roots: roots ?? USUAL.roots,
    seed: seed ?? USUAL.seed,
    ...(asked.param === undefined ? {} : { params: asked.param }),
    ...(asked.latency === undefined ? {} : { latency: asked.latency }),
    ...(asked.ranksPerNode === undefined ? {} : { ranksPerNode: asked.ranksPerNode }),
    ...profileOf(asked),
  };
  if (cells !== undefined && nodes === undefined) {
    const values = (of: (cell: ChosenCell) => number): number[] => ascending(cells.map(of));
    return {
      workload,
      nodes: values((cell) => cell.nodes),
      scales: values((cell) => cell.scale),
      bw: withFull(values((cell) => cell.bw)),
      ...rest,
      cells,
    };
  }
  if (nodes === undefined || cells !== undefined) {
    throw badInput('Say what to measure: either --nodes 4,9,16 (with --scales and --bw) or --cells NODES:SCALE:BW.');
  }
  return { workload, nodes, scales: scales ?? [...USUAL.scales], bw: withFull(bw ?? USUAL.bw), ...rest };
}

/** A sweep over all that a workload is told of, in place of scales; parameters that it does not name stay as they were asked for. */
export function withChoices(sweep: Sweep, { choices }: Pick<Workload, 'choices'>): Sweep {
  if (choices === null) return sweep;
  const values = (name: string): (string | number)[] => [
    ...new Set(choices.flatMap(({ params }) => own(params, name) ?? [])),
  ];
  const names = [...new Set(choices.flatMap(({ params }) => Object.keys(params)))];
  return {
    ...sweep,
    scales: ascending(choices.map(({ scale }) => scale)),
    params: { ...sweep.params, ...Object.fromEntries(names.map((name) => [name, values(name)])) },
  };
}

function parseProfile(text: string): StackProfile['kind'] {
  if (text === 'cpu' || text === 'wall') return text;
  throw badInput(`'${shortened(text)}' is neither: write cpu (time on processors) or wall (all time).`);
}

function profileOf({ profile: kind, profileHz: hz }: Pick<z.output<typeof askedSchema>, 'profile' | 'profileHz'>): {
  readonly profile?: StackProfile;
} {
  if (kind !== undefined) return { profile: { kind, hz: hz ?? USUAL_HZ } };
  if (hz === undefined) return {};
  throw badInput('--profile-hz sets how often stacks are recorded: add --profile cpu or --profile wall.');
}

function withFull(bw: readonly number[]): number[] {
  return bw.includes(100) ? [...bw] : [...bw, 100];
}

/** A value, several with commas between, or a list. */
function valuesSchema() {
  const value = z.union([z.string(), z.number(), z.boolean()]);
  return z.union([value, z.array(value).min(1)]);
}

type WrittenValues = z.infer<ReturnType<typeof valuesSchema>>;

/** `algorithm=bfs,pr` of flags, or a section of names -> the values of each, texts. */
function parseParameters(
  written: readonly string[] | Readonly<Record<string, WrittenValues>>,
): Record<string, string[]> {
  const named = Array.isArray(written) ? written.map(partsOf) : Object.entries(written);
  const twice = named.find(([name], index) => named.findIndex(([other]) => other === name) < index)?.[0];
  if (twice !== undefined) {
    throw badInput(`${shortened(twice)} is given twice: write all its values once, ${twice}=VALUE,VALUE.`);
  }
  return Object.fromEntries(named.map(([name, values]) => [name, valuesOf(name, values)]));
}

function partsOf(text: string): [name: string, values: string] {
  const [name = '', ...rest] = text.split('=');
  if (rest.length > 0 && PARAMETER.test(name.trim())) return [name.trim(), rest.join('=')];
  throw badInput(`'${shortened(text)}' is not a parameter: write NAME=VALUE or NAME=VALUE,VALUE.`);
}

function valuesOf(name: string, written: WrittenValues): string[] {
  const values = Array.isArray(written) ? written.map(String) : String(written).split(',');
  const trimmed = values.map((value) => value.trim());
  if (!trimmed.includes('')) return [...new Set(trimmed)];
  throw badInput(`'${shortened(`${name}=${values}`)}' is not a parameter: write NAME=VALUE or NAME=VALUE,VALUE.`);
}
