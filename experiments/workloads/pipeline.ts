import type { TimedRun } from '../records.ts';
import { fillTemplate } from './template.ts';
import { describeEnd, failedRun, ofUsers, type RunOutput, type RunResult, type Workload } from './workload.ts';
import type { PipelineDefinition } from './workload-schema.ts';

// {{host.2}} is the text {host.2}.
const HOST = /\{\{(host\.\d+)\}\}|\{host\.(\d+)\}/g;

/**
 * A dataflow job: shell commands in the order of its data, one host's share of them on each host of a cell, watched while they run. A
 * cell is one run of the job, its time that of the whole job.
 */
export function pipelineWorkload(definition: PipelineDefinition): Workload {
  const { commands, periodS, hz, record } = definition;
  return {
    ...ofUsers({ ...definition, ranks: 'any' }, commands),
    definition,
    launch: 'watched',
    mostNodes: commands.length,
    usualRuns: 1,
    wholeRun: true,
    noun: 'run',
    callpath: () => definition.name,
    edgeFactor: null,
    invocation: (cell, { outputFolder, seed, hosts, addresses = hosts }) => {
      const placeOf = (command: number): number => Math.floor((command * hosts.length) / commands.length);
      const fill = (text: string): string => {
        const named = text.replace(HOST, (_, literal: string | undefined, number: string) =>
          literal === undefined ? (addresses[placeOf(Number(number) - 1)] ?? '') : `{${literal}}`,
        );
        return fillTemplate(named, { cell, seed, outputFolder, hosts });
      };
      const ofHosts = hosts.map((_, place) => sideBySide(commands.filter((_, at) => placeOf(at) === place).map(fill)));
      return { argv: [], outputs: {}, watch: { commands: ofHosts, periodS, hz, recordBytes: record } };
    },
    parse: parsePipelineRun,
  };
}

/** Several commands at once in one shell, which ends with the last of them and fails if one does. */
function sideBySide(commands: readonly string[]): string {
  const [only] = commands;
  if (commands.length < 2) return only ?? '';
  // The later ones may wait for connections of those before them.
  const started = [...commands].reverse().map((command, place) => `{ ${command}\n} & p${place}=$!`);
  const waits = commands.map((_, place) => `wait $p${place} || code=$?`);
  return [...started, 'code=0', ...waits, 'exit $code'].join('\n');
}

function parsePipelineRun(output: RunOutput): RunResult {
  const { watched, exitCode } = output;
  if (exitCode !== null && exitCode !== 0) return failedRun(`The job ended with ${describeEnd(output)}`, output);
  if (watched === undefined || watched.seconds === null) {
    return failedRun(watched?.problem ?? 'The job did not end by itself.', output);
  }
  const run: TimedRun = { index: 0, ct: watched.seconds, teps: null, nedge: null, validateS: null };
  return { ok: true, summary: { runs: 1 }, runs: [run] };
}
