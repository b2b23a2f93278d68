/** Whom a rank waits for in an exchange: on a q x q grid (rank = row * q + column) its row, its column, both; or all ranks. */
export const GROUPS = ['row', 'column', 'row-and-column', 'all'] as const;
export type Group = (typeof GROUPS)[number];
