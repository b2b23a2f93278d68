import { badInput } from '../../base/errors.ts';
import { at, own } from '../../base/lists.ts';
import type { MappingEntry } from '../grade10/model/mapping.ts';
import type { PhaseColumns } from '../grade10/model/phase-columns.ts';
import type { PhaseTypes } from '../grade10/model/phase-types.ts';
import type { Platform } from './platform.ts';

/**
 * The phase-resource mapping of one job: the templates of each phase's type with {key} filled in by the id of the phase, or
 * of one above it; {host} is the place of the nearest of them that has one. Errors: badInput for a phase without a place.
 */
export function mapPhases(
  { type, parent, id }: PhaseColumns,
  { phaseTypes, mapping, places }: Pick<Platform, 'phaseTypes' | 'mapping' | 'places'>,
): MappingEntry[] {
  const entries: MappingEntry[] = [];
  for (const [phase, typeIndex] of type.entries()) {
    const templates = mapping.get(typeIndex);
    if (templates === undefined) continue;
    const value = (key: string): string => {
      for (let row = phase; row >= 0; row = at(parent, row)) {
        const [known, name] = [keyOf(phaseTypes, at(type, row)), at(id, row)];
        if (known === key) return name;
        const hosts = key === 'host' && known !== undefined ? own(places, known) : undefined;
        const place = hosts && own(hosts, name);
        if (place !== undefined) return place;
      }
      const path = at(phaseTypes.paths, typeIndex);
      throw badInput(`A phase ${path} (id '${id[phase]}') has no known ${key}: state where it ran under 'places'.`);
    };
    entries.push({
      phase,
      resources: templates.map((template) => template.replace(/\{([^{}]*)\}/g, (_, key: string) => value(key))),
    });
  }
  return entries;
}

function keyOf({ repeats, keys }: PhaseTypes, type: number): string | undefined {
  return repeats[type] === 'none' ? undefined : keys[type];
}
