import { appendFileSync, closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { badInput, messageOf } from '../../base/index.ts';
import { type SweepEvent, sweepEventSchema } from '../events.ts';

/**
 * Appends events to a campaign's events.jsonl, one line each (https://jsonlines.org). A line that a killed sweep or a full
 * disk cut off is ended, and an empty line after it tells readers so. Throws what the file system says.
 */
export function appendEvents(dir: string): (event: SweepEvent) => void {
  const path = eventsPath(dir);
  let torn: boolean | undefined;
  return (event) => {
    torn ??= endsTorn(path);
    const line = `${torn ? '\n\n' : ''}${JSON.stringify(event)}\n`;
    torn = undefined;
    appendFileSync(path, line);
    torn = false;
  };
}

/**
 * What happened in the sweeps of a campaign, oldest first; none where no sweep has written. May be asked while one writes: a
 * line that is not whole yet is left out. Errors: `badInput` naming a damaged line.
 */
export function readEvents(dir: string): SweepEvent[] {
  const path = eventsPath(dir);
  const lines = readText(path).split('\n');
  // What follows the last line break is not whole yet.
  const last = lines.length - 1;
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return [sweepEventSchema.parse(JSON.parse(line))];
    } catch (error) {
      const torn = index === last || (lines[index + 1]?.trim() === '' && index + 1 < last);
      if (torn) return [];
      throw badInput(`${path}:${index + 1}: this line is damaged: remove it, or the whole file.`, error);
    }
  });
}

function eventsPath(dir: string): string {
  return join(dir, 'events.jsonl');
}

/** Whether a writer was stopped in the middle of the last line. */
function endsTorn(path: string): boolean {
  const file = openSync(path, 'a+');
  try {
    const { size } = fstatSync(file);
    const last = Buffer.alloc(1);
    return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last.toString() !== '\n';
  } finally {
    closeSync(file);
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw badInput(`${path} cannot be read: ${messageOf(error)}.`, error);
  }
}
