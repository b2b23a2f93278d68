import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder that lasts as long as the test, with text files by name (`sub/phases.csv`). */
export async function textFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'job-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeTexts(folder, files);
  return folder;
}

export async function writeTexts(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

/** Lines of a file, the last one ended. */
export function lines(...all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('');
}
