import { badInput } from '../../base/errors.ts';

/** Flags that may be left out. */
export type Optional<Names extends string> = { readonly [Name in Names]?: string | undefined };

/** Switches, `--json` among them. */
export type Switches<Names extends string = never> = { readonly [Name in Names | 'json']?: boolean | undefined };

/** What a command is given: flags that always have a value, flags that may be left out, and switches. */
export type Flags<Always extends string, May extends string = never, On extends string = never> = {
  readonly [Name in Always]: string;
} & Optional<May> &
  Switches<On>;

/** How a flag is written on the command line. */
export function spelled(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

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
