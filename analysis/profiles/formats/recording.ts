import type { Problem } from '../../problems.ts';
import type { ProfileFile } from './profile-file.ts';

/** What the numbers of a recording count. */
export type ProfileUnit = 'samples' | 'seconds' | 'bytes' | 'objects' | 'count';

/** One call stack and how much was seen in it, more than 0 or 0. */
export interface RecordedStack {
  /** Code paths, outermost first; each has at least one character and no `;`, and there is at least one. */
  readonly frames: readonly string[];
  readonly value: number;
}

/** What a reader of any format makes of one profile in a file. */
export interface Recording {
  readonly value: ProfileUnit;
  readonly stacks: Iterable<RecordedStack>;
  /** Realtime clock; null where the format does not say. */
  readonly startedAtNs: bigint | null;
  readonly durationNs: number | null;
  /** Samples that the recorder lost, by its own count. */
  readonly lost: number;
  /** Frames without a name. */
  readonly unknown: number;
  /** Stacks that the recorder cut off. */
  readonly truncated: number;
  /** What of the file could not be used. */
  readonly problems: readonly Problem[];
}

/** A frame as a profiler wrote it -> its code path, and the compile mode that its name told (`jit`, `interpreted`), if any. */
export type NormaliseFrame = (frame: string) => { readonly name: string; readonly mode: string | null };

/** What a reader is told beside the file. */
export interface ReadOptions {
  /** Which of several values or events a recording holds is read; the format's own choice without it. */
  readonly value?: string | undefined;
}

/** Reads a recording; null for a file of another format. Errors: badInput, with the line, for one of its own that is damaged. */
export type RecordingReader = (file: ProfileFile, options: ReadOptions) => Recording | null;
