import { badInput } from '../../../base/errors.ts';
import { collapsible } from '../../../experiments/stacks/perf-script.ts';
import type { ModeSamples } from '../questions/call-profile.ts';
import { CallTreeBuilder } from '../tree/builder.ts';
import { type CallTree, type NameTable, ROOT, totalOf } from '../tree/call-tree.ts';
import { readCollapsed } from './collapsed.ts';
import { FrameTable } from './frame-table.ts';
import { type ProfileFormat, readRecording } from './read-recording.ts';
import type { NormaliseFrame, ProfileUnit, Recording } from './recording.ts';

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

/** A profile as a tree, with what its frames told of compile modes. */
interface ProfileTree {
  readonly tree: CallTree;
  readonly modes: readonly ModeSamples[];
}

/**
 * The tree of a recording; `what` names its file in errors. In code paths, `;` and ends of lines stand as `:` and spaces, so that collapsed text can
 * hold them. Errors: badInput for a stack without frames, a value that is negative or no number, samples that are not whole, and a
 * recording without samples.
 */
export function recordingTree(
  { value: unit, stacks }: Recording,
  {
    what,
    names,
    normalise,
  }: { readonly what: string; readonly names: NameTable; readonly normalise: NormaliseFrame | null },
): ProfileTree {
  const builder = new CallTreeBuilder();
  const known = new Map<string, { readonly id: number; readonly mode: string | null }>();
  const modes = new Map<string, { name: number; mode: string; own: number }>();
  let index = 0;
  for (const { frames, value } of stacks) {
    index += 1;
    const problem = problemOf(frames, value, unit === 'samples');
    if (problem !== null) throw badInput(`${what}, stack ${index}: it has ${problem}.`);
    let node = ROOT;
    let mode: string | null = null;
    for (const frame of frames) {
      let found = known.get(frame);
      if (found === undefined) {
        const normal = normalise === null ? { name: frame, mode: null } : normalise(frame);
        found = { id: names.id(collapsible(normal.name)), mode: normal.mode };
        known.set(frame, found);
      }
      mode = found.mode;
      node = builder.child(node, found.id);
    }
    builder.add(node, value);
    if (mode !== null) addMode(modes, { name: known.get(frames[frames.length - 1] ?? '')?.id ?? 0, mode, own: value });
  }
  const tree = builder.finish();
  const total = totalOf(tree);
  if (total === 0) throw badInput(`${what} has no samples: record the profile again.`);
  if (!Number.isFinite(total)) throw badInput(`${what} has values whose sum is too large: record the profile again.`);
  return { tree, modes: [...modes.values()] };
}

function addMode(modes: Map<string, { name: number; mode: string; own: number }>, one: ModeSamples): void {
  const key = `${one.name} ${one.mode}`;
  const before = modes.get(key);
  if (before === undefined) modes.set(key, { ...one });
  else before.own += one.own;
}

function problemOf(frames: readonly string[], value: number, mustBeWhole: boolean): string | null {
  if (frames.length === 0) return 'no frame';
  if (!Number.isFinite(value)) return `the value ${value}, which is not a number`;
  if (value < 0) return `a negative value, ${value}`;
  return mustBeWhole && !Number.isSafeInteger(value) ? `${value} samples, which is not a whole number` : null;
}
