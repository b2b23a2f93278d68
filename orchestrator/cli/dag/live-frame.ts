import {
  adviceWords,
  type JudgedPeriod,
  type LabelOf,
  nextStep,
  periodVerdict,
  summaryOfHistory,
  verdictOf,
  type WatchedJob,
} from '../../../analysis/dag/index.ts';
import { formatBytes, formatSeconds, printableLine } from '../../../base/index.ts';
import type { LiveDetail } from '../../dag/index.ts';

/** What the view shows of a job that is watched. */
export interface LiveState {
  readonly job: WatchedJob;
  readonly period: JudgedPeriod;
  readonly detail: LiveDetail | null;
  /** What the command said last, a line each. */
  readonly said: readonly string[];
}

/** A line of the view; `hot` names a bottleneck. */
export interface FrameLine {
  readonly text: string;
  readonly hot: boolean;
}

const [SHORTEST_BAR, LONGEST_BAR] = [4, 20];
/** Of what stands beside name and bar. */
const SHARES = 30;
const LONGEST_NAME = 28;
const MOST_SAID = 4;

/**
 * The view as lines of at most `columns` characters, `rows` of them at most: stages with what they work (filled) and wait (light), each
 * pipe below its producer with its fill, the verdict. Of a job that does not fit, what works most is kept.
 */
export function liveFrame(
  state: LiveState,
  { columns, rows, ascii = false }: { columns: number; rows: number; ascii?: boolean },
): FrameLine[] {
  const { job, period } = state;
  const labelOf: LabelOf = (id, kind) => job.labelOf(id, kind);
  const summary = summaryOfHistory(job.judge);
  const foot = [
    plain(''),
    {
      text: `This period: ${periodVerdict(job.judge.graph, period, labelOf)}.`,
      hot: period.cpu.length + period.io.length > 0,
    },
    plain(`So far: ${verdictOf(job.judge, { summary, labelOf })}`),
    plain(adviceWords(nextStep(job.judge, { summary, instances: job.instances() }), labelOf)),
    ...job.events.slice(-2).map(({ text }) => plain(`Note: ${text}`)),
    ...state.said.slice(-MOST_SAID).map((text) => plain(`| ${text}`)),
  ].flatMap((line) => wrapped(line, columns));
  const head = plain(
    `${formatSeconds(Math.round(period.endNs / 1e9))}, period ${job.judge.periods.length} of ${formatSeconds(job.run.periodS)}, watched by ${job.run.source}`,
  );
  const stages = stageBlocks(state, { columns, ascii });
  const room = Math.max(3, rows - foot.length - 2);
  const shown = fitting(stages, room);
  const left = stages.length - shown.length;
  const body = [
    ...shown.flatMap(({ lines }) => lines),
    ...(left > 0 ? [plain(`... and ${left} more tasks, which are less busy`)] : []),
  ];
  return [head, ...body, ...foot]
    .slice(0, Math.max(1, rows))
    .map(({ text, hot }) => ({ text: cut(text, columns), hot }));
}

interface Block {
  readonly busy: number;
  readonly lines: readonly FrameLine[];
}

function stageBlocks(
  { job, period, detail }: LiveState,
  { columns, ascii }: { columns: number; ascii: boolean },
): Block[] {
  const labelOf: LabelOf = (id, kind) => job.labelOf(id, kind);
  const { graph } = job.judge;
  const name = Math.min(
    LONGEST_NAME,
    Math.max(8, columns - SHARES - SHORTEST_BAR),
    Math.max(8, ...job.vertices.map(({ label }) => printableLine(label).length)),
  );
  const width = Math.min(LONGEST_BAR, Math.max(SHORTEST_BAR, columns - SHARES - name));
  const bar = (share: number): string => barOf(share, { width, ascii });
  return job.vertices.map((vertex) => {
    const place = graph.vertexIds.indexOf(vertex.id);
    const busy = period.pt[place] ?? Number.NaN;
    const hot = period.cpu.includes(place);
    const count = vertex.instances > 1 ? ` x${vertex.instances}` : '';
    const what = Number.isNaN(busy) ? 'unknown' : `busy ${percent(busy)}  waits ${percent(1 - busy)}`;
    const uneven = (period.imbalance[place] ?? 0) >= 0.1 ? `  busiest +${percent(period.imbalance[place] ?? 0)}` : '';
    const head = {
      text: `${hot ? '>' : ' '} ${padded(vertex.label, name)} ${bar(busy)} ${what}${count}${uneven}`,
      hot,
    };
    const edges = job.edges
      .filter(({ from }) => from === vertex.id)
      .map((edge) => {
        const at = graph.edgeIds.indexOf(edge.id);
        const isHot = period.io.includes(at);
        const fill = detail?.fill.get(edge.id) ?? null;
        const full = period.st[at] ?? Number.NaN;
        const bytes = job.work.at(-1)?.edgeBytes[at] ?? Number.NaN;
        const seconds = (period.endNs - period.startNs) / 1e9;
        const carries = Number.isNaN(bytes) ? '' : `  ${formatBytes(bytes / seconds)}/s`;
        const level = fill === null ? bar(full) : bar(fill);
        const said = Number.isNaN(full) ? 'not measured' : `full ${percent(full)}`;
        const arrow = `${isHot ? '>' : ' '}   -> ${labelOf(edge.to, 'cpu')}`;
        return { text: `${padded(arrow, name + 2)} ${level} ${said}${carries}`, hot: isHot };
      });
    return { busy: Number.isNaN(busy) ? -1 : busy, lines: [head, ...edges] };
  });
}

/** The busiest that fit, in their order. */
function fitting(blocks: readonly Block[], rows: number): readonly Block[] {
  const total = blocks.reduce((sum, { lines }) => sum + lines.length, 0);
  if (total <= rows) return blocks;
  const kept = new Set<Block>();
  let used = 1;
  for (const block of [...blocks].sort((a, b) => b.busy - a.busy)) {
    if (used + block.lines.length > rows) continue;
    used += block.lines.length;
    kept.add(block);
  }
  return blocks.filter((block) => kept.has(block));
}

/** The verdict of one period in one line, for where nothing can be redrawn. */
export function plainPeriod({ job, period }: LiveState): string {
  const { graph } = job.judge;
  const busy = graph.vertexIds.map((id, place) => {
    const value = period.pt[place] ?? Number.NaN;
    return `${id} ${Number.isNaN(value) ? '?' : percent(value)}`;
  });
  const full = graph.edgeIds.flatMap((id, place) => {
    const value = period.st[place] ?? Number.NaN;
    return value > 0 ? [`${id} ${percent(value)}`] : [];
  });
  const at = formatSeconds(Math.round(period.endNs / 1e9));
  const edges = full.length === 0 ? '' : `; full: ${full.join(', ')}`;
  return `${at}: ${periodVerdict(graph, period, (id, kind) => job.labelOf(id, kind))} (works: ${busy.join(', ')}${edges})`;
}

function barOf(share: number, { width, ascii }: { width: number; ascii: boolean }): string {
  const [on, off] = ascii ? ['#', '.'] : ['█', '░'];
  if (Number.isNaN(share)) return ' '.repeat(width);
  const filled = Math.round(Math.min(1, Math.max(0, share)) * width);
  return on.repeat(filled) + off.repeat(width - filled);
}

function percent(share: number): string {
  return `${String(Math.round(share * 100)).padStart(3)} %`;
}

function padded(text: string, width: number): string {
  const line = printableLine(text);
  return line.length > width ? `${line.slice(0, width - 3)}...` : line.padEnd(width);
}

function plain(text: string): FrameLine {
  return { text, hot: false };
}

function cut(text: string, columns: number): string {
  return printableLine(text).slice(0, columns);
}

function wrapped({ text, hot }: FrameLine, columns: number): FrameLine[] {
  const lines: FrameLine[] = [];
  let line = '';
  for (const word of printableLine(text).split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push({ text: line, hot });
      line = `  ${word}`;
    } else {
      line = line === '' && lines.length === 0 ? word : `${line} ${word}`;
    }
  }
  return [...lines, { text: line, hot }];
}
