import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { csvFields } from '../../../base/line-reader.ts';
import type { TrafficPoint } from '../../../modeling/forms/traffic-form.ts';
import { distinct, pickRows, type Rows, rowsFrom } from '../../../modeling/rows.ts';

/** Rows to fit to and rows to predict. */
export interface Split {
  /** What is averaged together. */
  readonly set: string;
  readonly name: string;
  readonly ranksPerNode: number;
  readonly training: Rows;
  readonly unseen: Rows;
  /** What the hosts' counters recorded, where the rows are a campaign's. */
  readonly traffic?: readonly TrafficPoint[];
  /** The campaign's folder. */
  readonly campaign?: string;
}

/** Programs of which several tables are: the first word of a file's name, but for Graph500's, which have other names as well. */
function programOf(name: string): string {
  const word = name.split('-')[0] ?? name;
  return word === 'bfs' ? 'g500' : word;
}

/** Each table of a folder, trained on the smallest share of its node counts (two at least). */
export function tableSplits(folder: string, share: number): Split[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.csv'));
  const splits = files.sort().map((file) => {
    const rows = readTable(join(folder, file));
    const name = basename(file, '.csv');
    return splitAt({ set: programOf(name), name, ranksPerNode: 1, rows }, share);
  });
  return splits.flatMap((split) => split ?? []);
}

/** The smallest share of the node counts against the others; null where none would be left. */
export function splitAt(
  { rows, ...named }: Omit<Split, 'training' | 'unseen'> & { readonly rows: Rows },
  share: number,
): Split | null {
  const counts = distinct(rows, 'nodes');
  const trained = Math.max(2, Math.round(share * counts.length));
  if (trained >= counts.length) return null;
  return { ...named, ...partsOf(rows, counts.slice(0, trained)) };
}

function partsOf(rows: Rows, trained: readonly number[]): Pick<Split, 'training' | 'unseen'> {
  const places = (inside: boolean): number[] =>
    [...rows.nodes.keys()].filter((index) => trained.includes(rows.nodes[index] ?? 0) === inside);
  return { training: pickRows(rows, places(true)), unseen: pickRows(rows, places(false)) };
}

/** `nodes,rep,time,source`, some with `communication`: one problem at full bandwidth. */
function readTable(path: string): Rows {
  return rowsFrom(
    readCsv(path).map(({ nodes, time, communication }) => ({
      ...{ scale: 1, bw: 100, nodes: Number(nodes), ct: Number(time) },
      communication: communication === undefined ? null : Number(communication),
    })),
  );
}

/** The lines of a file by their columns' names. */
export function readCsv(path: string): Record<string, string | undefined>[] {
  const [names = [], ...lines] = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => csvFields(line) ?? []);
  return lines.map((fields) => Object.fromEntries(names.map((name, column) => [name, fields[column]])));
}
