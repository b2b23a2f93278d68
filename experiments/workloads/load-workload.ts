import { readFile } from 'node:fs/promises';
import { badInput, messageOf } from '../../base/errors.ts';
import { closest } from '../../base/text.ts';
import { parseYaml } from '../../base/yaml/parse-yaml.ts';
import { workloadOf } from './adapters.ts';
import { loadGraphalytics } from './load-graphalytics.ts';
import type { Workload } from './workload.ts';
import { workloadSchema } from './workload-schema.ts';

/** Workloads that have a name in place of a file. */
export const BUNDLED: readonly string[] = ['graph500', 'graphalytics'];

interface LoadOptions {
  readonly graphs?: readonly string[] | undefined;
  readonly algorithms?: readonly string[] | undefined;
  readonly validate?: number | undefined;
}

/**
 * `graph500` and `graphalytics` (with their options), or the path of a YAML file. Errors are `badInput` naming the file, the line and the key.
 */
export async function loadWorkload(
  nameOrFile: string,
  { graphs, algorithms, ...options }: LoadOptions = {},
): Promise<Workload> {
  if (nameOrFile === 'graphalytics') {
    if (graphs !== undefined) return await loadGraphalytics({ graphs, algorithms });
    throw badInput('graphalytics runs on datasets: name their folders with --graphs, such as --graphs graphs/web.');
  }
  if (graphs !== undefined || algorithms !== undefined) {
    throw badInput(`--graphs and --algorithms belong to --workload graphalytics, not to ${nameOrFile}.`);
  }
  if (nameOrFile === 'graph500') return workloadOf({ kind: 'graph500', name: 'graph500', ...options });
  const text = await readFile(nameOrFile, 'utf8').catch((error: unknown) => {
    const guess = closest(nameOrFile, BUNDLED);
    const meant = guess === undefined ? '' : `did you mean '${guess}'? Else `;
    const help = `${meant}write 'graph500', 'graphalytics' or the path of a workload's YAML file`;
    throw badInput(`workload '${nameOrFile}' cannot be read (${messageOf(error)}): ${help}.`, error);
  });
  return parseWorkload(text, nameOrFile);
}

/** A workload's YAML; `path` names it in messages. */
export function parseWorkload(text: string, path: string): Workload {
  return workloadOf(parseYaml(text, { path, schema: workloadSchema, verbatim: [['command'], ['args']] }));
}
