import { own } from '../../base/lists.ts';
import type { PlatformFile } from './platform-schema.ts';

type Names = NonNullable<NonNullable<PlatformFile['measured']>['trace']>;

/**
 * The phase type of a name in a trace: by the name itself, else by the longest `BEGINNING*`. Null where the model leaves it
 * out, undefined where it does not know it.
 */
export function tracedType(names: Names, name: string): string | null | undefined {
  const exact = own(names, name);
  if (exact !== undefined) return exact;
  const fitting = Object.keys(names).filter((key) => key.endsWith('*') && name.startsWith(key.slice(0, -1)));
  const longest = fitting.reduce((best, key) => (key.length > best.length ? key : best), '');
  return longest === '' ? undefined : names[longest];
}
