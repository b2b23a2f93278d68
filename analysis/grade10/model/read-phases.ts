import { badInput } from '../../../base/errors.ts';
import type { PhaseColumns } from './phase-columns.ts';
import { keyProblem, type PhaseTypes, parentPath, stepOf, typePath } from './phase-types.ts';

/** A phase by its path, in ns since any origin. */
interface ListedPhase {
  readonly path: string;
  readonly start_ns: number;
  readonly end_ns: number;
}

/** The row of each path. Errors: badInput for a path listed twice. */
export function rowsByPath(phases: readonly Pick<ListedPhase, 'path'>[]): ReadonlyMap<string, number> {
  const rows = new Map<string, number>();
  for (const [row, { path }] of phases.entries()) {
    if (rows.has(path)) throw badInput(`The phase ${path} is listed twice: remove one or give them different ids.`);
    rows.set(path, row);
  }
  return rows;
}

/**
 * Listed phases as columns: their types and parents by path. Errors: badInput for paths that no type matches, wrong keys and
 * missing parents.
 */
export function readPhases(
  phases: readonly ListedPhase[],
  { rows, types }: { readonly rows: ReadonlyMap<string, number>; readonly types: PhaseTypes },
): PhaseColumns {
  const [type, parent] = [new Uint32Array(phases.length), new Int32Array(phases.length)];
  const id: string[] = [];
  for (const [row, { path }] of phases.entries()) {
    const own = path.startsWith('/') ? types.indexOf.get(typePath(path)) : undefined;
    if (own === undefined) {
      throw badInput(
        `The phase ${path} has no type in the execution model: add ${typePath(path)} or correct the path.`,
      );
    }
    const above = parentPath(path);
    const step = above === null ? undefined : stepOf(path);
    const repeats = types.repeats[own] !== 'none';
    const problem =
      step === null ? 'it is not a name or name[key=id]' : step && keyProblem(step, { repeats, key: types.keys[own] });
    if (problem) throw badInput(`The path of the phase ${path} is wrong: ${problem}.`);
    const aboveRow = above === null ? -1 : rows.get(above);
    if (aboveRow === undefined)
      throw badInput(`The phase ${path} has no parent: list ${above} with its start and end.`);
    type[row] = own;
    parent[row] = aboveRow;
    id.push(step?.id ?? '');
  }
  return {
    type,
    parent,
    id,
    startNs: Float64Array.from(phases, ({ start_ns }) => start_ns),
    endNs: Float64Array.from(phases, ({ end_ns }) => end_ns),
  };
}
