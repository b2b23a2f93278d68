import { closeSync, fstatSync, readSync, writeFileSync } from 'node:fs';
import { type SweepEvent, sweepEventSchema } from '../sweep-event.ts';
import { eventsPath } from './campaign-folders.ts';
import { type Damage, damaged } from './damage.ts';
import { openToWriteSync, readProblem, readRegularSync } from './regular.ts';

/**
 * Appends events to a campaign's events.jsonl, one line each (https://jsonlines.org). A line that a killed sweep or a full
 * disk cut off is ended, and an empty line after it tells readers so. Throws what the file system says.
 */
export function appendEvents(dir: string): (event: SweepEvent) => void {
  let torn: boolean | undefined;
  return (event) => {
    const file = openToWriteSync(eventsPath(dir), { append: true });
    try {
      torn ??= endsTorn(file);
      const line = `${torn ? '\n\n' : ''}${JSON.stringify(event)}\n`;
      torn = undefined;
      writeFileSync(file, line);
      torn = false;
    } finally {
      closeSync(file);
    }
  };
}

/**
 * What happened in the sweeps of a campaign, oldest first; none where no sweep has written. May be asked while one writes: a
 * line that is not whole yet is left out. Errors: `badInput` naming a damaged line.
 */
export function readEvents(dir: string): readonly SweepEvent[] {
  const { events, problems } = inspectEvents(dir);
  const [first] = problems;
  if (first !== undefined) throw damaged(dir, first);
  return events;
}

interface InspectedEvents {
  readonly events: readonly SweepEvent[];
  readonly problems: readonly Damage[];
}

/** The same with all that is wrong with the file. */
export function inspectEvents(dir: string): InspectedEvents {
  const path = eventsPath(dir);
  const say = (problem: string): Damage => ({ path, cell: null, problem, part: path });
  let text: string;
  try {
    text = readRegularSync(path).toString('utf8');
  } catch (error) {
    const none = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return { events: [], problems: none ? [] : [say(readProblem(error))] };
  }
  const lines = text.split('\n');
  // What follows the last line break is not whole yet.
  const last = lines.length - 1;
  const events: SweepEvent[] = [];
  const problems: Damage[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const event = parseEvent(line);
    const torn = index === last || (lines[index + 1]?.trim() === '' && index + 1 < last);
    if (event !== null) events.push(event);
    else if (!torn) problems.push(say(`is damaged in line ${index + 1}`));
  }
  return { events, problems };
}

function parseEvent(line: string): SweepEvent | null {
  try {
    return sweepEventSchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

/** Whether a writer was stopped in the middle of the last line. */
function endsTorn(file: number): boolean {
  const { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last.toString() !== '\n';
}
