import type { Optional } from '../flags.ts';

/** The options of `predict grade10`, as given. */
export interface Grade10Flags
  extends Optional<'case' | 'job' | 'cell' | 'against' | 'program' | 'model' | 'slice' | 'trace' | 'export'> {
  readonly sampling?: boolean;
  readonly format: string;
  readonly json?: boolean;
}
