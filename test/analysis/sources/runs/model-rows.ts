import type { Model } from '../../../../analysis/grade10/model/create-model.ts';
import { phasePath } from '../../../../analysis/grade10/model/phases.ts';
import { usedMetrics } from '../../../../analysis/grade10/model/uses.ts';

/** First slice and the slice after the last of every phase, by path. */
export function lives({ phases, phaseTypes }: Model): Record<string, readonly [number, number]> {
  return Object.fromEntries(
    Array.from({ length: phases.count }, (_, row) => {
      const first = phases.first[row] ?? -1;
      return [phasePath(phases, phaseTypes, row), [first, first + (phases.length[row] ?? 0)] as const];
    }),
  );
}

/** Paths of the metrics that a leaf uses. */
export function usedBy({ phases, phaseTypes, uses, metrics }: Model, path: string): string[] {
  const rows = Array.from({ length: phases.count }, (_, row) => row);
  const found = rows.find((row) => phasePath(phases, phaseTypes, row) === path);
  if (found === undefined) throw new Error(`no phase ${path}`);
  return Array.from(usedMetrics(uses, found), (metric) => metrics[metric]?.path ?? '').sort();
}
