import type { ProfileFile } from './profile-file.ts';
import type { Recording } from './recording.ts';

/** What a reader is told beside the file. */
export interface ReadOptions {
  /** Which of several values or events a recording holds is read; the format's own choice without it. */
  readonly value?: string | undefined;
}

/** Reads a recording; null for a file of another format. Errors: badInput, with the line, for one of its own that is damaged. */
export type RecordingReader = (file: ProfileFile, options: ReadOptions) => Recording | null;
