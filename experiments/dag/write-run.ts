import { closeSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { badInput, unwritable } from '../../base/errors.ts';
import { openToWriteSync } from '../store/regular.ts';
import { DAG_RUN_SCHEMA, type DagLine, type DagRun } from './dag-records.ts';

export const RUN_FILE = 'run.json';
export const PERIODS_FILE = 'periods.jsonl';

/** The folder of a run while it is watched. */
export interface DagRunWriter {
  /** Adds a line whole, before it returns. Errors: `unwritable`. */
  readonly append: (line: DagLine) => void;
  readonly close: () => void;
}

/**
 * Makes the folder of a run and writes how the job began. Errors: `badInput` where the folder holds a run already,
 * `unwritable` where it cannot be made.
 */
export function createDagRun(folder: string, run: Omit<DagRun, 'schema'>): DagRunWriter {
  const path = join(folder, PERIODS_FILE);
  const file = guarded(folder, () => {
    mkdirSync(folder, { recursive: true });
    writeNew(join(folder, RUN_FILE), `${JSON.stringify({ schema: DAG_RUN_SCHEMA, ...run }, null, 2)}\n`);
    return openToWriteSync(path, { append: true });
  });
  return {
    append: (line) => guarded(path, () => writeFileSync(file, `${JSON.stringify(line)}\n`)),
    close: () => closeSync(file),
  };
}

function writeNew(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw badInput(`${path} already exists: choose another folder for this run.`, error);
  }
}

function guarded<T>(what: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (error instanceof Error && error.name === 'PredictError') throw error;
    throw unwritable(what, error);
  }
}
