import { parseArgs } from 'node:util';
import { badInput, EXIT, messageOf, PredictError } from '../../base/errors.ts';
import { joinWords, printable } from '../../base/text.ts';
import type { DagFlags } from '../../orchestrator/cli/dag/dag-flags.ts';
import type { PathFlags } from '../../orchestrator/cli/path/path-flags.ts';
import { findCaseFile } from './case-file.ts';

type Print = (path: string, flags: DagFlags & PathFlags) => Promise<void>;

/** Each loads what it needs. */
const METHODS: Readonly<Record<string, () => Promise<Print>>> = {
  grade10: async () => (await import('./grade10/print-grade10-case.ts')).printGrade10Case,
  'critical-path': async () => (await import('./path/print-path-case.ts')).printPathCase,
  dag: async () => (await import('./dag/print-dag-case.ts')).printDagCase,
  profiles: async () => (await import('./profiles/print-profile-case.ts')).printProfileCase,
};

const TEXT = { type: 'string' } as const;
const OPTIONS = {
  alpha: TEXT,
  beta: TEXT,
  saturation: TEXT,
  model: TEXT,
  format: TEXT,
  slice: TEXT,
  'wait-from': TEXT,
  skew: { type: 'string', multiple: true },
  json: { type: 'boolean' },
} as const;

/** Prints what the program says of a case. Returns the exit code; what is wrong is a line of JSON on stderr. */
export async function printCase(words: readonly string[]): Promise<number> {
  try {
    await print(words);
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof PredictError)) throw error;
    const { kind, exitCode, message } = error;
    // As the command says it with --json.
    process.stderr.write(`${printable(JSON.stringify({ schema: 1, error: { kind, exitCode, message } }))}\n`);
    return exitCode;
  }
}

async function print(words: readonly string[]): Promise<void> {
  const { positionals, values } = parsed(words);
  const [method = '', path, ...more] = positionals;
  const load = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (load === undefined || path === undefined || more.length > 0) {
    throw badInput(`Name a method (${joinWords(Object.keys(METHODS))}) and a case: its folder, or its file.`);
  }
  const { 'wait-from': waitFrom, ...flags } = values;
  const printMethod = await load();
  await printMethod(findCaseFile(path), { ...flags, waitFrom });
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw badInput(`${messageOf(error)}.`, error);
  }
}
