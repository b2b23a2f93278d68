// What all files of Grade10's resource monitor share: records of a u64 (realtime, ns since 1970) and a body, to the end.
import { badInput } from '../../../base/index.ts';
import { type Cursor, EndOfBytes } from './cursor.ts';

/**
 * The records of a file, in order. `readBody` is called when the one before has been dealt with, so it may depend on it.
 * A monitor that is killed leaves half a record, which ends the file with a notice. Errors: badInput for a time that is
 * not after the one before.
 */
export function* readRecords<Body>(
  cursor: Cursor,
  notices: string[],
  readBody: () => Body,
): Generator<{ readonly timeNs: bigint; readonly body: Body }> {
  const { file, length } = cursor;
  let before: bigint | null = null;
  while (cursor.offset < length) {
    const start = cursor.offset;
    const record = whole(() => ({ timeNs: laterTime(cursor, before), body: readBody() }));
    if (record === null) {
      notices.push(
        `${file} ends at byte ${length}, inside the record that starts at byte ${start}: that one is ignored.`,
      );
      return;
    }
    before = record.timeNs;
    yield record;
  }
}

function whole<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof EndOfBytes) return null;
    throw error;
  }
}

function laterTime(cursor: Cursor, before: bigint | null): bigint {
  const { file, offset } = cursor;
  const timeNs = cursor.u64();
  if (before === null || timeNs > before) return timeNs;
  throw badInput(
    `${file} has a record of the time ${timeNs} ns at byte ${offset}, not after the one before it (${before} ns): the clock was set back or the file is damaged, so measure again or leave it out.`,
  );
}
