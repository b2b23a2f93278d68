import type { NameTable } from '../tree/call-tree.ts';
import { readCollapsed } from './collapsed.ts';
import { FrameTable } from './frame-table.ts';
import { type ProfileFormat, readRecording } from './read-recording.ts';
import type { NormaliseFrame, ProfileUnit, Recording } from './recording.ts';
import { type ProfileTree, recordingTree } from './recording-tree.ts';

/** A profile as a file has it. */
interface ReadProfile extends ProfileTree, Omit<Recording, 'value' | 'stacks'> {
  readonly format: string;
  readonly unit: ProfileUnit;
}

/**
 * Reads files of profiles whose names share one table, in any format, by default in whichever they are; `value` chooses among several values
 * or events of a recording. Errors: badInput names the file and the line.
 */
export function profileReader({
  names,
  normalise,
  format,
  value,
}: {
  readonly names: NameTable;
  readonly normalise: NormaliseFrame | null;
  readonly format?: ProfileFormat | undefined;
  readonly value?: string | undefined;
}): {
  readonly read: (path: string) => Promise<readonly ReadProfile[]>;
} {
  const frames = new FrameTable(names, normalise);
  return {
    read: async (path) => {
      const found = format === 'folded' ? null : await readRecording(path, { format, value });
      if (found !== null) {
        const { value: unit, stacks: _, ...facts } = found.recording;
        return [
          { ...recordingTree(found.recording, { what: path, names, normalise }), format: found.format, unit, ...facts },
        ];
      }
      const { tree, modes } = await readCollapsed(path, frames);
      const nothing = { startedAtNs: null, durationNs: null, lost: 0, unknown: 0, truncated: 0, problems: [] };
      return [{ tree, modes, format: 'folded', unit: 'samples', ...nothing }];
    },
  };
}
