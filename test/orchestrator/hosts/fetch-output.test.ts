import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fetchOutput } from '../../../orchestrator/hosts/fetch-output.ts';
import { tempFolder } from '../../experiments/make.ts';
import { localShell } from './local-shell.ts';

/** A work folder whose run began a minute ago, and what an output of it is. */
function aRun() {
  const workFolder = tempFolder();
  const runFolder = join(workFolder, 'cells/0123');
  mkdirSync(runFolder, { recursive: true });
  const [began, before] = [Date.now() / 1000 - 60, Date.now() / 1000 - 120];
  utimesSync(join(workFolder, 'cells'), began, began);
  const write = (name: string, { isOld = false } = {}): void => {
    writeFileSync(join(workFolder, name), name);
    if (isOld) utimesSync(join(workFolder, name), before, before);
  };
  const host = { ...localShell(), fetch: async (path: string) => readFileSync(path) };
  const fetch = async (path: string): Promise<string | null> => {
    const found = await fetchOutput(host, path, { workFolder, runFolder });
    return typeof found === 'string' ? `not found: ${found.replaceAll(workFolder, 'W')}` : String(found);
  };
  return { workFolder, write, fetch };
}

describe('an output that is named by a pattern', () => {
  test('is the one file that fits and is new since the run began, in the work folder or by its path', async () => {
    const { workFolder, write, fetch } = aRun();
    write('HPCG_1.txt', { isOld: true });
    write("HPCG it's\n2.txt");
    write('other.txt');
    expect(await fetch('HPCG*.txt')).toBe("HPCG it's\n2.txt");
    expect(await fetch(join(workFolder, 'HPCG*.txt'))).toBe("HPCG it's\n2.txt");
    expect(await fetch('o?her.txt')).toBe('other.txt');
  });

  test('has brackets and backslashes as they are', async () => {
    const { write, fetch } = aRun();
    write('a[1]\\b.txt');
    write('a1b.txt');
    expect(await fetch('a[1]\\*.txt')).toBe('a[1]\\b.txt');
  });

  test('is no file where several new ones fit, none, or old ones alone, and a sentence names them', async () => {
    const { workFolder, write, fetch } = aRun();
    expect(await fetch('HPCG*.txt')).toMatch(/^not found: No file fits 'HPCG\*\.txt' in W, where outputs\.log says /);
    expect(await fetch('no/such/HPCG*.txt')).toMatch(/^not found: No file fits 'HPCG\*\.txt' in W\/no\/such, /);
    for (const name of ['HPCG_1.txt', 'HPCG_2.txt']) write(name, { isOld: true });
    expect(await fetch('HPCG*.txt')).toBe(
      "not found: No file that fits 'HPCG*.txt' in W is new since the run began: there are HPCG_1.txt and HPCG_2.txt.",
    );
    for (const digit of '3456789') write(`HPCG_${digit}.txt`);
    expect(await fetch('HPCG*.txt')).toBe(
      "not found: 7 new files fit 'HPCG*.txt' in W (HPCG_3.txt, HPCG_4.txt, HPCG_5.txt, HPCG_6.txt and 3 more): write outputs.log so that one does.",
    );
    rmSync(workFolder, { recursive: true });
  });

  test('is new where it was made right after the folder of the run', async () => {
    const { workFolder, write, fetch } = aRun();
    mkdirSync(join(workFolder, 'cells/4567'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    write('now.txt');
    expect(await fetch('n*.txt')).toBe('now.txt');
  });
});
