import { z } from 'zod';
import { PATH_MEASURES } from '../../../analysis/profiles/questions/path-values.ts';
import { WEIGHTS } from '../../../analysis/profiles/questions/top-paths.ts';

/** A degree beyond the height of every tree asks for totals. */
const degree = z.int().min(0);
const keys = z.array(z.string());
const value = z.enum(PATH_MEASURES);
const count = z.int().min(0);

const expandSchema = z.object({
  codePath: z.string(),
  direction: z.enum(['children', 'parents']),
  by: z.enum(['series', 'correlation']),
  benchmark: z.string().optional(),
  candidate: z.string().nullable().default(null),
  window: z.int().min(2).default(10),
  profiles: keys.nullable().default(null),
  least: z.int().min(2).default(2),
  threshold: z.number().default(0),
  maxDepth: count.default(10),
  maxBreadth: z.int().min(1).default(3),
});

/** Questions about profiles of which each is given as collapsed text. */
export const profileCaseSchema = z.object({
  profiles: z
    .array(
      z.object({
        key: z.string(),
        benchmark: z.string(),
        testRun: z.string(),
        timeNs: z.number(),
        metricMean: z.number().nullable(),
        collapsed: z.string(),
      }),
    )
    .min(1),
  ask: z.object({
    tree: z.string().optional(),
    degree: z.int().min(0).max(1000).default(3),
    potential: z
      .object({
        degrees: z.array(degree),
        weight: z.enum(WEIGHTS).default('samples'),
        profiles: keys.nullable().default(null),
      })
      .optional(),
    series: z
      .object({
        benchmark: z.string(),
        candidate: z.string().nullable().default(null),
        window: z.int().min(2).default(10),
        value: value.default('total'),
        noise: z.boolean().default(false),
      })
      .optional(),
    correlation: z
      .object({
        profiles: keys.nullable().default(null),
        least: z.int().min(2).default(2),
        value: value.default('base'),
      })
      .optional(),
    where: z.object({ codePath: z.string(), above: z.number() }).optional(),
    expand: z.array(expandSchema).optional(),
  }),
});

export type ProfileCase = z.infer<typeof profileCaseSchema>;
export type ExpandAsked = z.infer<typeof expandSchema>;
