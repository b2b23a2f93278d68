import { median } from 'simple-statistics';
import { ascending, groupBy } from '../../base/lists.ts';
import { paramsText } from '../cell-name.ts';
import type { Cell } from '../records.ts';
import type { ProvedLevel, SweepEvent } from './campaign-events.ts';

// How far a campaign is at a moment, as plain data: what a terminal, the live page and `--json` show. `LiveFold` makes it of plan,
// records and events.

/** `killed`: its events have no end, and its process is gone. `preparing`: nothing was begun yet. `none`: no sweep has been here. */
type Standing = 'none' | 'preparing' | 'running' | 'killed' | (SweepEvent & { kind: 'sweep-ended' })['how'];

export type ConfigurationState = 'waiting' | 'running' | 'done' | 'flagged' | 'failed';

/** All repetitions of one configuration. */
export interface Configuration {
  /** Percent of the line rate. */
  readonly bw: number;
  readonly planned: number;
  /** With a record, `failed` among them. */
  readonly done: number;
  /** Whose run failed, or that were given up. */
  readonly failed: number;
  readonly state: ConfigurationState;
  /** Of the medians of its good runs so far, seconds; those of profiled runs are left out. */
  readonly medianS: number | null;
}

interface ConfigurationRow {
  readonly nodes: number;
  readonly scale: number;
  /** What tells it from other rows beside that; empty for nothing. */
  readonly told: string;
  /** In the order of `bandwidths`; null where nothing is planned. */
  readonly configurations: readonly (Configuration | null)[];
}

/** A cell that is measured at this moment, or the last that was. */
export interface LiveCell {
  readonly cell: Cell;
  /** ISO time of its start; of the last one, of its end. */
  readonly at: string;
  /** Null until its links are proved, and for campaigns of before that kept no proof. */
  readonly level: ProvedLevel | null;
}

export interface NewsLine {
  readonly at: string;
  readonly tone: 'plain' | 'warning' | 'failed';
  readonly text: string;
}

export interface LiveState {
  readonly name: string;
  readonly sweep: Standing;
  /** Why it ended before it was complete. */
  readonly reason: string | null;
  /** ISO time of the last event; null without any. */
  readonly at: string | null;
  /** `done` counts cells with a record; `failed` those of them whose run failed; `unmeasured` those that were given up. */
  readonly cells: {
    readonly planned: number;
    readonly done: number;
    readonly failed: number;
    readonly unmeasured: number;
  };
  /** From the end of the last cell on, and when that is over (ISO time); null while no cell of the sweep tells it. */
  readonly secondsLeft: number | null;
  readonly endsAt: string | null;
  /** From the most down. */
  readonly bandwidths: readonly number[];
  readonly rows: readonly ConfigurationRow[];
  readonly running: readonly LiveCell[];
  readonly last: LiveCell | null;
  /** By the plan; parallel runs may come in another order. */
  readonly next: Cell | null;
  /** The latest first. */
  readonly news: readonly NewsLine[];
}

/** What is known of a planned cell. */
export interface KnownCell {
  readonly cell: Cell;
  state: ConfigurationState;
  /** It has a record. */
  isDone: boolean;
  medianS: number | null;
  level: ProvedLevel | null;
  /** ISO time of its start, then of its end. */
  at: string;
}

/** The cells of a campaign by configuration: rows of nodes, size and what else is told, columns of bandwidth. */
export function configurationRows(cells: Iterable<KnownCell>): Pick<LiveState, 'bandwidths' | 'rows'> {
  const known = [...cells];
  const bandwidths = ascending(known.map(({ cell }) => cell.bw)).reverse();
  const perNode = new Set(known.map(({ cell }) => cell.ranks / cell.nodes));
  const toldOf = ({ params, ranks, nodes }: Cell): string =>
    [
      ...(params === undefined ? [] : [paramsText(params)]),
      ...(perNode.size > 1 ? [`${ranks / nodes} ranks per node`] : []),
    ].join(', ');
  const rows = groupBy(known, ({ cell }) => JSON.stringify([cell.nodes, cell.scale, toldOf(cell)]));
  rows.sort(([a], [b]) => (a && b ? a.cell.nodes - b.cell.nodes || a.cell.scale - b.cell.scale : 0));
  return {
    bandwidths,
    rows: rows.flatMap((own): ConfigurationRow[] => {
      const [first] = own;
      if (first === undefined) return [];
      const alike = new Map(groupBy(own, ({ cell }) => String(cell.bw)).map((some) => [some[0]?.cell.bw, some]));
      const configurations = bandwidths.map((bw) => configurationOf(bw, alike.get(bw) ?? []));
      return [{ nodes: first.cell.nodes, scale: first.cell.scale, told: toldOf(first.cell), configurations }];
    }),
  };
}

function configurationOf(bw: number, cells: readonly KnownCell[]): Configuration | null {
  if (cells.length === 0) return null;
  const times = cells.flatMap(({ cell, medianS }) => (medianS === null || cell.role === 'profile' ? [] : [medianS]));
  return {
    ...{ bw, planned: cells.length, done: cells.filter(({ isDone }) => isDone).length },
    failed: cells.filter(({ state }) => state === 'failed').length,
    state: stateOf(cells),
    medianS: times.length === 0 ? null : median(times),
  };
}

/** What matters most among its repetitions. */
function stateOf(cells: readonly KnownCell[]): ConfigurationState {
  const states = new Set(cells.map(({ state }) => state));
  return STATES.find((state) => states.has(state)) ?? 'waiting';
}

const STATES = ['running', 'failed', 'flagged', 'waiting', 'done'] as const;
