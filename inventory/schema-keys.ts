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
