import { stat } from 'node:fs/promises';
import { badInput, messageOf } from '../../../base/errors.ts';
import type { Problem } from '../../problems.ts';
import type { ProfileFormat } from '../formats/profile-format.ts';
import { readProfile } from '../formats/read-profile.ts';
import type { NormaliseFrame } from '../formats/strip-names.ts';
import type { StoredFacts, StoredProfile } from '../tree/call-profile.ts';
import { NameTable, totalOf } from '../tree/call-tree.ts';
import { addToStore } from './write-store.ts';

interface ImportChoice {
  readonly benchmark: string;
  readonly testRun: string;
  /** When the run was; null: what the file says, else when it was changed last. */
  readonly timeNs: bigint | null;
  readonly metricMean: number | null;
  readonly normalise: NormaliseFrame | null;
  /** Of the files; undefined: whichever each is in. */
  readonly format?: ProfileFormat | undefined;
  /** Which of several values or events of a recording. */
  readonly value?: string | undefined;
}

/** A profile that was added, and what of its file could not be used. */
interface ImportedProfile extends StoredFacts {
  readonly nodes: number;
  readonly total: number;
  readonly problems: readonly Problem[];
}

/**
 * Adds the profiles of files to a store, as one run of a benchmark: `benchmark/testRun`, of several `benchmark/testRun/1` and on. All are added, or
 * none. Errors: badInput names the file and the line.
 */
export async function importProfiles(
  store: string,
  files: readonly string[],
  choice: ImportChoice,
): Promise<readonly ImportedProfile[]> {
  const names = new NameTable();
  const imported: ImportedProfile[] = [];
  await addToStore(store, names, profiles());
  return imported;

  async function* profiles(): AsyncGenerator<StoredProfile> {
    for (const file of files) {
      const { tree, modes, startedAtNs, durationNs, problems, ...rest } = await readProfile(file, { ...choice, names });
      const { benchmark, testRun, metricMean } = choice;
      const key = `${benchmark}/${testRun}${files.length === 1 ? '' : `/${imported.length + 1}`}`;
      const timeNs = choice.timeNs ?? startedAtNs ?? (await changedAt(file));
      const facts = { key, benchmark, testRun, timeNs, metricMean, source: file, ...rest };
      imported.push({ ...facts, nodes: tree.name.length, total: totalOf(tree), problems });
      yield { ...facts, tree, modes };
    }
  }
}

async function changedAt(file: string): Promise<bigint> {
  try {
    return (await stat(file, { bigint: true })).mtimeNs;
  } catch (error) {
    throw badInput(
      `--time: ${file} does not say when it was recorded (${messageOf(error)}): give the time of the run.`,
      error,
    );
  }
}
