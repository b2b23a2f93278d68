/**
 * Whom a rank may wait for in an exchange: on a q x q grid (rank = row * q + column) its row, its column, either; or all ranks.
 * Nobody leaves before the whole group has entered, except of `row-and-column`, of which a rank hears in several steps.
 */
export const GROUPS = ['row', 'column', 'row-and-column', 'all'] as const;
export type Group = (typeof GROUPS)[number];
