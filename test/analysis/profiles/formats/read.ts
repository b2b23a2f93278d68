import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ProfileFile } from '../../../../analysis/profiles/formats/profile-file.ts';
import { type RecordingFormat, recordingIn } from '../../../../analysis/profiles/formats/read-recording.ts';
import type { Recording } from '../../../../analysis/profiles/formats/recording.ts';
import { projectRoot } from '../../../../base/paths.ts';

/** The bytes of a recording among the fixtures, unpacked. */
export function fixtureBytes(name: string): Buffer {
  const bytes = readFileSync(fixturePath(name));
  return name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

export function fixturePath(name: string): string {
  return join(projectRoot(), 'test/fixtures/profiles/formats', name);
}

/** What is read of bytes or a text; null for no format that is known. */
export function recorded(
  content: Uint8Array | string,
  options: { readonly format?: RecordingFormat; readonly value?: string } = {},
): Recording | null {
  return recordingIn(new ProfileFile('it', Buffer.from(content)), options)?.recording ?? null;
}

/** A recording as collapsed text, by stack. */
export function folded({ stacks }: Recording): string {
  const lines = [...stacks].map(({ frames, value }) => `${frames.join(';')} ${value}\n`);
  return lines.sort().join('');
}
