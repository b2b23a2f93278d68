import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { ReadOptions, ReadProfile } from '../../../../analysis/profiles/formats/profile-builder.ts';
import { ProfileFile } from '../../../../analysis/profiles/formats/profile-file.ts';
import type { RecordingFormat } from '../../../../analysis/profiles/formats/profile-format.ts';
import { recordingIn } from '../../../../analysis/profiles/formats/read-profile.ts';
import { NameTable } from '../../../../analysis/profiles/tree/call-tree.ts';
import { projectRoot } from '../../../../base/paths.ts';
import { fold } from '../../../cases/profiles/collapsed-text.ts';

/** The bytes of a recording among the fixtures, unpacked. */
export function fixtureBytes(name: string): Buffer {
  const bytes = readFileSync(fixturePath(name));
  return name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

export function fixturePath(name: string): string {
  return join(projectRoot(), 'test/fixtures/profiles/formats', name);
}

/** What readers are told where names do not matter. */
export const plainly = (): ReadOptions => ({ names: new NameTable(), normalise: null });

/** A profile with its stacks in which something was seen, by stack. */
interface Recorded extends ReadProfile {
  readonly stacks: readonly { readonly frames: readonly string[]; readonly value: number }[];
}

/** What is read of bytes or a text; null for no format that is known. */
export function recorded(
  content: Uint8Array | string,
  options: { readonly format?: RecordingFormat; readonly value?: string } = {},
): Recorded | null {
  const plain = plainly();
  const found = recordingIn(new ProfileFile('it', Buffer.from(content)), { ...plain, ...options });
  if (found === null) return null;
  const stacks = fold(found.tree, plain.names).map(({ stack, own }) => ({ frames: stack.split(';'), value: own }));
  return { ...found, stacks };
}

/** A recording as collapsed text, by stack. */
export function folded({ stacks }: Recorded): string {
  const lines = stacks.map(({ frames, value }) => `${frames.join(';')} ${value}\n`);
  return lines.sort().join('');
}
