import { badInput } from '../../base/index.ts';
import { parseGraph500 } from '../parse-graph500.ts';
import { admits } from './rank-rule.ts';
import { parseRootsCsv } from './roots-csv.ts';
import type { Graph500Definition } from './schema.ts';
import { failedRun, type RunOutput, type RunResult, type Workload } from './workload.ts';

/** Our own Graph500: prints what the 3.0 reference prints and leaves full-precision times in a file. */
export function graph500Workload(definition: Graph500Definition): Workload {
  return {
    definition,
    ranks: 'square',
    admissible: (ranks) => admits('square', ranks),
    invocation: (cell, { binaries, outputFolder, graphCache, seed }) => {
      const phases = `${outputFolder}/phases.csv`;
      const roots = `${outputFolder}/roots.csv`;
      const numbers = ['--scale', String(cell.scale), '--roots', String(cell.roots), '--seed', String(seed)];
      const files = ['--phases', phases, '--roots-out', roots];
      const cache = graphCache === undefined ? [] : ['--graph-cache', graphCache];
      const { validate } = definition;
      const checks = validate === undefined ? [] : ['--validate', String(validate)];
      return { argv: [binaries.graph500, ...numbers, ...files, ...cache, ...checks], fetch: { roots, phases } };
    },
    parse: parseGraph500Run,
  };
}

/** Shared with external Graph500 programs: without a roots file the times come from the printed lines. */
export function parseGraph500Run(output: RunOutput): RunResult {
  const { exitCode, stdout, stderr, rootsCsv } = output;
  const result = parseGraph500([stdout, stderr], { exitCode });
  if (!result.valid) return failedRun(result.reason, output);
  if (rootsCsv === undefined) return { ok: true, summary: result.fields, roots: result.roots };
  try {
    const roots = parseRootsCsv(rootsCsv);
    if (roots.length !== result.roots.length) {
      throw badInput(`The roots file has ${roots.length} rows, the output ${result.roots.length} searches.`);
    }
    return { ok: true, summary: result.fields, roots };
  } catch (error) {
    return failedRun(error instanceof Error ? error.message : String(error), output);
  }
}
