import { badInput } from '../../base/index.ts';

/** Flags that may be left out. */
export type Optional<Names extends string> = { readonly [Name in Names]?: string };

/** What a flag says; undefined without it. */
export function given<T>(text: string | undefined, parse: (text: string) => T): T | undefined {
  return text === undefined ? undefined : parse(text);
}

/** Refuses two sources at once, and none. */
export function requireOneSource(dir: string | undefined, { data, program }: Optional<'data' | 'program'>): void {
  if ((dir === undefined) === (data === undefined)) {
    throw badInput('Name one source: a campaign folder, or --data FILE.csv.');
  }
  if (data !== undefined && program !== undefined) {
    throw badInput(
      '--program names one program of a campaign: leave it out with --data, which has rows of one program.',
    );
  }
}
