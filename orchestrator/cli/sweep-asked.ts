import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { z } from 'zod';
import { badInput, messageOf } from '../../base/errors.ts';
import { joinWords } from '../../base/text.ts';
import { asSeconds } from '../../base/units.ts';
import { parseYaml } from '../../base/yaml/parse-yaml.ts';
import { countField, field, namesField, percentField, secondsField, wrongFlags } from '../../base/yaml/yaml-fields.ts';
import { cellsField } from '../../experiments/parse-cells.ts';
import { findPreset, PRESET_NAMES } from '../../experiments/presets.ts';
import type { AskedFile } from '../../experiments/store/campaign.ts';
import { sweepFields } from '../../experiments/sweep.ts';
import { BUNDLED } from '../../experiments/workloads/load-workload.ts';

const requestField = z.union([
  z.literal(true),
  z.string().regex(/^\s*-/, "a request begins with a dash, such as '-N 16 -t 2:00:00'"),
]);

/**
 * What flags of `sweep` hold, and a campaign file in a folder with the flags' names as keys: what both may say, with its bounds and error
 * sentences. Paths start at the folder.
 */
function askedIn(folder: string) {
  const path = z
    .string()
    .min(1)
    .transform((text) => seenFrom(folder, text));
  return z
    .strictObject({
      ...sweepFields,
      cells: cellsField(folder),
      workload: z.union([z.literal(BUNDLED), path]),
      inventory: path,
      slurm: requestField,
      pbs: requestField,
      lsf: requestField,
      flux: requestField,
      jobWait: secondsField('--job-wait'),
      graphs: namesField().transform((names) => names.map((name) => seenFrom(folder, name))),
      algorithms: namesField(),
      preset: field(z.string().meta({ enum: PRESET_NAMES }), parsePreset),
      sla: secondsField('--cell-timeout'),
      validate: countField('--validate'),
      repeats: countField('--repeats'),
      precision: percentField('--precision'),
      mostRoots: countField('--most-roots'),
      budget: secondsField('sweep --budget'),
      target: z.string().min(1),
      out: path,
      redis: z.string().min(1),
      on: namesField(),
      priority: countField('--priority'),
      lease: secondsField('--lease'),
      cellTimeout: secondsField('--cell-timeout'),
    })
    .partial()
    .meta({
      title: 'Campaign file of predict',
      description: 'what predict sweep measures: each key is a flag of it',
      examples: [{ inventory: 'cluster.yaml', nodes: [4, 9, 16], bw: '10..50' }],
    });
}

export const askedSchema = askedIn('');

type Said = z.output<typeof askedSchema>;
export type AskedFlags = z.input<typeof askedSchema>;

/** What is not said, neither by a file nor by a flag. */
export const ASKED_DEFAULTS = {
  workload: 'graph500',
  out: 'campaigns/sweep',
  repeats: 1,
  lease: asSeconds(60),
  jobWait: asSeconds(1800),
} as const satisfies Said;

/** What a sweep is asked; what has no value here the sweep chooses. */
export type Asked = Said & { readonly [Key in keyof typeof ASKED_DEFAULTS]: NonNullable<Said[Key]> };

interface AskedFor {
  readonly asked: Asked;
  /** Null where no file was named. */
  readonly file: AskedFile | null;
  /** What flags say in place of the file, one sentence; null for nothing. */
  readonly says: string | null;
}

/**
 * What a sweep is asked, by a campaign file and by flags, which win. Errors: `badInput`, of a file a line per fault with `path:line`, of
 * flags with the flag's name.
 */
export function readAsked(path: string | undefined, flags: AskedFlags): AskedFor {
  const parsed = askedSchema.safeParse(flags);
  if (!parsed.success) throw wrongFlags(parsed.error);
  const given = parsed.data;
  if (path === undefined) return { asked: withDefaults(given), file: null, says: null };
  const text = readText(path);
  const older = { slurmWait: secondsField('--job-wait').optional() };
  const schema = askedIn(dirname(path))
    .extend(older)
    .meta({ ...askedSchema.meta() });
  const { slurmWait, ...now } = parseYaml(text, { path, schema, verbatim: [['param']] });
  // The older name of jobWait.
  const written: Said = slurmWait === undefined ? now : { jobWait: slurmWait, ...now };
  const replaced = replacedBy(Object.keys(given), written);
  const kept = Object.fromEntries(Object.entries(written).filter(([key]) => !replaced.includes(key)));
  return {
    asked: withDefaults({ ...kept, ...given }),
    file: { path, text, flags: JSON.parse(JSON.stringify(given)) },
    says: replaced.length === 0 ? null : `Flags take the place of ${joinWords(replaced)} in ${path}.`,
  };
}

function withDefaults(said: Said): Asked {
  return {
    ...said,
    workload: said.workload ?? ASKED_DEFAULTS.workload,
    out: said.out ?? ASKED_DEFAULTS.out,
    repeats: said.repeats ?? ASKED_DEFAULTS.repeats,
    lease: said.lease ?? ASKED_DEFAULTS.lease,
    jobWait: said.jobWait ?? ASKED_DEFAULTS.jobWait,
  };
}

/** What else of a file does not count beside a flag: both say which cells. */
const ALSO_REPLACED: Readonly<Record<string, readonly string[]>> = {
  nodes: ['cells'],
  cells: ['nodes', 'scales', 'bw', 'reps'],
};

/** Keys of a file that do not count beside some flags. */
function replacedBy(flags: readonly string[], written: Said): readonly string[] {
  const wins = flags.flatMap((key) => [key, ...(ALSO_REPLACED[key] ?? [])]);
  return Object.keys(written).filter((key) => wins.includes(key));
}

function parsePreset(name: string): string {
  findPreset(name);
  return name;
}

/** A path that starts at a folder, seen from the working folder. */
function seenFrom(folder: string, path: string): string {
  return folder === '' || isAbsolute(path) ? path : relative('', resolve(folder, path)) || '.';
}

function readText(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    const help = 'name the YAML file that says what to measure, or say it with flags';
    throw badInput(`The campaign file ${path} cannot be read (${messageOf(error)}): ${help}.`, error);
  }
}
