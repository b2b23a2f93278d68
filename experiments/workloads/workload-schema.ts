import { z } from 'zod';
import { NUMBERS, TIMES } from '../../base/bounds.ts';
import { PATH_NAME, PATH_NAME_RULE } from '../../base/paths.ts';
import { ALGORITHMS } from '../graphs/benchmark-terms.ts';
import { sizeSchema } from '../records.ts';
import { patternProblem } from './output-pattern.ts';
import { rankRuleSchema } from './rank-rule.ts';
import { iterationsSchema, partSchema, recorderSchema } from './recorded-calls.ts';
import {
  argumentSchema,
  bytesSchema,
  commandLineSchema,
  folderSchema,
  nameSchema,
  needsRecorder,
  numberPatternSchema,
  patternSchema,
  placeholdersHelp,
  propertiesSchema,
  ranksHelp,
  shellSchema,
} from './workload-fields.ts';

/** Our own Graph500 (agents/graph500), which needs a square number of ranks. */
const graph500Schema = z.strictObject({
  kind: z.literal('graph500'),
  name: z.literal('graph500'),
  validate: z.int().positive().optional().describe("how many of a run's searches are validated; all without it"),
});

/** A Graph500 program that is already on the hosts and prints one of the known dialects. */
const graph500ExternalSchema = z
  .strictObject({
    kind: z.literal('graph500-external'),
    name: nameSchema,
    binary: z.string().min(1).describe('path on the hosts'),
    args: z.array(argumentSchema).default(['{scale}', '16']).describe(`arguments; ${placeholdersHelp}`),
    trace: recorderSchema,
    part: partSchema,
    ranks: rankRuleSchema.default('power-of-two').describe(ranksHelp),
  })
  .superRefine(needsRecorder);

/** Any MPI program that prints its times, or its rate. */
const commandSchema = z
  .strictObject({
    kind: z.literal('command'),
    name: nameSchema,
    command: commandLineSchema.describe(
      `program and arguments, a list or a line with quotes; no shell reads it; ${placeholdersHelp}`,
    ),
    time: z
      .strictObject({
        pattern: numberPatternSchema.describe('regular expression with one group: the number'),
        unit: z.enum(['s', 'ms', 'us', 'ns']).default('s').describe('unit of that number'),
        of: iterationsSchema
          .optional()
          .describe('of how many iterations it is the mean: a number, or {call: NAME} with trace: mpi'),
      })
      .optional()
      .describe('each match in the output is one timed run'),
    rate: z
      .strictObject({
        pattern: numberPatternSchema.describe('regular expression with one group: the number'),
        work: z.number().positive().default(1).describe('how much work the time is of'),
      })
      .optional()
      .describe("what a program does in a second: a run's time is that of `work` of it"),
    processes: numberPatternSchema
      .optional()
      .describe('how many ranks the program says it ran on; a run that says another number is invalid'),
    failure: z
      .array(patternSchema)
      .default([])
      .describe('a run whose output matches one of these has failed, whatever its exit status'),
    env: z
      .record(z.string().regex(/^[A-Za-z_]\w*$/, 'use letters, digits and underscores'), argumentSchema)
      .optional()
      .describe('environment of every rank, beside mpi.env of the inventory'),
    folder: argumentSchema
      .refine((text) => /^(\/|\{output\})/.test(text), { message: 'give an absolute path, or {output}' })
      .optional()
      .describe('the working folder of every rank, an absolute path on the hosts or {output}'),
    /**
     * Files that rank 0 leaves on the first host, seen from the folder where ranks run: its own trace (experiments/trace.ts), and a log in
     * which the patterns are looked for beside what it prints.
     */
    outputs: z
      .strictObject({
        phases: argumentSchema.optional().describe('CSV with the columns of phases'),
        messages: argumentSchema.optional().describe('CSV with the columns of messages'),
        log: argumentSchema
          .superRefine((path, context) => {
            const message = patternProblem(path);
            if (message !== null) context.addIssue({ code: 'custom', message });
          })
          .optional()
          .describe(
            'text in which the patterns are looked for too; a name such as HPCG*.txt is that of the one new file',
          ),
      })
      .optional()
      .describe('files that rank 0 leaves on the first host: its own trace, and a log that patterns are looked for in'),
    trace: recorderSchema,
    part: partSchema,
    success: patternSchema.optional().describe('a run whose output does not match this has failed'),
    ranks: rankRuleSchema.default('any').describe(ranksHelp),
  })
  .refine(({ time, rate }) => (time === undefined) !== (rate === undefined), {
    path: ['time'],
    message: 'give time or rate, one of them: the pattern of what is measured',
  })
  .meta({ oneOf: [{ required: ['time'] }, { required: ['rate'] }] })
  .refine(({ outputs, trace }) => trace === undefined || (outputs?.phases ?? outputs?.messages) === undefined, {
    path: ['outputs'],
    message: "'trace: mpi' makes the phases and messages itself: leave out one of the two",
  })
  .superRefine(needsRecorder);

const graphSchema = z.strictObject({
  name: z.string().regex(PATH_NAME, PATH_NAME_RULE),
  /** Graphs of one family differ in size only. */
  family: z.string().min(1),
  directed: z.boolean(),
  weighted: z.boolean(),
  vertices: z.int().nonnegative(),
  edges: z.int().nonnegative(),
  scale: sizeSchema,
  /** Of the content of its two files. */
  digest: z.string(),
  /** Of every algorithm that it is made for, what it is told. */
  parameters: z.partialRecord(
    z.enum(ALGORITHMS),
    z.strictObject({
      source: z
        .string()
        .regex(/^\d{1,19}$/)
        .optional(),
      iterations: z.int().positive().optional(),
      damping: z.number().positive().optional(),
    }),
  ),
});

/** Our own kernels of Graphalytics (agents/graphalytics) on datasets in its format. */
const graphalyticsSchema = z.strictObject({
  kind: z.literal('graphalytics'),
  name: z.literal('graphalytics'),
  graphs: z.array(graphSchema).min(1),
  algorithms: z.array(z.enum(ALGORITHMS)).min(1),
});

/** The official harness of LDBC Graphalytics with any platform's driver (docs/workloads.md). */
const graphalyticsHarnessSchema = z.strictObject({
  kind: z.literal('graphalytics-harness'),
  name: nameSchema,
  folder: folderSchema.describe('the distribution folder, on the host that starts runs'),
  graphs: folderSchema.describe('where graphs are, and their reference outputs if there is no `validation`'),
  validation: folderSchema.optional().describe('where reference outputs are, if not with the graphs'),
  graph: argumentSchema.default('{param.graph}').describe('name of the graph'),
  algorithm: argumentSchema.default('{param.algorithm}').describe('acronym of the algorithm'),
  timeoutS: z.int().positive().default(3600).describe('longest run, whole seconds'),
  validate: z.boolean().default(true).describe('whether outputs are compared with the reference'),
  properties: z
    .strictObject({
      benchmark: propertiesSchema,
      custom: propertiesSchema,
      environment: propertiesSchema,
      platform: propertiesSchema,
      pricing: propertiesSchema,
    })
    .transform((files) => Object.fromEntries(Object.entries(files).map(([file, keys]) => [file, keys ?? {}])))
    .prefault({})
    .describe('further keys of the configuration files that its own keys name; values are taken as they are'),
  ranks: rankRuleSchema.default('any').describe(ranksHelp),
});

/** A dataflow job of shell commands that hand data to each other through connections; it is watched (docs/dataflow.md). */
const pipelineSchema = z
  .strictObject({
    kind: z.literal('pipeline'),
    name: nameSchema,
    commands: z
      .array(shellSchema)
      .min(1)
      .describe('in the order of the data; {host.2} is the address of the host of the second one'),
    record: bytesSchema
      .nullable()
      .default(null)
      .describe('bytes of a record of its sources, such as 4096B; without it work is counted in bytes'),
    periodS: z
      .number()
      .min(TIMES['--period'].least)
      .max(TIMES['--period'].most)
      .default(5)
      .describe('length of a period of the watching, seconds'),
    hz: z
      .number()
      .min(NUMBERS['--hz'].least)
      .max(NUMBERS['--hz'].most)
      .default(50)
      .describe('samples of the watching per second'),
  })
  .superRefine(({ commands }, context) => {
    for (const [at, command] of commands.entries()) {
      for (const [whole, digits] of command.matchAll(/(?<!\{)\{host\.(\d+)\}/g)) {
        const number = Number(digits);
        if (number >= 1 && number <= commands.length) continue;
        const message = `${whole}: there are commands 1 to ${commands.length}`;
        context.addIssue({ code: 'custom', path: ['commands', at], message });
      }
    }
  });

/** What runs in the cells, as data: kept in campaign.json, given by users as a YAML file. */
export const workloadSchema = z
  .discriminatedUnion('kind', [
    graph500Schema,
    graph500ExternalSchema,
    commandSchema,
    graphalyticsSchema,
    graphalyticsHarnessSchema,
    pipelineSchema,
  ])
  .meta({
    title: 'Workload of predict',
    description: 'what runs in the cells of a campaign',
    examples: [{ kind: 'graph500-external', name: 'reference', binary: '/opt/graph500/bfs' }],
  });
export type WorkloadDefinition = z.infer<typeof workloadSchema>;
export type Graph500Definition = z.infer<typeof graph500Schema>;
export type Graph500ExternalDefinition = z.infer<typeof graph500ExternalSchema>;
export type GraphalyticsDefinition = z.infer<typeof graphalyticsSchema>;
export type CommandDefinition = z.infer<typeof commandSchema>;
export type PipelineDefinition = z.infer<typeof pipelineSchema>;
export type GraphalyticsHarnessDefinition = z.infer<typeof graphalyticsHarnessSchema>;
