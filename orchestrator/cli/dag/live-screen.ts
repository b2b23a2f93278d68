import { concludeJob } from '../../../analysis/dag/explain/explain-jobs.ts';
import { adviceWords, periodVerdict } from '../../../analysis/dag/explain/job-words.ts';
import type { WatchedJob } from '../../../analysis/dag/job/watched-job.ts';
import type { JudgedPeriod } from '../../../analysis/dag/judge/judge.ts';
import { LineReader } from '../../../base/line-reader.ts';
import { printable, printableLine } from '../../../base/text.ts';
import { formatBytes, formatSeconds } from '../../../base/units.ts';
import type { LiveDetail } from '../../dag/source.ts';
import { paint } from '../print.ts';
import { foldText } from '../table-lines.ts';

type Stream = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns' | 'rows'>;

/** Lines of the command that are kept to be shown; plain lines of a period at most. */
const KEPT = 20;
/** Bytes of one; of a longer line the beginning is shown. */
const LONGEST_LINE = 1000;

/** Shows a watched job on stderr: on a terminal a view that is redrawn in its place, elsewhere a line for each period. */
interface LiveScreen {
  readonly show: (state: Omit<LiveState, 'said'>) => void;
  readonly note: (text: string) => void;
  readonly printed: (text: string) => void;
  /** What is drawn stays. */
  readonly end: () => void;
}

export function createLiveScreen(
  stream: Stream = process.stderr,
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): LiveScreen {
  const redraws = stream.isTTY && env.TERM !== 'dumb';
  const ascii = !/utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || 'C.UTF-8');
  let drawn = 0;
  let said: string[] = [];
  let dropped = 0;

  const erase = (): void => {
    if (drawn > 0) stream.write(`\u001b[${drawn}A\r\u001b[J`);
    drawn = 0;
  };
  const draw = (lines: readonly FrameLine[]): void => {
    erase();
    for (const { text, hot } of lines) stream.write(`${hot ? paint(text, 'warning', stream, env) : printable(text)}\n`);
    drawn = lines.length;
  };
  const keep = (line: string): void => {
    if (redraws) said = [...said.slice(1 - KEPT), line];
    else if (said.length < KEPT) said.push(line);
    else dropped += 1;
  };
  const printed = new LineReader({ onLine: keep, onTooLong: keep, mostLineBytes: LONGEST_LINE });
  const say = (text: string): void => void stream.write(`${printable(text)}\n`);
  const flushSaid = (): void => {
    for (const line of said) say(`| ${line}`);
    if (dropped > 0) say(`| (${dropped} more lines)`);
    said = [];
    dropped = 0;
  };

  return {
    show: (state) => {
      if (redraws) {
        const rows = (stream.rows || 24) - 1;
        draw(liveFrame({ ...state, said }, { columns: (stream.columns || 80) - 1, rows, ascii }));
      } else {
        flushSaid();
        say(plainPeriod({ ...state, said: [] }));
      }
    },
    note: (text) => {
      if (!redraws) say(`predict: ${text}`);
    },
    printed: (text) => printed.add(text),
    end: () => {
      printed.end();
      if (!redraws) flushSaid();
      drawn = 0;
    },
  };
}

/** What the view shows of a job that is watched. */
interface LiveState {
  readonly job: WatchedJob;
  readonly period: JudgedPeriod;
  readonly detail: LiveDetail | null;
  /** What the command said last, a line each. */
  readonly said: readonly string[];
}

/** A line of the view; `hot` names a bottleneck. */
interface FrameLine {
  readonly text: string;
  readonly hot: boolean;
}

/** Of what stands beside name and bar. */
const SHARES = 30;
const MOST_SAID = 4;

interface Size {
  readonly columns: number;
  readonly rows: number;
  readonly ascii?: boolean;
}

/**
 * The view as lines of at most `columns` characters, `rows` of them at most: stages with what they work (filled) and wait (light), each
 * pipe below its producer with its fill, the verdict. Of a job that does not fit, what works most is kept.
 */
export function liveFrame(state: LiveState, { columns, rows, ascii = false }: Size): FrameLine[] {
  const { job, period, said } = state;
  const { verdict, advice } = concludeJob(job);
  const foot = [
    '',
    `This period: ${periodVerdict(job.judge.graph, period, job.labelOf)}.`,
    `So far: ${verdict}`,
    adviceWords(advice, job.labelOf),
    ...job.events.slice(-2).map(({ text }) => `Note: ${text}`),
    ...said.slice(-MOST_SAID).map((text) => `| ${text}`),
  ].flatMap((text, index) => {
    const hot = index === 1 && period.cpu.length + period.io.length > 0;
    return foldText(printableLine(text), columns)
      .split('\n')
      .map((line) => ({ text: line, hot }));
  });
  const blocks = taskBlocks(state, { columns, ascii });
  const shown = fitting(blocks, Math.max(3, rows - foot.length - 2));
  const left = blocks.length - shown.length;
  const more = left > 0 ? [{ text: `... and ${left} more tasks, which are less busy`, hot: false }] : [];
  const at = formatSeconds(Math.round(period.endNs / 1e9));
  const periods = `period ${job.judge.periods.length} of ${formatSeconds(job.run.periodS)}`;
  const head = { text: `${at}, ${periods}, watched by ${job.run.source}`, hot: false };
  return [head, ...shown.flatMap(({ lines }) => lines), ...more, ...foot]
    .slice(0, Math.max(1, rows))
    .map(({ text, hot }) => ({ text: printableLine(text).slice(0, columns), hot }));
}

interface Block {
  readonly busy: number;
  readonly lines: readonly FrameLine[];
}

/** Of each task a line for it and one for each of its edges. */
function taskBlocks(
  { job, period, detail }: LiveState,
  { columns, ascii }: { columns: number; ascii: boolean },
): Block[] {
  const { graph } = job.judge;
  const longest = Math.max(0, ...job.vertices.map(({ label }) => printableLine(label).length));
  const name = Math.max(8, Math.min(28, columns - SHARES - 4, longest));
  const width = Math.max(4, Math.min(20, columns - SHARES - name));
  const seconds = (period.endNs - period.startNs) / 1e9;
  return job.vertices.map((vertex) => {
    const place = graph.vertexIds.indexOf(vertex.id);
    const [busy, uneven] = [period.pt[place] ?? Number.NaN, period.imbalance[place] ?? 0];
    const hot = period.cpu.includes(place);
    const what = Number.isNaN(busy) ? 'unknown' : `busy ${percent(busy)}  waits ${percent(1 - busy)}`;
    const count = vertex.instances > 1 ? ` x${vertex.instances}` : '';
    const most = uneven >= 0.1 ? `  busiest +${percent(uneven)}` : '';
    const bar = barOf(busy, { width, ascii });
    const head = { text: `${hot ? '>' : ' '} ${padded(vertex.label, name)} ${bar} ${what}${count}${most}`, hot };
    const edges = job.edges
      .filter(({ from }) => from === vertex.id)
      .map(({ id, to }) => {
        const at = graph.edgeIds.indexOf(id);
        const isHot = period.io.includes(at);
        const full = period.st[at] ?? Number.NaN;
        const bytes = job.work.at(-1)?.edgeBytes[at] ?? Number.NaN;
        const carries = Number.isNaN(bytes) ? '' : `  ${formatBytes(bytes / seconds)}/s`;
        const said = Number.isNaN(full) ? 'not measured' : `full ${percent(full)}`;
        const arrow = padded(`${isHot ? '>' : ' '}   -> ${job.labelOf(to, 'cpu')}`, name + 2);
        return {
          text: `${arrow} ${barOf(detail?.fill.get(id) ?? full, { width, ascii })} ${said}${carries}`,
          hot: isHot,
        };
      });
    return { busy: Number.isNaN(busy) ? -1 : busy, lines: [head, ...edges] };
  });
}

/** The busiest that fit, in their order. */
function fitting(blocks: readonly Block[], rows: number): readonly Block[] {
  if (blocks.reduce((sum, { lines }) => sum + lines.length, 0) <= rows) return blocks;
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
function plainPeriod({ job, period }: LiveState): string {
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
  return `${at}: ${periodVerdict(graph, period, job.labelOf)} (works: ${busy.join(', ')}${edges})`;
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
