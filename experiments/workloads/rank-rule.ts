import { z } from 'zod';
import { assertNever } from '../../base/index.ts';

/** Which numbers of MPI ranks a program runs with; `two-squares` is 2 * q^2 (the IBM 2-D code of the paper). */
export const rankRuleSchema = z.union([
  z.enum(['any', 'power-of-two', 'square', 'two-squares']),
  z.strictObject({ multipleOf: z.int().positive() }),
]);
export type RankRule = z.infer<typeof rankRuleSchema>;

export function admits(rule: RankRule, ranks: number): boolean {
  if (!Number.isSafeInteger(ranks) || ranks < 1) return false;
  if (typeof rule === 'object') return ranks % rule.multipleOf === 0;
  switch (rule) {
    case 'any':
      return true;
    case 'power-of-two':
      return Number.isInteger(Math.log2(ranks));
    case 'square':
      return Number.isInteger(Math.sqrt(ranks));
    case 'two-squares':
      return Number.isInteger(Math.sqrt(ranks / 2));
    default:
      return assertNever(rule);
  }
}

/** The rule as words that follow "needs". */
export function describeRankRule(rule: RankRule): string {
  if (typeof rule === 'object') return `a multiple of ${rule.multipleOf} ranks`;
  switch (rule) {
    case 'any':
      return 'any number of ranks';
    case 'power-of-two':
      return 'a power of two as its number of ranks (1, 2, 4, 8, ...)';
    case 'square':
      return 'a square number of ranks (1, 4, 9, 16, ...)';
    case 'two-squares':
      return 'twice a square as its number of ranks (2, 8, 18, 32, ...)';
    default:
      return assertNever(rule);
  }
}
