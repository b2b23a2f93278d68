import { z } from 'zod';
import { inventoryFileSchema } from './schema.ts';

/** Every key of the inventory file as a dotted path; `[]` stands for a list's entries: hosts[].name, ssh.user. */
export function inventoryKeys(): readonly string[] {
  return keysOf(inventoryFileSchema, '');
}

/** The keys that are valid in the section at `path` (as zod gives it). */
export function keysAt(path: readonly PropertyKey[]): readonly string[] {
  const section = path.map((step) => (typeof step === 'number' ? '[]' : `.${String(step)}`)).join('');
  const prefix = section === '' ? '' : `${section.slice(1)}.`;
  return inventoryKeys()
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length))
    .filter((key) => !/[.[]/.test(key));
}

/** The candidate that `text` was most likely meant to be, or undefined if none is near. Case does not count. */
export function closest(text: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: editDistance(text.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= Math.max(1, Math.floor(text.length / 3)) ? best.candidate : undefined;
}

function keysOf(schema: unknown, path: string): readonly string[] {
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([key, value]) => {
      const full = path === '' ? key : `${path}.${key}`;
      return [full, ...keysOf(value, full)];
    });
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return keysOf(schema.unwrap(), path);
  }
  if (schema instanceof z.ZodArray) return keysOf(schema.element, `${path}[]`);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => keysOf(option, path));
  return [];
}

/** Optimal string alignment: insertions, deletions, replacements and swapped neighbours count one each. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, swapped));
    }
  }
  return at(a.length, b.length);
}
