import { z } from 'zod';

const finite = z.number();
const nodes = z.int().positive();

/** A median with the ends of its 90 % prediction interval; an end of null lies beyond all that was looked at. */
const estimate = z.strictObject({ value: finite.nullable(), low: finite.nullable(), high: finite.nullable() });

const line = {
  question: z.string(),
  short: z.string().describe('the answer in a word or a number with its unit'),
  sentence: z.string().describe('the answer with its figures'),
  detail: z.string().nullable().describe('what it rests on, in sentences; null where the answer says all'),
};

const moreNodes = z.strictObject({
  ...line,
  verdict: z
    .enum(['yes', 'no', 'equal', 'unknown'])
    .describe('whether more nodes than the largest measured cluster shorten the time'),
  reason: z.string().nullable().describe('why the verdict is unknown; else null'),
  upTo: estimate
    .nullable()
    .describe('for yes: the node count of the least time, null for beyond what can be predicted'),
  within: nodes.describe('the largest node count with a prediction'),
  saving: z
    .strictObject({ nodes, percent: estimate })
    .nullable()
    .describe('what twice as many nodes, or the next count that can run, save of the time; null without a prediction'),
  fewest: nodes.describe('the smallest measured cluster that is as fast as the fastest one within noise'),
  measured: z
    .array(z.strictObject({ nodes, seconds: finite, low: finite.nullable(), high: finite.nullable() }))
    .describe('measured times with 90 % intervals of the mean, by nodes'),
  tells: z.string().nullable().describe('for unknown: what would tell'),
});

const fasterLink = z.strictObject({
  ...line,
  verdict: z.enum(['yes', 'no', 'unknown']).describe('whether a link twice as fast saves 10 % of the time or more'),
  reason: z.string().nullable().describe('why the verdict is unknown; else null'),
  twice: estimate.nullable().describe('percent of the time that a link twice as fast saves'),
  unlimited: estimate.nullable().describe('percent of the time that a link without limits saves'),
});

const bandwidthNeeded = z.strictObject({
  ...line,
  verdict: z.enum(['known', 'unknown']).describe('whether the least bandwidth that costs little time is known'),
  percent: estimate.nullable().describe('of the link; a low end of null lies below the lowest measured bandwidth'),
  bitsPerSecond: estimate.nullable().describe('the same as a rate of one host'),
  atMost: z.boolean().describe('true where less may be enough: the value is the lowest measured bandwidth'),
  basis: z.enum(['model', 'measured']).nullable().describe('what it rests on'),
  measuredPercent: finite.nullable().describe('between measured bandwidths, without the model'),
  increasePercent: finite.describe('how much longer a run may take than on the full link'),
});

const witness = z.strictObject({
  by: z
    .enum(['model', 'grade10', 'path', 'stacks'])
    .describe('the model, the Grade10 method, the critical path, or call stacks'),
  says: z.enum(['link', 'processors', 'overhead', 'other', 'unknown']).describe('the largest part of the time'),
  percent: estimate.nullable().describe('the share of the time that it sees there'),
  sentence: z.string().describe('what it says'),
  careful: z.string().nullable().describe('why its word weighs less here; null for no reason'),
});

const limit = z.strictObject({
  ...line,
  verdict: z
    .enum(['link', 'not the link', 'disputed', 'unknown'])
    .describe('whether the link is what limits the largest measured cluster'),
  name: z.string().nullable().describe('what limits, in words'),
  agree: z
    .boolean()
    .nullable()
    .describe('whether all witnesses that know say the same of the link; null for fewer than two'),
  witnesses: z.array(witness).describe('what each analysis says of it'),
});

const baseline = z.strictObject({
  name: z.string(),
  title: z.string(),
  medianErrorPercent: finite,
  meanLogError: finite,
});

const trust = z.strictObject({
  ...line,
  verdict: z
    .enum(['believed', 'disbelieved', 'untested'])
    .describe('disbelieved: less than half of the times predicted blind lay inside their intervals'),
  medianErrorPercent: finite.nullable().describe('of times predicted without their node counts'),
  worstErrorPercent: finite.nullable().describe('the largest of them'),
  insidePercent: finite.nullable().describe('of these times inside their 90 % prediction intervals'),
  noisePercent: finite
    .nullable()
    .describe('the median error that a perfect model would show, by the scatter of repetitions'),
  skill: z
    .strictObject({
      score: finite.nullable().describe('1 - mean |ln(predicted/measured)| / that of `reference`'),
      reference: z.string().describe('the best baseline'),
      baselines: z.array(baseline).readonly(),
    })
    .nullable()
    .describe('against baselines; null without one'),
  trainedOn: z.array(nodes).describe('the node counts that the test chose and fitted by'),
  predicted: z.array(nodes).describe('the node counts that it predicted without having seen them'),
});

const next = z.strictObject({
  ...line,
  verdict: z
    .enum(['finish', 'measure', 'nothing'])
    .describe('finish the sweep, measure more cells, or nothing more is needed'),
  cells: z
    .array(z.strictObject({ nodes, scale: finite, bw: finite }))
    .describe('what to run; only counts that can run'),
  seconds: finite.nullable().describe('about what that takes'),
  command: z.string().nullable().describe('what to paste; null where nothing is to be run'),
});

/** Every answer about one program of a campaign, the same in `model`, `compare`, `why` and `report`. */
export const answersSchema = z.strictObject({
  program: z.string().nullable().describe('which of several programs; null for the only one'),
  level: z.literal(90).describe('of all intervals, percent'),
  setting: z
    .strictObject({ nodes, scale: finite.describe('0 without sizes'), bw: finite.describe('percent of the link') })
    .describe('the configuration most is said about: the largest'),
  moreNodes,
  fasterLink,
  bandwidthNeeded,
  limit,
  trust,
  next,
});
export type Answers = z.infer<typeof answersSchema>;

/** What every answer has: it is all that a page or a terminal shows of it. */
export type AnswerLine = Pick<Answers['next'], 'question' | 'short' | 'sentence' | 'detail'>;

/** In the order in which people ask. */
export const ASKED = ['moreNodes', 'fasterLink', 'bandwidthNeeded', 'limit', 'trust', 'next'] as const;

/** The answers as lines, in the order in which people ask. */
export function answerLines(answers: Answers): readonly (AnswerLine & { readonly id: (typeof ASKED)[number] })[] {
  return ASKED.map((id) => {
    const { question, short, sentence, detail } = answers[id];
    return { id, question, short, sentence, detail };
  });
}
