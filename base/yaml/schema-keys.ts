import { z } from 'zod';
import { own } from '../lists.ts';

/** Every key of a file as a dotted path; `[]` stands for a list's entries: hosts[].name, ssh.user. */
export function schemaKeys(schema: unknown): readonly string[] {
  return [...new Set(keysBelow(schema, ''))];
}

/**
 * What a schema says of the value at `path` of a file that holds `root`; several where it may be of several kinds. Of a section that
 * names its kind those of the others are left out.
 */
export function schemasAt(schema: unknown, path: readonly PropertyKey[], root: unknown): readonly unknown[] {
  let found: readonly unknown[] = [schema];
  let value = root;
  for (const step of path) {
    found = found.flatMap((each) => kindsOf(each, value)).flatMap((kind) => inside(kind, step));
    value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
  }
  return found;
}

/** The keys that are valid in the section at `path` of a file that holds `root`. */
export function keysAt(schema: unknown, path: readonly PropertyKey[], root: unknown): readonly string[] {
  const value = valueAt(root, path);
  const kinds = schemasAt(schema, path, root).flatMap((each) => kindsOf(each, value));
  return [...new Set(kinds.flatMap((kind) => (kind instanceof z.ZodObject ? Object.keys(kind.shape) : [])))];
}

/** What a schema says of itself or of what it wraps, such as `examples`; undefined where neither does. */
export function metaOf(schema: unknown, name: string): unknown {
  for (let each = schema; each instanceof z.ZodType; each = unwrapped(each)) {
    const value = own(each.meta() ?? {}, name);
    if (value !== undefined) return value;
  }
  return undefined;
}

export function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const step of path) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
  }
  return value;
}

function keysBelow(schema: unknown, path: string): readonly string[] {
  return kindsOf(schema, undefined).flatMap((kind) => {
    if (kind instanceof z.ZodArray) return keysBelow(kind.element, `${path}[]`);
    if (!(kind instanceof z.ZodObject)) return [];
    return Object.entries(kind.shape).flatMap(([key, value]) => {
      const full = path === '' ? key : `${path}.${key}`;
      return [full, ...keysBelow(value, full)];
    });
  });
}

/** Without what wraps a schema, and of a union its branches. */
function kindsOf(schema: unknown, value: unknown): readonly unknown[] {
  const inner = unwrapped(schema);
  if (inner !== undefined) return kindsOf(inner, value);
  if (!(schema instanceof z.ZodUnion)) return [schema];
  const named = schema instanceof z.ZodDiscriminatedUnion ? schema.options.filter(isNamed(schema, value)) : [];
  return (named.length > 0 ? named : schema.options).flatMap((option: unknown) => kindsOf(option, value));
}

/** Whether a section names this kind of several. */
function isNamed({ def }: z.ZodDiscriminatedUnion, value: unknown): (kind: unknown) => boolean {
  const word = valueAt(value, [def.discriminator]);
  return (kind) => kind instanceof z.ZodObject && z.safeParse(kind.shape[def.discriminator], word).success;
}

function unwrapped(schema: unknown): unknown {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodLazy
  ) {
    return schema.unwrap();
  }
  return schema instanceof z.ZodPipe ? schema.in : undefined;
}

function inside(kind: unknown, step: PropertyKey): readonly unknown[] {
  if (kind instanceof z.ZodObject) return [own(kind.shape, String(step))].filter((type) => type !== undefined);
  if (kind instanceof z.ZodArray) return [kind.element];
  return kind instanceof z.ZodRecord ? [kind.valueType] : [];
}
