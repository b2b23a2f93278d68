import { median } from 'simple-statistics';
import { groupBy } from '../base/lists.ts';
import { formatBytes, nodesText, sizeText } from '../base/units.ts';
import { unnoticedBps } from '../throttle/proof.ts';
import type { Cell, CellRecord, Mark } from './records.ts';

type Marked = Pick<CellRecord, 'cell' | 'status' | 'proof' | 'marks' | 'summary'>;

/** Cells of one program and problem must be so many before one of them can be held against the others. */
const FEWEST = 3;

/** How much more than the others, as a share of theirs: retransmissions and what the controller is sent stay below it. */
const MORE = 0.25;

/**
 * The same records with every mark that there is: those of the runs themselves, and those that a comparison shows: cells of
 * the same program, problem and hosts move the same bytes, however fast, so one that moved more carried somebody else's.
 */
export function withMarks<Record extends Marked>(records: readonly Record[]): Record[] {
  const compared = new Map<Cell, Mark>();
  for (const group of groupBy(records, groupOf)) {
    const good = group.filter(({ status }) => status === 'ok');
    if (good.length < FEWEST) continue;
    const usual = median(good.map(bytesOf));
    for (const record of good) {
      const mark = trafficMark(record, usual);
      if (mark !== null) compared.set(record.cell, mark);
    }
  }
  return records.map((record) => {
    const mark = compared.get(record.cell);
    return mark === undefined ? record : { ...record, marks: [...record.marks, mark] };
  });
}

/** Marks that say that somebody else slowed a run down: another visit of the cell says more than this one. */
const DISTURBING: readonly Mark['kind'][] = ['stolen-cpu', 'foreign-traffic'];

/** Whether somebody else used what a run was measured on. */
export function isDisturbed({ marks }: Pick<Marked, 'marks'>): boolean {
  return marks.some(({ kind }) => DISTURBING.includes(kind));
}

/** How many cells are marked and why, in a sentence; null where none is. `records` as `withMarks` gives them. */
export function describeMarks(records: readonly Marked[]): string | null {
  const marked = records.filter(({ marks }) => marks.length > 0);
  if (marked.length === 0) return null;
  const all = marked.flatMap(({ cell, marks }) => marks.map((mark) => ({ cell, mark })));
  const reasons = groupBy(all, ({ mark }) => mark.kind).flatMap(([first, ...more]) => {
    if (first === undefined) return [];
    const { cell, mark } = first;
    const others = more.length === 0 ? '' : `, and ${more.length} more`;
    return `${KINDS[mark.kind]} (${nameOf(cell)}: ${mark.text.replace(/\.$/, '')}${others})`;
  });
  return `${marked.length} of ${records.length} ${records.length === 1 ? 'cell has' : 'cells have'} data-quality flags: ${reasons.join('; ')}.`;
}

/** The slow links that the inventory accepts, a sentence for each host, of its run at the most bandwidth. */
export function acceptedSentences(records: readonly Marked[]): readonly string[] {
  const marks = [...records]
    .sort((a, b) => b.cell.bw - a.cell.bw)
    .flatMap((record) => record.marks.filter(({ kind }) => kind === 'link-accepted'));
  return groupBy(marks, ({ host }) => host ?? '').flatMap(([first]) => first?.text ?? []);
}

const KINDS: Readonly<{ [kind in Mark['kind']]: string }> = {
  sampler: 'samples with gaps',
  'foreign-traffic': 'traffic of others',
  'stolen-cpu': 'CPU time taken by others',
  'link-below-rate': 'links below the line rate',
  'link-above-rate': 'links above the line rate',
  'link-accepted': 'slow links that are accepted',
  'output-cut': 'truncated output',
  stacks: 'missing call stacks',
};

/** What the flags of a run say, each kind once: `CPU time taken by others`. */
export function markNames(marks: readonly Mark[]): readonly string[] {
  return [...new Set(marks.map(({ kind }) => KINDS[kind]))];
}

function nameOf({ nodes, scale, bw }: Cell): string {
  return `${nodesText(nodes)}${sizeText(scale)}, ${bw} %`;
}

/** Runs that made their graph moved its edges too. */
function groupOf({ cell: { workload, nodes, ranks, scale, params, roots }, summary }: Marked): string {
  const made = Number(summary.graph_generation ?? 0) > 0 || summary.graph_cache === 'miss';
  return JSON.stringify([workload, nodes, ranks, scale, Object.entries(params ?? {}).sort(), roots, made]);
}

/** `usual`: bytes that such cells moved. */
function trafficMark(record: Marked, usual: number): Mark | null {
  if (record.proof === null) return null;
  const { classes, rateBps } = record.proof;
  const bytes = bytesOf(record);
  const seconds = Math.max(...classes.map((use) => (use.averageBps > 0 ? (use.bytes * 8) / use.averageBps : 0)), 0);
  const more = bytes - usual;
  const hosts = new Set(classes.map(({ host }) => host)).size;
  if (more <= MORE * usual || more * 8 <= unnoticedBps(rateBps, hosts) * seconds) return null;
  const text = `the run transferred ${formatBytes(bytes)}, but other runs of the same program and problem ${formatBytes(usual)}.`;
  return { kind: 'foreign-traffic', host: null, text };
}

/** What the hosts of a run sent. */
function bytesOf({ proof }: Marked): number {
  return (proof?.classes ?? []).reduce((sum, { direction, bytes }) => sum + (direction === 'out' ? bytes : 0), 0);
}
