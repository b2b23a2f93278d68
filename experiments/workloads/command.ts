import type { TimedRun } from '../records.ts';
import { traceProblem } from '../trace.ts';
import type { CommandDefinition } from './schema.ts';
import { fillTemplate } from './template.ts';
import { describeEnd, failedRun, ofUsers, type RunOutput, type RunResult, type Workload } from './workload.ts';

const SECONDS = { s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 } as const;

/** Any program: its times are what a pattern finds in its output. */
export function commandWorkload(definition: CommandDefinition): Workload {
  const { phases = '', messages = '' } = definition.outputs ?? {};
  return {
    ...ofUsers(definition, [...definition.command, phases, messages]),
    wholeRun: true,
    noun: 'run',
    callpath: definition.name,
    edgeFactor: null,
    invocation: (cell, { outputFolder, seed, hosts }) => {
      const fill = (text: string): string => fillTemplate(text, { cell, seed, outputFolder, hosts });
      const named = Object.entries(definition.outputs ?? {});
      const outputs = named.flatMap(([name, path]) => (path === undefined ? [] : [[name, fill(path)]]));
      return { argv: definition.command.map(fill), outputs: Object.fromEntries(outputs) };
    },
    parse: (output) => parseCommandRun(definition, output),
  };
}

function parseCommandRun({ time, failure, success }: CommandDefinition, output: RunOutput): RunResult {
  const text = `${output.stdout}\n${output.stderr}`.replaceAll('\r\n', '\n');
  for (const pattern of failure) {
    const found = new RegExp(pattern, 'm').exec(text);
    if (found) return failedRun(`The output shows a failure: '${found[0].slice(0, 200)}'.`, output);
  }
  if (output.exitCode !== 0) return failedRun(`The command ended with ${describeEnd(output)}`, output);
  if (success !== undefined && !new RegExp(success, 'm').test(text)) {
    return failedRun(`The output lacks the sign of success /${success}/.`, output);
  }
  if (output.isWhole === false) {
    return failedRun('The output is too long to find every time in it: let the program print less.', output);
  }
  const runs: TimedRun[] = [];
  for (const match of text.matchAll(new RegExp(time.pattern, 'gm'))) {
    const ct = Number(match[1]) * SECONDS[time.unit];
    if (!(ct > 0) || !Number.isFinite(ct)) {
      return failedRun(`The time '${match[1] ?? ''}' in '${match[0].slice(0, 200)}' is not a positive number.`, output);
    }
    runs.push({ index: runs.length, ct, teps: null, nedge: null, validateS: null });
  }
  if (runs.length === 0) return failedRun(`No time was found: nothing matches /${time.pattern}/.`, output);
  const problem = traceProblem(output.files ?? {});
  if (problem !== null) return failedRun(problem, output);
  return { ok: true, summary: { runs: runs.length }, runs };
}
