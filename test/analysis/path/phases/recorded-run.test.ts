import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cellPaths } from '../../../../analysis/path/phases/cell-paths.ts';
import { loadPlatform } from '../../../../analysis/platform/load-platform.ts';
import { openCampaign } from '../../../../experiments/store/open-campaign.ts';
import { writeCell } from '../../../../experiments/store/write-cell.ts';
import { runGraph500 } from '../../../agents/run-graph500.ts';
import { cellWith, goodRecord, newCampaign, tempFolder } from '../../../experiments/make.ts';

const SEARCHES = 4;

describe.skipIf(!existsSync('/usr/bin/mpirun'))('a run of 4 ranks that recorded its messages (needs mpirun)', () => {
  test('has paths that last as long as its searches, through messages, and none without their other end', async () => {
    const [folder, { dir, cells }] = [tempFolder(), await newCampaign()];
    const file = (name: string): string => join(folder, name);
    const files = ['--phases', file('p.csv'), '--messages', file('m.csv'), '--roots-out', file('r.csv')];
    const size = ['--scale', '13', '--roots', String(SEARCHES), '--skip-validation', '--warm-up', '1'];
    expect((await runGraph500(4, ...size, ...files)).exitCode).toBe(0);
    const text = (name: string): string => readFileSync(file(name), 'utf8');
    const record = goodRecord(cellWith(cells, { nodes: 4, bw: 50 }));
    await writeCell(dir, record, { stdout: '', stderr: '', phases: text('p.csv'), messages: text('m.csv') });
    const platform = await loadPlatform('graph500');
    const { searches, inference, problems, transfersNs, meanNs } = await cellPaths(await openCampaign(dir), record, {
      ...{ platform, lineRateBps: 1e9 },
    });
    expect(problems).toEqual([]);
    expect(searches).toHaveLength(SEARCHES);
    const times = text('r.csv').trimEnd().split('\n').slice(1);
    for (const { root, lengthNs, profileNs, ranksNs, path, startNs, endNs } of searches) {
      const sum = (parts: Readonly<Record<string, number>>): number =>
        Object.values(parts).reduce((all, one) => all + one, 0);
      expect([sum(profileNs), sum(ranksNs)]).toEqual([lengthNs, lengthNs]);
      expect(path.map((step) => step.startNs)).toEqual([startNs, ...path.slice(0, -1).map((step) => step.endNs)]);
      expect(path.at(-1)?.endNs).toBe(endNs);
      // Timed from barrier to barrier.
      expect(lengthNs / 1e9).toBeLessThanOrEqual(Number(times[root]?.split(',')[2]));
    }
    expect(searches.reduce((all, { hops }) => all + hops, 0)).toBeGreaterThan(0);
    expect(inference?.onRankShare).toBeGreaterThan(0);
    expect(inference?.onRankShare).toBeLessThanOrEqual(1);
    for (const [key, { onLinkNs, delayNs }] of Object.entries(transfersNs)) {
      expect(onLinkNs + delayNs).toBeCloseTo(meanNs[key] ?? Number.NaN, 3);
    }
  });
});
