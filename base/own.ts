/** What a record has under a name from outside; undefined for `constructor` and whatever else all objects inherit. */
export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
