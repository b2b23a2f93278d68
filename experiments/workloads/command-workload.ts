import { posix } from 'node:path';
import { PredictError } from '../../base/errors.ts';
import { groupBy } from '../../base/lists.ts';
import type { TimedRun } from '../records.ts';
import { traceProblem } from '../trace.ts';
import { fillTemplate } from './template.ts';
import { findAll, findFirst } from './user-pattern.ts';
import {
  describeEnd,
  failedRun,
  ofUsers,
  otherRanks,
  type RunOutput,
  type RunResult,
  type Workload,
} from './workload.ts';
import type { CommandDefinition } from './workload-schema.ts';

const SECONDS = { s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 } as const;

/** Any program: its times are what a pattern finds in its output. */
export function commandWorkload(definition: CommandDefinition): Workload {
  const { command, env = {}, folder } = definition;
  const outputs = Object.entries(definition.outputs ?? {});
  const of = definition.time?.of;
  const templates = [...command, ...Object.values(env), ...outputs.map(([, path]) => path ?? ''), folder ?? ''];
  return {
    ...ofUsers(definition, templates),
    wholeRun: true,
    ...(typeof of === 'object' ? { iterationCall: of.call } : {}),
    noun: 'run',
    callpath: () => definition.name,
    edgeFactor: null,
    invocation: (cell, { outputFolder, seed, hosts }) => {
      const fill = (text: string): string => fillTemplate(text, { cell, seed, outputFolder, hosts });
      const filled = Object.entries(env).map(([name, value]) => [name, fill(value)]);
      const place = folder === undefined ? '' : fill(folder);
      const named = outputs.flatMap(([name, path]) => {
        return path === undefined
          ? []
          : [[name, posix.isAbsolute(fill(path)) ? fill(path) : posix.join(place, fill(path))]];
      });
      return {
        argv: command.map(fill),
        outputs: Object.fromEntries(named),
        ...(filled.length === 0 ? {} : { env: Object.fromEntries(filled) }),
        ...(folder === undefined ? {} : { folder: fill(folder) }),
      };
    },
    parse: (output) => {
      try {
        return parseCommandRun(definition, output);
      } catch (error) {
        if (!(error instanceof PredictError)) throw error;
        return failedRun(error.message, output);
      }
    },
  };
}

function parseCommandRun(definition: CommandDefinition, output: RunOutput): RunResult {
  const { failure, success, processes } = definition;
  const { problem: missing } = output.files ?? {};
  const text = [output.stdout, output.stderr, output.files?.log ?? ''].join('\n').replaceAll('\r\n', '\n');
  for (const pattern of failure) {
    const found = findFirst(pattern, text);
    if (found) return failedRun(`The output shows a failure: '${found[0].slice(0, 200)}'.`, output);
  }
  if (output.exitCode !== 0) return failedRun(`The command ended with ${describeEnd(output)}`, output);
  if (missing !== undefined) return failedRun(missing, output);
  const said = processes === undefined ? null : findFirst(processes, text);
  const others = otherRanks(said === null ? null : Number(said[1]), output);
  if (others !== null) return others;
  if (success !== undefined && findFirst(success, text) === null) {
    return failedRun(`The output lacks the sign of success /${success}/.`, output);
  }
  if (output.isWhole === false) {
    return failedRun('The output is too long to find every time in it: let the program print less.', output);
  }
  const read = readTimes(definition, { text, ranks: output.ranks ?? 1 });
  if (typeof read === 'string') return failedRun(read, output);
  const problem = traceProblem(output.files ?? {});
  if (problem !== null) return failedRun(problem, output);
  const { times, rates, printedBy } = read;
  const runs = times.map((ct, index): TimedRun => ({ index, ct, teps: null, nedge: null, validateS: null }));
  const rate = rates.length === 0 ? {} : { rate: rates.reduce((sum, each) => sum + each, 0) / rates.length };
  const of = definition.time?.of;
  const iterations = typeof of === 'number' ? { timed_iterations: of * runs.length } : {};
  const ranks = printedBy === 1 ? {} : { printed_by_ranks: printedBy };
  return { ok: true, summary: { runs: runs.length, ...ranks, ...rate, ...iterations }, runs };
}

interface ReadTimes {
  /** Seconds. */
  readonly times: readonly number[];
  /** That they are of. */
  readonly rates: readonly number[];
  /** How many ranks printed each. */
  readonly printedBy: number;
}

/** Every time, and the rates that they are of; or the sentence about one that is none. */
function readTimes(
  { time, rate }: CommandDefinition,
  { text, ranks }: { readonly text: string; readonly ranks: number },
): string | ReadTimes {
  const [what, pattern] = time ? ['time', time.pattern] : ['rate', rate?.pattern ?? ''];
  const printed = findAll(pattern, text);
  const found = onceForAllRanks(printed, ranks);
  if (found.length === 0) return `No ${what} was found: nothing matches /${pattern}/.`;
  const numbers = found.map((match) => Number(match[1]));
  const times = numbers.map((number) => (time ? number * SECONDS[time.unit] : (rate?.work ?? 1) / number));
  const wrong = times.findIndex((ct) => !(ct > 0) || !Number.isFinite(ct));
  if (wrong < 0) return { times, rates: time ? [] : numbers, printedBy: printed.length / found.length };
  const [whole = '', number = ''] = found[wrong] ?? [];
  return `The ${what} '${number}' in '${whole.slice(0, 200)}' is not a positive number.`;
}

/**
 * What every rank prints is one time, however many ranks there are: where each number stands there as often as there are ranks, or several
 * times as often, each of them counts once.
 */
function onceForAllRanks(printed: readonly RegExpExecArray[], ranks: number): readonly RegExpExecArray[] {
  const alike = groupBy(printed, (match) => match[1] ?? '');
  if (!alike.every(({ length }) => length % ranks === 0)) return printed;
  const once = new Set(alike.flatMap((matches) => matches.filter((_, index) => index % ranks === 0)));
  return printed.filter((match) => once.has(match));
}
