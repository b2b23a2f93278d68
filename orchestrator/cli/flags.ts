/** Flags that may be left out. */
export type Optional<Names extends string> = { readonly [Name in Names]?: string };

/** What a flag says; undefined without it. */
export function given<T>(text: string | undefined, parse: (text: string) => T): T | undefined {
  return text === undefined ? undefined : parse(text);
}
