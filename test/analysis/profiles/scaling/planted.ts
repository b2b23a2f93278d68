import type { StackSeconds } from '../../../../analysis/profiles/scaling/profiled-run.ts';
import type { Cell } from '../../../../experiments/records.ts';
import type { StackTable } from '../../../../experiments/stacks/stack-columns.ts';
import { writeCell } from '../../../../experiments/store/write-cell.ts';
import { goodRecord, newCampaign } from '../../../experiments/make.ts';

export const WORK = ['main', 'bfs', 'work'];
export const LINK = ['main', 'bfs', 'exchange', 'MPI_Waitall'];
export const MEET = ['main', 'bfs', 'MPI_Allreduce'];

/** Shared work, a volume that the link carries, and messages to partners, each by its own law. */
export function stacksAt({ nodes, bw, rep }: { nodes: number; bw: number; rep: number }): StackSeconds[] {
  const noise = (seed: number): number => 1 + 0.01 * Math.sin(seed * 12.9898 + nodes * 78.233 + bw * 3.7 + rep * 9.1);
  const one = (frames: string[], kind: StackSeconds['kind'], phase: string, seconds: number): StackSeconds => {
    return { frames, kind, phase, seconds };
  };
  return [
    one(WORK, 'cpu', 'compute', (0.8 / nodes) * noise(1)),
    one(LINK, 'wait', 'exchange', ((0.02 * (100 / bw)) / Math.sqrt(nodes)) * noise(2)),
    one(MEET, 'wait', 'meet', 0.02 * Math.sqrt(nodes) * noise(3)),
    one(['main', 'tiny'], 'cpu', 'compute', 1e-4),
  ];
}

/** Of two ranks and two searches, twice what `stacksAt` says in each. */
function tableOf(cell: Cell): StackTable {
  const stacks = stacksAt(cell);
  return {
    stacks: stacks.map(({ frames }) => frames.join(';')),
    rows: stacks.flatMap(({ kind, phase, seconds }, stack) =>
      Array.from({ length: cell.ranks }, (_, rank) => rank).flatMap((rank) => [
        ...[0, 1].map((search) => ({ host: 'a', rank, search, phase, kind, stack, samples: 1, seconds })),
        { host: 'a', rank, search: null, phase: null, kind, stack, samples: 1, seconds: 99 },
      ]),
    ),
  };
}

/** A campaign whose profiled runs saw what `stacksAt` says. */
export async function profiledCampaign(flags: Parameters<typeof newCampaign>[0]): Promise<string> {
  const { dir, cells } = await newCampaign({ ...flags, profile: 'wall' });
  await writeProfiled(dir, cells);
  return dir;
}

/** Fills a new campaign's cells, some of which are to be profiled. */
export async function writeProfiled(dir: string, cells: readonly Cell[]): Promise<void> {
  for (const cell of cells) {
    const stacks = cell.role === 'profile' ? tableOf(cell) : undefined;
    await writeCell(dir, goodRecord(cell), { stdout: '', stderr: '', stacks });
  }
}
