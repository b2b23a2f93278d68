import { z } from 'zod';
import { messageOf } from '../../base/errors.ts';
import { PATH_NAME, PATH_NAME_RULE } from '../../base/paths.ts';
import { splitWords } from '../../base/shell-words.ts';
import { closest, shortened } from '../../base/text.ts';
import { BYTES, parseBytes } from '../../base/units.ts';
import { field } from '../../base/yaml/yaml-fields.ts';
import { PLACEHOLDER_NAMES, PLACEHOLDERS, unknownPlaceholders } from './template.ts';
import { compileError, groupCount } from './user-pattern.ts';

// What kinds of workloads have in common: the values that their keys may have.

export const nameSchema = z
  .string()
  .regex(PATH_NAME, PATH_NAME_RULE)
  .refine((name) => name !== 'graph500' && name !== 'graphalytics', {
    message: "'graph500' and 'graphalytics' are built-in workloads: choose another name",
  });

export const patternSchema = z
  .string()
  .min(1)
  .superRefine((text, context) => {
    const message = compileError(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });

/** A number or truth value stands for its text; lists and sections are errors. */
const textSchema = z.union([z.string(), z.number(), z.boolean()]).transform(String);

function checkPlaceholders(text: string, context: z.RefinementCtx): void {
  const message = unknownMessage(text);
  if (message !== null) context.addIssue({ code: 'custom', message });
}

export const argumentSchema = textSchema.superRefine(checkPlaceholders);

function unknownMessage(text: string): string | null {
  const [unknown] = unknownPlaceholders(text);
  if (unknown === undefined) return null;
  const guess = closest(unknown, PLACEHOLDER_NAMES);
  const help = guess === undefined ? `use ${PLACEHOLDERS}, or` : `did you mean {${guess}}? Else`;
  return `unknown placeholder {${shortened(unknown)}}: ${help} double the braces for the text itself`;
}

/** Program and arguments: a list, or a line that is split as a shell splits it. */
export const commandLineSchema = z.union([
  z.array(argumentSchema).min(1),
  field(z.string(), splitWords).pipe(z.array(z.string().superRefine(checkPlaceholders))),
]);

export const placeholdersHelp = `may hold ${PLACEHOLDERS}`;
export const ranksHelp =
  'rank counts that it can run with: any, power-of-two, square, cube, two-squares (2 q²), {multipleOf: 12}, or a list';

/** A pattern with one group: the number. */
export const numberPatternSchema = patternSchema.refine(
  (text) => compileError(text) !== null || groupCount(text) === 1,
  {
    message: 'the pattern needs exactly one group (...) around the number',
  },
);

export const folderSchema = z.string().startsWith('/', 'give an absolute path');

/** Keys of a properties file of the harness; values are taken as they are and may hold placeholders. */
export const propertiesSchema = z
  .record(z.string().regex(/^[\w.-]+$/, 'a key has letters, digits, dots, dashes and underscores'), argumentSchema)
  .optional()
  .describe('keys of this file');

/** Such as 4096B; a campaign keeps the number. */
export const bytesSchema = z
  .union([z.number().positive(), z.string().meta({ pattern: BYTES.source })])
  .transform((value, context): number => {
    try {
      return typeof value === 'number' ? value : parseBytes(value);
    } catch (error) {
      context.addIssue({ code: 'custom', message: messageOf(error) });
      return z.NEVER;
    }
  });

export const shellSchema = textSchema.superRefine((text, context) => {
  const message =
    text.trim() === '' ? 'there is nothing to run' : unknownMessage(text.replace(/\{\{?host\.\d+\}\}?/g, ''));
  if (message !== null) context.addIssue({ code: 'custom', message });
});

/** What is said of recorded calls makes sense where they are recorded. */
export function needsRecorder(
  {
    trace,
    part,
    time,
  }: { readonly trace?: unknown; readonly part?: unknown; readonly time?: { readonly of?: unknown } | undefined },
  context: z.RefinementCtx,
): void {
  if (trace !== undefined) return;
  const message = 'it counts recorded calls of MPI: add trace: mpi';
  if (part !== undefined) context.addIssue({ code: 'custom', path: ['part'], message });
  if (typeof time?.of === 'object') context.addIssue({ code: 'custom', path: ['time', 'of'], message });
}
