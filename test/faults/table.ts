import type { Ending, Verdict } from './inject.ts';
import type { Problem } from './invariants.ts';
import { KINDS, nameOf } from './language.ts';

const ENDINGS: readonly Ending[] = ['ok', 'retried', 'refused', 'stopped', 'hung'];

export function count(verdicts: readonly Verdict[], kind: Problem['kind']): number {
  return verdicts.flatMap(({ problems }) => problems).filter((problem) => problem.kind === kind).length;
}

/** Injections in which something was broken, or whose fault never struck. */
export const bad = ({ problems, missed }: Verdict): boolean => problems.length > 0 || missed;

/** How the command that repeats exactly this injection is called. */
export function repeatCommand({ injection: { seed, kind, index, quick } }: Verdict): string {
  return `npm run test:faults -- --seed ${seed}${quick ? ' --quick' : ''} --only '${kind}' --index ${index}`;
}

/** A violation with everything that is needed to see it again. */
export function tellBad(verdict: Verdict): string {
  const { blows, problems, missed, injection } = verdict;
  return [
    `injection ${injection.index} of seed ${injection.seed}, cells ${injection.cells.join(' ')}, again ${injection.again}:`,
    ...blows.map((blow) => `  ${blow}`),
    ...problems.map(({ kind, text }) => `  ${kind.toUpperCase()}: ${text}`),
    ...(missed ? ['  MISSED: a moment or a victim never came'] : []),
    `  again: ${repeatCommand(verdict)}`,
  ].join('\n');
}

/** A Markdown row per kind of fault, with what repeats the row. */
export function faultTable(verdicts: readonly Verdict[], repeat: (kind: string) => string): string {
  const rows = KINDS.flatMap((kind) => {
    const own = verdicts.filter(({ injection }) => injection.kind === nameOf(kind));
    if (own.length === 0) return [];
    const endings = ENDINGS.map((ending) => own.filter((verdict) => verdict.ending === ending).length);
    const broken = [count(own, 'cell lost'), count(own, 'link left'), count(own, 'hang')];
    const other = own.flatMap(({ problems }) => problems).length - broken.reduce((sum, value) => sum + value, 0);
    return [[nameOf(kind), own.length, ...endings, ...broken, other, `\`${repeat(nameOf(kind))}\``].join(' | ')];
  });
  const head = ['fault', 'times', ...ENDINGS, 'cells lost', 'links left', 'hangs', 'other', 'repeated by'];
  return [head.join(' | '), head.map(() => '---').join(' | '), ...rows].map((row) => `| ${row} |`).join('\n');
}

export function summary(verdicts: readonly Verdict[]): string {
  const broken = (['cell lost', 'link left', 'hang'] as const).map((kind) => count(verdicts, kind));
  return `${verdicts.length} injections, ${broken[0]} cells lost, ${broken[1]} links left, ${broken[2]} hangs`;
}
