import { expect, test } from 'vitest';
import { causeFindings } from '../../../../analysis/path/mpi/cause-findings.ts';
import type { Cell } from '../../../../experiments/records.ts';

/** Load imbalance of a seventh of a second per partner beside work that ranks share. */
const seconds = (nodes: number) => ({ cause: 0.05 * Math.sqrt(nodes), work: 4 / nodes });

const runs = [4, 9, 16].flatMap((nodes) =>
  [10, 100].map((bw) => {
    const { cause, work } = seconds(nodes);
    const length = (cause + work) * 1e9;
    const [ns, percent] = [cause * 1e9, (100 * cause * 1e9) / length];
    return {
      cell: { id: `${nodes}:${bw}`, nodes, ranks: nodes, scale: 20, bw, rep: 1, role: 'measure' } as Cell,
      meanNs: { length },
      causes: [
        { kind: 'load-imbalance' as const, rank: 2, host: 'node03', call: null, ns, percent, ratio: 3, messages: null },
      ],
    };
  }),
);

test('a cause is forecast for the node count that sentences name, by how it grows', () => {
  const of = (named: number | null) => causeFindings(runs, { noun: 'run', forecast: { ranksPerNode: 1, named } })[0];
  const { cause, work } = seconds(64);
  const percent = Math.round((100 * cause) / (cause + work));
  expect(of(64)?.sentence).toMatch(
    new RegExp(`^Load imbalance: rank 2 on node03 .* On 64 nodes the fits forecast ${percent} % \\(90 % interval`),
  );
  expect(of(null)?.sentence).not.toContain('forecast');
  const one = causeFindings(runs.slice(0, 1), { noun: 'run', forecast: { ranksPerNode: 1, named: 64 } });
  expect(one[0]?.sentence).not.toContain('forecast');
});
