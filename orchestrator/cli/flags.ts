import { RANGES } from '../../base/bounds.ts';
import { badInput } from '../../base/errors.ts';
import { parseRange } from '../../base/ranges.ts';
import { shortened } from '../../base/text.ts';
import type { Target } from '../../modeling/rows.ts';

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

/** Flags that mean nothing beside the others. Errors: badInput with the first that is given, and `why`: what it is for, and what to do. */
export function refuseFlags<Name extends string>(
  flags: { readonly [Key in Name]?: unknown },
  names: readonly Name[],
  why: string,
): void {
  const found = names.find((name) => flags[name] !== undefined);
  if (found !== undefined) throw badInput(`${spelled(found)} ${why}`);
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

/**
 * `nodes=100,bw=20,scale=28`: the cell whose projection is to be known better; bw is 100 where it is left out, the scale the only one of
 * `scales`.
 */
export function parseTarget(text: string, scales: readonly number[]): Target {
  const given = new Map<string, string>();
  for (const part of text.split(',')) {
    const [name = '', value = ''] = part.split('=').map((piece) => piece.trim());
    if (!['nodes', 'bw', 'scale'].includes(name)) {
      throw badInput(`--target: '${shortened(name)}' is not one of nodes, bw and scale.`);
    }
    if (given.has(name)) throw badInput(`--target: '${shortened(text)}' has ${name} twice: keep one.`);
    given.set(name, value);
  }
  const one = (name: string, fallback: string | undefined, bounds: Parameters<typeof parseRange>[1]): number => {
    const value = given.get(name) ?? fallback;
    const [first, ...more] = value === undefined ? [] : parseRange(value, bounds);
    if (first !== undefined && more.length === 0) return first;
    throw badInput(`--target: '${shortened(text)}' has no single ${name}: write nodes=100,bw=100,scale=28.`);
  };
  return {
    nodes: one('nodes', undefined, { what: '--target: nodes', ...RANGES['--nodes'] }),
    bw: one('bw', '100', { what: '--target: bw', ...RANGES['--bw'], integer: false }),
    scale: one('scale', scales.length === 1 ? scales.join() : undefined, {
      what: '--target: scale',
      ...RANGES['--scale'],
    }),
  };
}
export interface ImportFlags
  extends Optional<'format' | 'metric' | 'callpath' | 'map' | 'out' | 'into' | 'benchmark' | 'run' | 'time'>,
    Optional<'value' | 'strip'>,
    Switches {
  readonly properties?: readonly string[];
}
