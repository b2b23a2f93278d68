import { closeSync, mkdtempSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { execa, execaSync } from 'execa';
import { type RanksProgram, ranksCommand } from './run-ranks.ts';

/** A program that follows orders, and both ends of what it is told and says. */
export async function startJob(folder: string, name: RanksProgram, ranks: number, ...args: readonly string[]) {
  const fifo = join(mkdtempSync(join(folder, 'job-')), 'orders');
  execaSync('mkfifo', [fifo]);
  const files = ['--phases', 'phases.csv', '--messages', 'messages.csv'];
  const { command, words, options } = await ranksCommand(name, ranks, [...args, ...files, '--orders', fifo]);
  const child = execa(command, words, options);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data) => {
    stdout += String(data);
  });
  child.stderr.on('data', (data) => {
    stderr += String(data);
  });
  // Open at both ends, so that opening waits for nobody; the program sees the end once this is closed.
  const orders = openSync(fifo, 'r+');
  /** Both streams end with the mark; what they said since the last one. */
  const said = async (mark: string): Promise<[string, string]> => {
    for (let turns = 0; !(stdout.endsWith(`${mark}\n`) && stderr.endsWith(`${mark}\n`)); turns += 1) {
      if (turns > 3000 || child.exitCode !== null) throw new Error(`it never said ${mark}: ${stdout}${stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const both: [string, string] = [stdout, stderr];
    [stdout, stderr] = ['', ''];
    return both;
  };
  return {
    pid: child.pid ?? 0,
    said,
    tell: (line: string) => void writeSync(orders, `${line}\n`),
    close: () => closeSync(orders),
    ended: async () => {
      const { exitCode } = await child;
      return { exitCode, stdout, stderr };
    },
  };
}
