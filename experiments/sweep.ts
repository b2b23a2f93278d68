import { z } from 'zod';
import { ascending, badInput, parseCount, parseRange, RANGES, shortened } from '../base/index.ts';
import { chosenCellSchema, parseCells } from './parse-cells.ts';
import { sizeSchema } from './records.ts';

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
  /** Node counts of an earlier sweep of the campaign: their 100 % baseline is visited in every block, so that both can be compared. */
  anchors: z.array(z.int().positive()).optional(),
  /** Present when cells were named one by one: these are measured, not the product of the lists above. */
  cells: z.array(chosenCellSchema).min(1).optional(),
});
export type Sweep = z.infer<typeof sweepSchema>;

/** A sweep in texts; those left out have the defaults of `parseSweep`. */
export interface SweepTexts {
  readonly workload?: string | undefined;
  readonly nodes?: string | undefined;
  readonly scales: string;
  readonly cells?: string | undefined;
  readonly bw?: string | undefined;
  readonly reps?: string | undefined;
  readonly roots?: string | undefined;
  readonly seed?: string | undefined;
  /** `algorithm=bfs,pr`: a parameter of the workload and its values. */
  readonly param?: readonly string[] | undefined;
}

/**
 * Texts such as `4,9,16,25` (nodes), `10..50/10` (bw, step 2 when none is given) -> a sweep; 100 % is added to bw.
 * Errors are `badInput` and name the text and the value.
 */
export function parseSweep(texts: SweepTexts): Sweep {
  const { workload = 'graph500', nodes, cells: chosen, scales, bw = '10..50', param = [] } = texts;
  const { reps = '1', roots = '64', seed = '1' } = texts;
  const params = param.length === 0 ? {} : { params: parseParameters(param) };
  const counts = {
    reps: parseCount(reps, '--reps'),
    roots: parseCount(roots, '--roots'),
    seed: parseCount(seed, '--seed'),
  };
  if (chosen !== undefined && nodes === undefined) {
    const cells = parseCells(chosen);
    const values = (of: (cell: (typeof cells)[number]) => number): number[] => ascending(cells.map(of));
    const levels = values((cell) => cell.bw);
    return {
      workload,
      nodes: values((cell) => cell.nodes),
      scales: values((cell) => cell.scale),
      bw: levels.includes(100) ? levels : [...levels, 100],
      ...counts,
      ...params,
      cells,
    };
  }
  if (nodes === undefined || chosen !== undefined) {
    throw badInput('Say what to measure: nodes with scales and bw, or single cells.');
  }
  return {
    workload,
    nodes: [...parseRange(nodes, { what: '--nodes', ...RANGES['sweep --nodes'] })],
    scales: [...parseRange(scales, { what: '--scales', ...RANGES['--scale'] })],
    bw: parseBandwidths(bw),
    ...counts,
    ...params,
  };
}

function parseParameters(texts: readonly string[]): Record<string, string[]> {
  const named = texts.map(parseParameter);
  const twice = named.find(([name], index) => named.findIndex(([other]) => other === name) < index)?.[0];
  if (twice !== undefined) {
    throw badInput(
      `--param ${shortened(twice)} is given twice: write all its values behind one, ${twice}=VALUE,VALUE.`,
    );
  }
  return Object.fromEntries(named);
}

function parseParameter(text: string): [name: string, values: string[]] {
  const [, name, list = ''] = /^\s*([A-Za-z]\w*)\s*=(.*)$/s.exec(text) ?? [];
  const values = list.split(',').map((value) => value.trim());
  if (name === undefined || values.includes('')) {
    throw badInput(`'${shortened(text)}' is no parameter: write NAME=VALUE or NAME=VALUE,VALUE.`);
  }
  return [name, [...new Set(values)]];
}

function parseBandwidths(text: string): number[] {
  const values = parseRange(text, { what: '--bw', step: 2, ...RANGES['--bw'], integer: false });
  return values.includes(100) ? [...values] : [...values, 100];
}
