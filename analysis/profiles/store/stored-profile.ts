import type { CallProfile, ProfileFacts } from '../questions/call-profile.ts';

/** A profile as a store keeps it: what is known of it beside its tree. */
export interface StoredFacts extends ProfileFacts {
  /** File that it was read from, and its format. */
  readonly source: string;
  readonly format: string;
  readonly lost: number;
  readonly unknown: number;
  readonly truncated: number;
}

export type StoredProfile = StoredFacts & CallProfile;
