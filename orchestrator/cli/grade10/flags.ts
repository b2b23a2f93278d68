import type { Flags } from '../flags.ts';

type Named = 'case' | 'job' | 'cell' | 'against' | 'program' | 'model' | 'slice' | 'trace' | 'export';

/** The options of `predict why --method grade10`, as given. */
export type Grade10Flags = Flags<'format', Named, 'sampling'>;
