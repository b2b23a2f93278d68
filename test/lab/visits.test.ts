import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readEvents, readRecords, type SweepEvent } from '../../experiments/index.ts';
import { NEEDS, noLab, predict, predictJson, useLab } from './fixture.ts';

describe.skipIf(noLab)(`visits of a sweep ${NEEDS}`, () => {
  const lab = useLab({ name: 'test-visits', hosts: 4, cpu: '20%' });
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
  /** A loop of ours on a core of the machine, beside the lab, until the test is over. */
  const burn = (): void => {
    const child = spawn('/bin/sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
  };

  it('that others disturbed are marked and repeated at the end, as often as asked', async () => {
    burn();
    // 100 %, 20 % and the baseline again; each of them once more.
    expect(await sweep('burnt')).toMatchObject({ planned: 6, done: 6, failed: [], unmeasured: [] });
    const records = [...(await readRecords(join(lab.folder, 'burnt'))).values()];
    for (const { cell, marks } of records) {
      expect([cell.id, marks.map(({ kind }) => kind)]).toEqual([cell.id, expect.arrayContaining(['stolen-cpu'])]);
    }
    const more = added('burnt');
    expect(new Set(more.map(({ why }) => why))).toEqual(new Set(['visits that were disturbed are repeated']));
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
    expect([again.exitCode, again.stderr]).toEqual([0, expect.stringContaining('3 of 3 cells are measured already')]);
    expect((await readRecords(join(lab.folder, 'burnt'))).size).toBe(6);
  }, 120_000);

  it('are the planned ones alone with --repeats 0, whatever disturbs them', async () => {
    burn();
    expect(await sweep('left', '--repeats', '0')).toMatchObject({ planned: 3, done: 3 });
    expect(added('left')).toEqual([]);
    const records = [...(await readRecords(join(lab.folder, 'left'))).values()];
    expect(records.map(({ marks }) => marks.some(({ kind }) => kind === 'stolen-cpu'))).toEqual([true, true, true]);
  }, 120_000);

  it('go on for a precision until a cell has had its most roots', async () => {
    const flags = ['--repeats', '0', '--precision', '0.01%', '--most-roots', '12'];
    expect(await sweep('precise', ...flags)).toMatchObject({ planned: 6, done: 6, failed: [], unmeasured: [] });
    const runs = new Map<number, number>();
    for (const { cell, runs: own } of (await readRecords(join(lab.folder, 'precise'))).values()) {
      runs.set(cell.bw, (runs.get(cell.bw) ?? 0) + own.length);
    }
    expect(runs).toEqual(
      new Map([
        [100, 12],
        [20, 12],
      ]),
    );
    expect(events('precise').at(-1)).toMatchObject({ kind: 'sweep-ended', how: 'complete' });
  }, 120_000);

  it('go on for a precision until the budget is spent', async () => {
    await sweep('budget', '--repeats', '0', '--precision', '0.01%', '--budget', '25s');
    const all = events('budget');
    const late = new Set(added('budget').flatMap(({ cells }) => cells.map(({ id }) => id)));
    expect(late.size).toBeGreaterThan(0);
    const began = Date.parse(all[0]?.at ?? '');
    const starts = all.flatMap((event) =>
      event.kind === 'cell-started' && late.has(event.id) ? [(Date.parse(event.at) - began) / 1000] : [],
    );
    expect(starts).toHaveLength(late.size);
    expect(Math.max(...starts)).toBeLessThan(25);
    expect(all.at(-1)).toMatchObject({ kind: 'sweep-ended', how: 'complete' });
  }, 120_000);

  it('go where they narrow a projection, or nowhere, and say why, where none can be made', async () => {
    const flags = ['--repeats', '0', '--target', 'nodes=9,bw=20,scale=12', '--budget', '25s'];
    await sweep('target', ...flags, '--nodes', '1,4');
    expect(new Set(added('target').map(({ why }) => why))).toEqual(new Set(['they narrow the projection most']));
    expect(await sweep('no-target', ...flags, '--bw', '100')).toMatchObject({ planned: 2, done: 2 });
    expect(events('no-target').flatMap((event) => (event.kind === 'note' ? [event.text] : []))).toEqual([
      expect.stringMatching(/^no visit is added for the projection: /),
    ]);
  }, 120_000);
});
