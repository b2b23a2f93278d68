import type { Analysis } from '../grade10/index.ts';

/** What tables that name phases are made from. */
export interface TableSource {
  readonly analysis: Analysis;
  /** Path of each row of the phases. */
  readonly paths: readonly string[];
}
