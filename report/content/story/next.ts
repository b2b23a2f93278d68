import { at, formatSeconds, groupBy, joinWords, nodesText, sizeText } from '../../../base/index.ts';
import type { StoryLine } from './line.ts';

/** Cells to run, and what they do to the time at a target. */
export interface Advised {
  readonly cells: readonly {
    readonly nodes: number;
    readonly scale: number;
    readonly bw: number;
    readonly nodeHours: number;
  }[];
  /** Of today's standard error at the target, 0 to 1. */
  readonly standardErrorLeft: number;
  readonly target: { readonly nodes: number; readonly bw: number };
}

export interface NextFacts {
  /** Cells that are planned and have not run. */
  readonly open: number;
  /** On the hosts of the campaign; null where no model can tell. */
  readonly here: Advised | null;
  /** On a larger cluster, where these hosts can tell little. */
  readonly larger: Advised | null;
  /** Node counts that were measured. */
  readonly sizes: readonly number[];
  /** How many bandwidths were. */
  readonly bandwidths: number;
}

/** What to measure next, with the time it takes. */
export function nextLine({ open, here, larger, sizes, bandwidths }: NextFacts): StoryLine {
  const line = { id: 'next', question: 'What to measure next?', unit: 's', interval: null, value: null } as const;
  if (open > 0) {
    const cells = `${open} cell${open === 1 ? '' : 's'}`;
    const answer = `First the ${cells} of this campaign that have not run: start the same sweep again.`;
    return { ...line, short: cells, answer, detail: null };
  }
  if (sizes.length < 3 || bandwidths < 2) {
    const [few, full] = [sizes.length < 3, bandwidths < 2];
    const lacking = [...(few ? ['at least three cluster sizes'] : []), ...(full ? ['a bandwidth below 100 %'] : [])];
    const why = few ? 'no prediction can be tested otherwise' : 'what bandwidth is worth is not known otherwise';
    const short = few ? 'more sizes' : 'less bandwidth';
    return { ...line, short, answer: `Measure ${joinWords(lacking)}: ${why}.`, detail: null };
  }
  if (here === null) {
    const answer = 'The same cells again: no model describes them, and repetitions tell noise from shape.';
    return { ...line, short: 'repetitions', answer, detail: null };
  }
  const advised = larger ?? here;
  if (advised.cells.length === 0) {
    const answer = 'Nothing more: no run on the hosts of this campaign would narrow what is projected.';
    return { ...line, short: 'nothing', answer, detail: null };
  }
  const seconds = advised.cells.reduce((sum, { nodes, nodeHours }) => sum + (nodeHours / nodes) * 3600, 0);
  const time = formatSeconds(Math.max(1, Math.round(seconds)));
  const runs = `${advised.cells.length} run${advised.cells.length === 1 ? '' : 's'}`;
  const where = larger === null ? 'on the hosts of this campaign' : 'on a larger cluster';
  const little = larger === null ? '' : ` The best runs on the hosts of this campaign take ${gainOf(here)} off it.`;
  return {
    ...line,
    short: `${runs}, ${time}`,
    answer: `${runs} ${where}, some ${time} in all: ${settingsText(advised)}.`,
    detail: `That should take ${gainOf(advised)} off the standard error of the time on ${nodesText(advised.target.nodes)} at ${advised.target.bw} % bandwidth.${little}`,
    value: seconds,
  };
}

function settingsText({ cells }: Advised): string {
  const alike = groupBy(cells, ({ nodes, scale, bw }) => `${nodes} ${scale} ${bw}`);
  return alike
    .map((group) => {
      const { nodes, scale, bw } = at(group, 0);
      return `${nodesText(nodes)} at ${bw} % bandwidth${sizeText(scale)}${group.length > 1 ? `, ${group.length} times` : ''}`;
    })
    .join('; ');
}

function gainOf({ standardErrorLeft }: Advised): string {
  return `${Math.round((1 - standardErrorLeft) * 100)} %`;
}
