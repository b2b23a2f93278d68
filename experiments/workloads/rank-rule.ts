import { z } from 'zod';

/** Named rules: which numbers of ranks they admit, and the words that follow "needs". */
const RULES = {
  any: { admits: () => true, words: 'any number of ranks' },
  'power-of-two': {
    admits: (ranks) => Number.isInteger(Math.log2(ranks)),
    words: 'a power of two as its number of ranks (1, 2, 4, 8, ...)',
  },
  square: {
    admits: (ranks) => Number.isInteger(Math.sqrt(ranks)),
    words: 'a square number of ranks (1, 4, 9, 16, ...)',
  },
  cube: {
    admits: (ranks) => Math.round(Math.cbrt(ranks)) ** 3 === ranks,
    words: 'a cube as its number of ranks (1, 8, 27, 64, ...)',
  },
  'two-squares': {
    admits: (ranks) => Number.isInteger(Math.sqrt(ranks / 2)),
    words: 'twice a square as its number of ranks (2, 8, 18, 32, ...)',
  },
} satisfies Readonly<Record<string, { readonly admits: (ranks: number) => boolean; readonly words: string }>>;

/** Which numbers of MPI ranks a program runs with; `two-squares` is 2 * q^2 (the IBM 2-D code of the paper); a list names all of them. */
export const rankRuleSchema = z.union([
  z.enum(Object.keys(RULES) as (keyof typeof RULES)[]),
  z.strictObject({ multipleOf: z.int().positive().describe('rank counts are multiples of it') }),
  z.array(z.int().positive()).min(1, 'name at least one number of ranks'),
]);
export type RankRule = z.infer<typeof rankRuleSchema>;

export function admits(rule: RankRule, ranks: number): boolean {
  if (!Number.isSafeInteger(ranks) || ranks < 1) return false;
  if (isList(rule)) return rule.includes(ranks);
  return typeof rule === 'object' ? ranks % rule.multipleOf === 0 : RULES[rule].admits(ranks);
}

/** The rule as words that follow "needs". */
export function describeRankRule(rule: RankRule): string {
  if (isList(rule)) return `one of ${rule.join(', ')} as its number of ranks`;
  return typeof rule === 'object' ? `a multiple of ${rule.multipleOf} ranks` : RULES[rule].words;
}

function isList(rule: RankRule): rule is readonly number[] & RankRule {
  return Array.isArray(rule);
}
