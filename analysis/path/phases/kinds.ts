import { at } from '../../../base/lists.ts';
import { WORKER_KEYS } from '../../platform/check-platform.ts';
import type { Platform } from '../../platform/platform.ts';
import type { PhaseKind } from './rank-phases.ts';

/** What a platform says of the path: which phases of a trace lie on it, and which keys name a search and a step of it. */
export interface PathModel {
  /** Phase name in the trace -> its kind. */
  readonly kinds: ReadonlyMap<string, PhaseKind>;
  /** The key that tells one phase in focus from another; null where there is one alone. */
  readonly search: string | null;
  /** Keys that tell steps of it apart. */
  readonly steps: readonly string[];
}

/** Phases of the trace below the type in focus; null for a platform whose programs trace none. */
export function pathModelOf({
  phaseTypes,
  measured,
  focus,
}: Pick<Platform, 'phaseTypes' | 'measured' | 'focus'>): PathModel | null {
  const { indexOf, parents, repeats, keys } = phaseTypes;
  const [kinds, steps] = [new Map<string, PhaseKind>(), new Set<string>()];
  const keyOf = (type: number): string | null => {
    const key = keys[type];
    return repeats[type] === 'none' || key === undefined || WORKER_KEYS.includes(key) ? null : key;
  };
  for (const [name, path] of Object.entries(measured?.trace ?? {})) {
    const chain: number[] = [];
    for (let type = indexOf.get(path ?? '') ?? -1; type > 0 && type !== focus; type = at(parents, type))
      chain.push(type);
    const top = chain.at(-1);
    if (path === null || top === undefined || at(parents, top) !== focus) continue;
    kinds.set(name, { name, group: measured?.exchanges?.[path] ?? null });
    for (const type of chain) {
      const key = keyOf(type);
      if (key !== null) steps.add(key);
    }
  }
  let above = focus;
  while (above > 0 && keyOf(above) === null) above = at(parents, above);
  return kinds.size === 0 ? null : { kinds, search: above > 0 ? keyOf(above) : null, steps: [...steps] };
}
