import { z } from 'zod';
import {
  type PhaseKind,
  type RankPhases,
  type RawPhases,
  rankPhases,
} from '../../../analysis/path/phases/rank-phases.ts';
import { badInput } from '../../../base/errors.ts';
import { joinWords, shortened } from '../../../base/text.ts';

const COLUMNS = ['rank', 'root', 'level', 'phase', 'startNs', 'endNs', 'asleepNs'] as const;
type Column = (typeof COLUMNS)[number];

const caseSchema = z.object({
  side: z.int().positive('give the side of the grid of ranks'),
  phases: z.object({
    columns: z.array(z.string()),
    rows: z.array(z.array(z.unknown())).min(1, 'give at least one phase'),
  }),
});

/**
 * Phases of MPI ranks on one clock from JSON: `side` of the q x q grid, `phases.columns`, `phases.rows`. A phase that `kinds` lacks
 * is left out when it is null there. Errors: badInput that names the row (from 1), its value and what belongs there.
 */
export function readPhaseCase(data: unknown, kinds: ReadonlyMap<string, PhaseKind | null>): RankPhases {
  const parsed = caseSchema.safeParse(data);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw badInput(
      `The case is invalid at ${issue?.path.join('.') || 'the top level'}: ${issue?.message}.`,
      parsed.error,
    );
  }
  const { side, phases } = parsed.data;
  const missing = COLUMNS.filter((name) => !phases.columns.includes(name));
  if (missing.length > 0) {
    throw badInput(
      `The case has no column ${joinWords(missing)} among its phases (it has ${shortened(phases.columns.join(', '))}): add ${missing.length > 1 ? 'them' : 'it'}.`,
    );
  }
  const listed = [...kinds.values()].filter((kind) => kind !== null);
  const numberOf = new Map(listed.map((kind, index) => [kind.name, index]));
  const known = joinWords([...numberOf.keys()]);
  const place = Object.fromEntries(COLUMNS.map((name) => [name, phases.columns.indexOf(name)])) as Record<
    Column,
    number
  >;
  const raw = noPhases();
  for (const [index, row] of phases.rows.entries()) {
    const wrong = (column: Column, help: string): Error =>
      badInput(
        `Phase ${index + 1} of the case has ${shortened(JSON.stringify(row[place[column]]) ?? 'nothing')} as ${column}: ${help}.`,
      );
    const whole = (column: Column, least: number): number => {
      const value = row[place[column]];
      if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least) {
        throw wrong(column, `give a whole number${least === 0 ? ' of at least 0' : ''}`);
      }
      return value;
    };
    const name = row[place.phase];
    if (typeof name === 'string' && kinds.get(name) === null) continue;
    const kind = typeof name === 'string' ? numberOf.get(name) : undefined;
    if (kind === undefined) throw wrong('phase', `give one of ${known}`);
    const rank = whole('rank', 0);
    if (rank >= side * side) throw wrong('rank', `a grid of side ${side} has the ranks 0 to ${side * side - 1}`);
    raw.rank.push(rank);
    raw.search.push(whole('root', Number.MIN_SAFE_INTEGER));
    raw.kind.push(kind);
    raw.step.push(whole('level', Number.MIN_SAFE_INTEGER));
    raw.startNs.push(whole('startNs', Number.MIN_SAFE_INTEGER));
    raw.endNs.push(whole('endNs', Number.MIN_SAFE_INTEGER));
    raw.asleepNs.push(row[place.asleepNs] === null ? Number.NaN : whole('asleepNs', 0));
    raw.queuedNs.push(Number.NaN);
    raw.bytes.push(Number.NaN);
  }
  if (raw.rank.length === 0) throw badInput(`The case has no phase that can lie on a path: give some of ${known}.`);
  const seen = new Set(raw.rank);
  if (seen.size !== side * side) {
    let missing = 0;
    while (seen.has(missing)) missing += 1;
    throw badInput(
      `The case has phases of ${seen.size} ranks, but a grid of side ${side} has ${side * side}. Correct the side, or add the missing ranks (the first is ${missing}).`,
    );
  }
  return rankPhases(raw, { ranks: side * side, kinds: listed });
}

/** Columns to put phases into. */
export function noPhases(): Record<keyof RawPhases, number[]> {
  return { rank: [], search: [], kind: [], step: [], startNs: [], endNs: [], asleepNs: [], queuedNs: [], bytes: [] };
}
