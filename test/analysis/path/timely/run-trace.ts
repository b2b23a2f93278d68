import { join } from 'node:path';
import { analyseTimely, type TimelyAnalysis } from '../../../../analysis/path/timely/analyse-timely.ts';
import type { TraceOptions } from '../../../../analysis/path/timely/timely-trace.ts';

export const TRACES = join(import.meta.dirname, '../../../fixtures/critical-path/timely');

/** A trace given as text. */
export async function analyseText(text: string, options: Partial<TraceOptions> = {}): Promise<TimelyAnalysis> {
  const found = await analyseTimely(pieces(text), { skew: new Map(), waitFrom: 'op', ...options });
  if (found === null) throw new Error('this is no Timely trace');
  return found;
}

export async function* pieces(text: string, length = 1 << 16): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

/** How often each sort of problem was met. */
export function problemCounts({ problems }: Pick<TimelyAnalysis, 'problems'>): Readonly<Record<string, number>> {
  return Object.fromEntries(problems.map(({ kind, count }) => [kind, count]));
}
