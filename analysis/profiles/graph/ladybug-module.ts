/** What is used of Ladybug's package. https://docs.ladybugdb.com/client-apis/nodejs */
export interface LadybugModule {
  readonly default: {
    readonly Database: new (path: string, bufferBytes: number, compress: boolean, readOnly: boolean) => Closed;
    readonly Connection: new (
      database: Closed,
    ) => Closed & { query(statement: string): Promise<LadybugResult | LadybugResult[]> };
  };
}

interface Closed {
  close(): Promise<void>;
}

interface LadybugResult {
  getColumnNames(): Promise<string[]>;
  hasNext(): boolean;
  getNext(): Promise<Readonly<Record<string, unknown>>>;
}

/** The package that holds all of Ladybug for this kind of machine, without a script that runs when it is installed. */
export function ladybugPackage(): string {
  return `@ladybugdb/core-${process.platform}-${process.arch}`;
}

/** A value of a result as JSON has it: whole numbers beyond 2^53 as text, no internal ids. */
export function plainValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plainValue);
  const entries: [string, unknown][] = value instanceof Map ? [...value] : Object.entries(value);
  const inner = new Set(['_id', '_src', '_dst']);
  return Object.fromEntries(
    entries.filter(([name]) => !inner.has(name)).map(([name, part]) => [name, plainValue(part)]),
  );
}
