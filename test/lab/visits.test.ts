import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readEvents, type SweepEvent } from '../../experiments/store/campaign-events.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { isLong } from '../times.ts';
import { NEEDS, noLab, predict, predictJson, useLab } from './fixture.ts';

describe.skipIf(noLab)(`visits of a sweep ${NEEDS}`, () => {
  const lab = useLab({ name: 'test-visits', hosts: 4, cpu: '20%', linkMbit: 50 });
  interface Result {
    readonly planned: number;
    readonly done: number;
  }
  const sweep = (out: string, ...flags: string[]): Promise<Result> =>
    predictJson([
      ...['sweep', '--inventory', lab.inventory(), '--nodes', '4', '--scales', '12', '--bw', '20', '--roots', '4'],
      ...['--out', join(lab.folder, out), '--json', ...flags],
    ]);
  const events = (out: string): readonly SweepEvent[] => readEvents(join(lab.folder, out));
  const added = (out: string) => events(out).flatMap((event) => (event.kind === 'visits-added' ? [event] : []));
  /** A loop of ours on a core of the machine that nobody else wants, beside the lab, until the test is over. */
  const burn = (): void => {
    const child = spawn('nice', ['-n', '19', '/bin/sh', '-c', 'while :; do :; done'], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
  };

  it('that others disturbed are marked and repeated at the end, as often as asked', async () => {
    burn();
    // 100 %, 20 % and the baseline again; each of them once more.
    expect(await sweep('burnt')).toMatchObject({ planned: 6, done: 6, failed: [], unmeasured: [] });
    const records = (await openCampaign(join(lab.folder, 'burnt'))).records;
    for (const { cell, marks } of records) {
      expect([cell.id, marks.map(({ kind }) => kind)]).toEqual([cell.id, expect.arrayContaining(['stolen-cpu'])]);
    }
    const more = added('burnt');
    expect(new Set(more.map(({ why }) => why))).toEqual(new Set(['repeating disturbed runs']));
    expect(more.flatMap(({ cells }) => cells.map(({ bw, rep, role }) => `${bw} #${rep} ${role}`)).sort()).toEqual([
      ...['100 #3 measure', '100 #4 measure', '20 #2 measure'],
    ]);
    // Behind all that was planned.
    const order = events('burnt').flatMap((event) => (event.kind === 'cell-started' ? [event.id] : []));
    const late = new Set(more.flatMap(({ cells }) => cells.map(({ id }) => id)));
    expect(order.map((id) => late.has(id))).toEqual([false, false, false, true, true, true]);
    const again = await predict([
      ...['sweep', '--inventory', lab.inventory(), '--nodes', '4', '--scales', '12', '--bw', '20', '--roots', '4'],
      ...['--out', join(lab.folder, 'burnt')],
    ]);
    expect([again.exitCode, again.stderr]).toEqual([0, expect.stringContaining('3 of 3 cells are already measured')]);
    expect((await openCampaign(join(lab.folder, 'burnt'))).records.length).toBe(6);
  });

  if (isLong)
    it('go on for a precision until a cell has had its most roots', async () => {
      const flags = ['--repeats', '0', '--precision', '0.01%', '--most-roots', '8'];
      expect(await sweep('precise', ...flags)).toMatchObject({ planned: 4, done: 4, failed: [], unmeasured: [] });
      const runs = new Map<number, number>();
      for (const { cell, runs: own } of (await openCampaign(join(lab.folder, 'precise'))).records) {
        runs.set(cell.bw, (runs.get(cell.bw) ?? 0) + own.length);
      }
      expect(runs).toEqual(
        new Map([
          [100, 8],
          [20, 8],
        ]),
      );
      expect(events('precise').at(-1)).toMatchObject({ kind: 'sweep-ended', how: 'complete' });
    });
});
