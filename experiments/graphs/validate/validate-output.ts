import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { badInput, messageOf } from '../../../base/errors.ts';
import type { Algorithm } from '../benchmark-terms.ts';
import { IdTable } from '../id-table.ts';
import { idText } from '../text/line-writer.ts';
import { type Malformed, readValues, type ValueRow } from './read-values.ts';
import { LabelColumn, RealColumn, type ValueColumn, WholeColumn } from './value-columns.ts';

/** How outputs are compared (facts of the benchmark's own validator). */
const RULE = { bfs: 'exact', cdlp: 'exact', wcc: 'partition', pr: 'close', lcc: 'close', sssp: 'close' } as const;

/** Of each kind as many are shown. */
const SHOWN = 10;

interface Mismatch {
  readonly vertex: string;
  readonly expected: string;
  readonly actual: string;
}

export interface OutputValidation {
  readonly ok: boolean;
  readonly algorithm: Algorithm;
  readonly rule: (typeof RULE)[Algorithm];
  /** Vertices that output and reference have both. */
  readonly compared: number;
  readonly mismatchCount: number;
  readonly mismatches: readonly Mismatch[];
  /** Vertices of the reference without a value. */
  readonly missing: number;
  readonly firstMissing: readonly string[];
  /** Vertices that the reference does not have. */
  readonly unexpected: number;
  readonly firstUnexpected: readonly string[];
  /** Lines beyond the first of a vertex. */
  readonly repeated: number;
  readonly firstRepeated: readonly string[];
  /** Lines that are no `vertex value`. */
  readonly malformed: number;
  readonly firstMalformed: readonly Malformed[];
}

/**
 * Holds an output (a file, or a folder whose files are its parts) against a reference output by the benchmark's rules: BFS and CDLP
 * exactly, WCC as the same partition, PR, LCC and SSSP within 0.01 % of the expected value, infinity only for infinity. Reads the output
 * line by line and holds some 40 bytes per vertex of the reference. Errors: badInput for what cannot be read, and for a reference that
 * is none.
 *
 * @example
 * const { ok, mismatches } = await validateOutput('out/', 'graphs/web/web-PR', 'pr');
 */
export async function validateOutput(
  outputPath: string,
  referencePath: string,
  algorithm: Algorithm,
): Promise<OutputValidation> {
  const files = partsOf(outputPath);
  const rule = RULE[algorithm];
  const kind = rule === 'close' ? 'real' : 'whole';
  const expected = rule === 'close' ? new RealColumn() : rule === 'exact' ? new WholeColumn() : new LabelColumn();
  const ids = new IdTable();
  await readValues(referencePath, kind, {
    value: (row) => {
      const before = ids.size;
      ids.add(row.vertexHi, row.vertexLo);
      if (ids.size === before)
        throw badInput(`${referencePath} line ${row.line}: vertex ${vertexText(row)} already has a value.`);
      expected.push(row);
    },
    malformed: ({ line, text }) => {
      throw badInput(
        `${referencePath} line ${line}: '${text}' is not a value of ${algorithm}: a line of a reference is 'vertex value'.`,
      );
    },
  });
  if (ids.size === 0) throw badInput(`${referencePath} has no values, so it is not a reference output.`);
  const comparison = new Comparison(ids, expected);
  for (const file of files) {
    await readValues(file, kind, {
      value: (row) => comparison.take(row),
      malformed: (line) => comparison.malformed.add(() => line),
    });
  }
  return comparison.result(algorithm);
}

/** All files of an output, by their paths. */
function partsOf(path: string): readonly string[] {
  try {
    const found = lstatSync(path);
    if (!found.isDirectory()) return [path];
    return readdirSync(path)
      .sort()
      .flatMap((name) => partsOf(join(path, name)));
  } catch (error) {
    throw badInput(`${path} cannot be read (${messageOf(error)}).`, error);
  }
}

function vertexText({ vertexHi, vertexLo }: ValueRow): string {
  return idText(vertexHi, vertexLo);
}

/** Counts all, keeps the first. */
class Cases<T> {
  count = 0;
  readonly first: T[] = [];

  add(one: () => T): void {
    this.count += 1;
    if (this.first.length < SHOWN) this.first.push(one());
  }
}

class Comparison {
  readonly #ids: IdTable;
  readonly #expected: ValueColumn;
  readonly #seen: Uint8Array;
  readonly malformed = new Cases<Malformed>();
  readonly #mismatches = new Cases<Mismatch>();
  readonly #unexpected = new Cases<string>();
  readonly #repeated = new Cases<string>();
  #compared = 0;
  #last = -1;

  constructor(ids: IdTable, expected: ValueColumn) {
    this.#ids = ids;
    this.#expected = expected;
    this.#seen = new Uint8Array(ids.size);
  }

  take(row: ValueRow): void {
    const index = this.#indexOf(row);
    if (index < 0) {
      this.#unexpected.add(() => vertexText(row));
      return;
    }
    this.#last = index;
    if (this.#seen[index] !== 0) {
      this.#repeated.add(() => vertexText(row));
      return;
    }
    this.#seen[index] = 1;
    this.#compared += 1;
    const expected = this.#expected.differs(index, row);
    if (expected !== null) this.#mismatches.add(() => ({ vertex: vertexText(row), expected, actual: row.text }));
  }

  result(algorithm: Algorithm): OutputValidation {
    const missing = new Cases<string>();
    for (let index = 0; index < this.#ids.size; index += 1) {
      if (this.#seen[index] === 0) missing.add(() => this.#ids.text(index));
    }
    if (this.#expected instanceof LabelColumn) this.#comparePartitions(this.#expected);
    const [mismatches, unexpected, repeated, malformed] = [
      this.#mismatches,
      this.#unexpected,
      this.#repeated,
      this.malformed,
    ];
    return {
      ok: [mismatches, missing, unexpected, repeated, malformed].every(({ count }) => count === 0),
      algorithm,
      rule: RULE[algorithm],
      compared: this.#compared,
      mismatchCount: mismatches.count,
      mismatches: mismatches.first,
      missing: missing.count,
      firstMissing: missing.first,
      unexpected: unexpected.count,
      firstUnexpected: unexpected.first,
      repeated: repeated.count,
      firstRepeated: repeated.first,
      malformed: malformed.count,
      firstMalformed: malformed.first,
    };
  }

  #comparePartitions(labels: LabelColumn): void {
    const vertices = new Uint32Array(this.#compared);
    let count = 0;
    for (let index = 0; index < this.#ids.size; index += 1) {
      if (this.#seen[index] === 0) continue;
      vertices[count] = index;
      count += 1;
    }
    for (const { index, expected, actual } of labels.differences(vertices)) {
      this.#mismatches.add(() => ({ vertex: this.#ids.text(index), expected: expected(), actual: actual() }));
    }
  }

  /** Outputs are mostly in the order of the reference. */
  #indexOf({ vertexHi, vertexLo }: ValueRow): number {
    const next = this.#last + 1;
    const isNext = next < this.#ids.size && this.#ids.lo(next) === vertexLo && this.#ids.hi(next) === vertexHi;
    return isNext ? next : this.#ids.find(vertexHi, vertexLo);
  }
}
