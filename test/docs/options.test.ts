import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectRoot } from '../../base/paths.ts';
import { verbs } from './run-command.ts';

const read = (page: string): string => readFileSync(join(projectRoot(), page), 'utf8');
const VERBS = verbs();
/** Code within lines, also over a line's end. */
const codeOf = (text: string): string[] =>
  [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replace(/\s+/g, ' '));

/** What docs/commands.md says of each command: `[--option VALUE]`, in one or more places. */
const ENTRIES = codeOf(read('docs/commands.md')).flatMap((code) => {
  const words = code.replace(/^(?:\.\/)?predict /, '');
  const verb = VERBS.filter(({ name }) => words === name || words.startsWith(`${name} `)).sort(
    (a, b) => b.name.length - a.name.length,
  )[0];
  return verb === undefined
    ? []
    : [{ ...verb, isCommand: words !== code || verb.name.includes(' '), code: words.slice(verb.name.length) }];
});

const optionsIn = (code: string): string[] => [...code.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag);

test('docs/commands.md has every command', () => {
  // A word alone may be a field of a result.
  const named = new Set(ENTRIES.filter(({ isCommand }) => isCommand).map(({ name }) => name));
  expect(VERBS.map(({ name }) => name).filter((name) => !named.has(name))).toEqual([]);
});

describe('docs/commands.md', () => {
  test.each(VERBS.map(({ name, command }) => [name, command] as const))(
    'of %s has options that are there, with the same defaults',
    (name, command) => {
      const wrong: string[] = [];
      for (const { code } of ENTRIES.filter((entry) => entry.name === name)) {
        for (const flag of optionsIn(code)) {
          const option = command.options.find(({ long }) => long === flag);
          if (option === undefined) wrong.push(`${flag} is no option`);
          const shown = new RegExp(`\\[${flag} \\[?([\\d.]+%?)\\]?\\]`).exec(code)?.[1];
          const fallback = option?.defaultValue ?? /\(([\d.]+)\)/.exec(option?.description ?? '')?.[1];
          if (shown !== undefined && shown !== fallback) wrong.push(`${flag} is ${fallback} by default, not ${shown}`);
          const choices = new RegExp(`${flag} ([a-z0-9-]+(?:\\|[a-z0-9-]+)+)`).exec(code)?.[1]?.split('|') ?? [];
          const said = `${option?.flags} ${option?.description} ${option?.argChoices?.join(' ')}`;
          for (const choice of choices) if (!said.includes(choice)) wrong.push(`${flag} ${choice} is not in --help`);
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  test.each(VERBS.map(({ name, command }) => [name, command] as const))(
    'or --help has each option of %s, in words',
    (_, command) => {
      const wordless = command.options.filter(({ description }) => description.trim() === '').map(({ flags }) => flags);
      const nameless = command.registeredArguments
        .filter(({ description }) => description === '')
        .map((each) => each.name());
      expect([...wordless, ...nameless]).toEqual([]);
    },
  );
});

/** Options of sbatch and srun. */
const OF_SLURM = ['--distribution', '--exclusive', '--overlap', '--signal', '--unbuffered'];

test('every option that a page names is one of some command', () => {
  const known = new Set(VERBS.flatMap(({ command }) => command.options.map(({ long }) => long)));
  for (const flag of ['--help', '--version', '--verbose']) known.add(flag);
  for (const flag of OF_SLURM) known.add(flag);
  const pages = ['README.md', ...readdirSync(join(projectRoot(), 'docs')).map((name) => `docs/${name}`)];
  const lost = pages
    .filter((page) => page.endsWith('.md'))
    .flatMap((page) => codeOf(read(page)).map((code) => ({ page, code })))
    .filter(({ code }) => /^(?:predict |--)/.test(code))
    .flatMap(({ page, code }) => optionsIn(code).map((flag) => ({ page, flag })))
    .filter(({ flag }) => !known.has(flag));
  expect(lost).toEqual([]);
});
