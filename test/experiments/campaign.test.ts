import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { quote } from '../../base/shell.ts';
import { plan, visitAgain } from '../../experiments/plan.ts';
import { findAddedNodes, readCampaign } from '../../experiments/store/campaign.ts';
import { readDoneCells, readRecord } from '../../experiments/store/cells.ts';
import { checkCampaign } from '../../experiments/store/check-campaign.ts';
import { type CampaignPlan, createOrOpenCampaign } from '../../experiments/store/create-campaign.ts';
import { listObservations } from '../../experiments/store/observations.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { readStatus } from '../../experiments/store/status.ts';
import { writeAttempt, writeCell } from '../../experiments/store/write-cell.ts';
import { parseSweep } from '../../experiments/sweep.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { campaignPlan, cellWith, failedRecord, goodRecord, newCampaign, nth, tempFolder } from './make.ts';

const output = { stdout: 'SCALE: 10\n', stderr: 'Running BFS 0\n' };

/** The same size, another content. */
function flipByte(path: string): void {
  const data = readFileSync(path);
  data[20] = (data[20] ?? 0) ^ 1;
  writeFileSync(path, data);
}

describe('campaign.json', () => {
  test('the same sweep goes on and changes nothing', async () => {
    const { dir } = await newCampaign();
    const before = readFileSync(join(dir, 'campaign.json'), 'utf8');
    const again = await createOrOpenCampaign(dir, { ...campaignPlan(), createdAt: '2030-01-01T00:00:00.000Z' });
    expect(again).toEqual(await readCampaign(dir));
    expect(readFileSync(join(dir, 'campaign.json'), 'utf8')).toBe(before);
  });

  test('another sweep adds its cells behind the old ones', async () => {
    const { dir, cells } = await newCampaign();
    const more = campaignPlan({ nodes: '4,9', bw: '50,20' });
    const merged = await createOrOpenCampaign(dir, more);
    expect(merged.cells.slice(0, cells.length)).toEqual(cells);
    expect(new Set(merged.cells.map((cell) => cell.id))).toEqual(
      new Set([...cells, ...more.cells].map((cell) => cell.id)),
    );
    expect(merged).toMatchObject({ sweep: campaignPlan().sweep, addedSweeps: [more.sweep] });
    expect(await readCampaign(dir)).toEqual(merged);
  });

  test('files that sweeps were asked by are kept as they were, each once, and sealed', async () => {
    const { dir } = await newCampaign();
    expect(await readCampaign(dir)).not.toHaveProperty('files');
    const file = { path: 'heat.yaml', text: '# why\nnodes: [1, 4]\n', flags: {} };
    await createOrOpenCampaign(dir, { ...campaignPlan(), file });
    const once = readFileSync(join(dir, 'campaign.json'), 'utf8');
    await createOrOpenCampaign(dir, { ...campaignPlan(), file });
    await createOrOpenCampaign(dir, campaignPlan());
    expect(readFileSync(join(dir, 'campaign.json'), 'utf8')).toBe(once);
    const other = { ...file, flags: { reps: 2 } };
    const { cells, addedSweeps, files } = await createOrOpenCampaign(dir, { ...campaignPlan(), file: other });
    expect([cells, addedSweeps, files]).toEqual([campaignPlan().cells, [], [file, other]]);
    expect((await checkCampaign(dir)).problems).toEqual([]);
    const path = join(dir, 'campaign.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('# why', '# hmm'));
    expect((await checkCampaign(dir)).problems).toMatchObject([{ problem: 'was changed after it was written' }]);
  });

  test('more visits to its own cells make no other sweep of it', async () => {
    const { dir, cells } = await newCampaign();
    const { sweep, ...rest } = campaignPlan();
    const workload = workloadOf({ kind: 'graph500', name: 'graph500' });
    const visit = visitAgain(nth(cells, 0), 9, { sweep, workload });
    const merged = await createOrOpenCampaign(dir, { ...rest, sweep, cells: [visit] });
    expect(merged.cells).toEqual([...cells, visit]);
    expect(merged.addedSweeps).toEqual([]);
    const more = campaignPlan({ nodes: '4,9' });
    await createOrOpenCampaign(dir, more);
    const other = visitAgain(nth(more.cells, 0), 9, { sweep: more.sweep, workload });
    const twice = await createOrOpenCampaign(dir, { ...more, cells: [other] });
    expect(twice.addedSweeps).toEqual([more.sweep]);
  });

  test.each<[string, (plan: CampaignPlan) => CampaignPlan]>([
    [
      'its workload is graph500, not mine',
      (p) => ({
        ...p,
        workload: {
          kind: 'command',
          name: 'mine',
          command: ['x'],
          time: { pattern: '(1)', unit: 's' },
          failure: [],
          ranks: 'any',
        },
      }),
    ],
    ['its cluster is lab, not other', (p) => ({ ...p, inventory: { ...p.inventory, cluster: 'other' } })],
    ['its line rate is 1 Gbit/s, not 200 Mbit/s', (p) => ({ ...p, inventory: { ...p.inventory, lineRateBps: 2e8 } })],
    ['it has 1 ranks per node, not 2', (p) => ({ ...p, inventory: { ...p.inventory, ranksPerNode: 2 } })],
    ['its seed is 1, not 2', (p) => ({ ...p, sweep: { ...p.sweep, seed: 2 } })],
  ])('another kind of campaign is refused: %s', async (message, change) => {
    const { dir } = await newCampaign();
    await expect(createOrOpenCampaign(dir, change(campaignPlan()))).rejects.toThrow(message);
    expect(await readCampaign(dir)).toMatchObject({ name: 'trial', addedSweeps: [] });
  });

  test.each([
    ['', /campaign\.json is not valid JSON .*Restore it from a copy/],
    ['{"schema": 1, "name"', /campaign\.json is not valid JSON/],
    ['{"schema": 3}', /has schema 3, but this version reads schemas 1 and 2/],
    ['{"schema": 1}', /is not a campaign at name: /],
    ['{"schema": 2}', /is not a campaign at name: /],
    ['[]', /is not a campaign at the top level: /],
    [`${'['.repeat(1e5)}${']'.repeat(1e5)}`, /is not a campaign at the top level: /],
  ])('a damaged file is one sentence with what to do: %j', async (text, message) => {
    const { dir } = await newCampaign();
    writeFileSync(join(dir, 'campaign.json'), text);
    await expect(readCampaign(dir)).rejects.toThrow(message);
    await expect(readStatus(dir)).rejects.toThrow(message);
    await expect(createOrOpenCampaign(dir, campaignPlan())).rejects.toThrow(message);
  });

  test('a sweep that names no seed had seed 1', async () => {
    const { dir } = await newCampaign();
    const path = join(dir, 'campaign.json');
    const { digest: _, ...campaign } = JSON.parse(readFileSync(path, 'utf8'));
    expect(campaign.sweep.seed).toBe(1);
    delete campaign.sweep.seed;
    writeFileSync(path, JSON.stringify({ ...campaign, schema: 1 }));
    expect((await readCampaign(dir)).sweep.seed).toBe(1);
  });

  test('a folder that is no campaign says so', async () => {
    const dir = tempFolder();
    await expect(readCampaign(dir)).rejects.toThrow(/is not a campaign: there is no .*campaign\.json/);
    await expect(readCampaign(join(dir, 'nowhere'))).rejects.toThrow('is not a campaign');
  });

  test('cells without campaign.json are not taken over', async () => {
    const { dir, cells } = await newCampaign();
    await writeCell(dir, goodRecord(nth(cells, 0)), output);
    rmSync(join(dir, 'campaign.json'));
    await expect(createOrOpenCampaign(dir, campaignPlan())).rejects.toThrow('has cells but no campaign.json');
  });
});

describe('cells', () => {
  test('a written cell is done and reads back', async () => {
    const { dir, cells } = await newCampaign();
    const record = goodRecord(nth(cells, 0));
    await writeCell(dir, record, output);
    const folder = join(dir, 'cells', record.cell.id);
    expect(readdirSync(folder).sort()).toEqual(['record.json', 'roots.parquet', 'stderr.txt', 'stdout.txt']);
    expect(readFileSync(join(folder, 'stdout.txt'), 'utf8')).toBe(output.stdout);
    expect(await readRecord(dir, record.cell.id)).toEqual(record);
    expect(await readDoneCells(dir)).toEqual(new Map([[record.cell.id, 'ok']]));
  });

  test('a failed cell is done as failed, and no record is replaced', async () => {
    const { dir, cells } = await newCampaign();
    const cell = nth(cells, 1);
    await writeCell(dir, failedRecord(cell), output);
    expect((await readStatus(dir)).cells).toEqual({ planned: cells.length, done: 1, failed: 1 });
    await expect(writeCell(dir, goodRecord(cell), output)).rejects.toThrow('is already stored');
    expect((await readStatus(dir)).cells).toEqual({ planned: cells.length, done: 1, failed: 1 });
    expect(readdirSync(join(dir, 'cells'))).toEqual([cell.id]);
  });

  test('the status counts per nodes and scale in their order', async () => {
    const { dir, cells } = await newCampaign({ nodes: '4,1' });
    await writeCell(dir, goodRecord(cellWith(cells, { nodes: 1 })), output);
    await writeCell(dir, failedRecord(cellWith(cells, { nodes: 4 })), output);
    expect((await readStatus(dir)).groups).toEqual([
      { nodes: 1, scale: 10, planned: 3, done: 1, failed: 0 },
      { nodes: 4, scale: 10, planned: 3, done: 1, failed: 1 },
    ]);
  });

  test('what a killed writer left is no cell, is not read, and goes at the next open', async () => {
    const { dir, cells } = await newCampaign();
    await writeCell(dir, goodRecord(nth(cells, 0)), output);
    const partial = join(dir, 'cells', `.${nth(cells, 1).id}.partial`);
    mkdirSync(partial);
    writeFileSync(join(partial, 'record.json'), '{"schema": 1, "ce');
    writeFileSync(join(partial, 'roots.parquet'), 'PAR1');
    writeFileSync(join(dir, '.campaign.json.partial'), '{');
    expect((await readDoneCells(dir)).size).toBe(1);
    expect((await openCampaign(dir)).records.length).toBe(1);
    expect((await readStatus(dir)).cells.done).toBe(1);
    expect(listObservations((await openCampaign(dir)).records).length).toBe(2);
    await createOrOpenCampaign(dir, campaignPlan());
    expect(readdirSync(join(dir, 'cells'))).toEqual([nth(cells, 0).id]);
    expect(
      readdirSync(dir)
        .filter((name) => name !== 'cache')
        .sort(),
    ).toEqual(['attempts', 'campaign.json', 'cells']);
  });

  test('a cell can be written where its killed writer left off', async () => {
    const { dir, cells } = await newCampaign();
    const cell = nth(cells, 0);
    mkdirSync(join(dir, 'cells', `.${cell.id}.partial`));
    writeFileSync(join(dir, 'cells', `.${cell.id}.partial`, 'leftover'), 'x');
    await writeCell(dir, goodRecord(cell), output);
    expect(existsSync(join(dir, 'cells', cell.id, 'leftover'))).toBe(false);
  });

  test('status tells what measuring cost: seconds beside the workload, and the share of a core for sampling', async () => {
    const { dir, cells } = await newCampaign();
    expect((await readStatus(dir)).overhead).toBeNull();
    const timing = (totalMs: number) => ({ totalMs, throttleMs: 0, workloadMs: 80, collectMs: 0 });
    for (const [index, totalMs] of [100, 280, 2080].entries()) {
      await writeCell(dir, { ...goodRecord(nth(cells, index)), timing: timing(totalMs) }, output);
    }
    // The median of 20, 200 and 2000 ms; 1 ms of CPU time in 80 ms.
    expect((await readStatus(dir)).overhead).toEqual({ perCellS: 0.2, samplerCpuPercent: expect.closeTo(1.25, 9) });
  });

  test.each(['', '{"status": "ok"', '{"status": "fine"}'])('a damaged record is named: %j', async (text) => {
    const { dir, cells } = await newCampaign();
    const { id } = nth(cells, 0);
    mkdirSync(join(dir, 'cells', id));
    writeFileSync(join(dir, 'cells', id, 'record.json'), text);
    const message = new RegExp(
      `The cell in .*${id} is damaged \\(record\\.json is .*moves it aside, and the next sweep measures this cell again`,
    );
    await expect(readStatus(dir)).rejects.toThrow(message);
    await expect(readRecord(dir, id)).rejects.toThrow(message);
  });

  test.each([
    ['samples that are gone', 'samples.parquet', (path: string) => rmSync(path), 'samples.parquet is missing'],
    [
      'an output cut short',
      'stdout.txt',
      (path: string) => truncateSync(path, 1),
      'stdout.txt has 1 bytes instead of 10',
    ],
    [
      'runs of another cell',
      'roots.parquet',
      (path: string) => flipByte(path),
      'roots.parquet was changed after it was measured',
    ],
  ])('a cell that is not whole is named by all who read cells: %s', async (_, file, damage, problem) => {
    const { dir, cells } = await newCampaign();
    const samples = [{ host: 'a', text: '1\tm\ti\t5\n' }];
    await writeCell(dir, goodRecord(nth(cells, 0)), { ...output, samples });
    const folder = join(dir, 'cells', nth(cells, 0).id);
    damage(join(folder, file));
    const sentence = `The cell in ${folder} is damaged (${problem}): 'predict status ${quote(dir)} --repair' moves it aside`;
    for (const read of [readStatus, openCampaign, readDoneCells]) {
      await expect(read(dir), read.name).rejects.toThrow(sentence);
    }
  });

  test('a cell is read and written whatever became of the others', async () => {
    const { dir, cells } = await newCampaign();
    await writeCell(dir, goodRecord(nth(cells, 0)), output);
    await writeCell(dir, goodRecord(nth(cells, 1)), output);
    rmSync(join(dir, 'cells', nth(cells, 1).id, 'roots.parquet'));
    expect(await readRecord(dir, nth(cells, 0).id)).toEqual(goodRecord(nth(cells, 0)));
    await writeCell(dir, goodRecord(nth(cells, 2)), output);
  });

  test('a record in the folder of another cell is named', async () => {
    const { dir, cells } = await newCampaign();
    await writeCell(dir, goodRecord(nth(cells, 0)), output);
    renameSync(join(dir, 'cells', nth(cells, 0).id), join(dir, 'cells', nth(cells, 1).id));
    await expect(readStatus(dir)).rejects.toThrow(`record.json is of cell ${nth(cells, 0).id}`);
  });

  test.each([
    ['its outcome', '"status":"ok"', '"status":"failed"'],
    ['its time', '"workloadMs":80', '"workloadMs":81'],
    ['a file less', '"roots.parquet"', '"other.parquet"'],
  ])('an edited record is named: %s', async (_, from, to) => {
    const { dir, cells } = await newCampaign();
    await writeCell(dir, goodRecord(nth(cells, 0)), output);
    const path = join(dir, 'cells', nth(cells, 0).id, 'record.json');
    const text = readFileSync(path, 'utf8');
    expect(text).toContain(from);
    writeFileSync(path, text.replace(from, to));
    await expect(readStatus(dir)).rejects.toThrow('is damaged (record.json was changed after it was written): ');
    writeFileSync(path, JSON.stringify(JSON.parse(text), null, 4));
    expect((await readStatus(dir)).cells.done).toBe(1);
  });

  test('what is no planned cell is named, hidden names are not', async () => {
    const { dir, cells } = await newCampaign();
    await writeCell(dir, goodRecord(nth(cells, 0)), output);
    writeFileSync(join(dir, 'cells', '.DS_Store'), 'x');
    expect((await readStatus(dir)).cells.done).toBe(1);
    for (const name of ['ffffffffffffffff', 'notes', `${nth(cells, 0).id}-copy`]) {
      mkdirSync(join(dir, 'cells', name));
      await expect(openCampaign(dir)).rejects.toThrow(`cells/${name} is not a cell of this campaign: 'predict status`);
      rmSync(join(dir, 'cells', name), { recursive: true });
    }
    await expect(writeCell(dir, goodRecord({ ...nth(cells, 0), id: 'f'.repeat(16) }), output)).rejects.toThrow(
      'has no cell ffffffffffffffff',
    );
  });

  test('an edited campaign.json is named', async () => {
    const { dir } = await newCampaign();
    const path = join(dir, 'campaign.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"ranksPerNode": 1', '"ranksPerNode": 2'));
    await expect(readStatus(dir)).rejects.toThrow(
      'campaign.json was changed after it was written. Restore it from a copy',
    );
    await expect(createOrOpenCampaign(dir, campaignPlan())).rejects.toThrow('was changed after it was written');
  });

  test('a record that does not fit its schema is not stored', async () => {
    const { dir, cells } = await newCampaign();
    const record = { ...goodRecord(nth(cells, 0)), startedAt: 'yesterday' };
    await expect(writeCell(dir, record, output)).rejects.toThrow();
    expect(readdirSync(join(dir, 'cells'))).toEqual([]);
  });

  test('readers see only whole cells while another one writes', async () => {
    const { dir, cells } = await newCampaign({ nodes: '1,4,9', bw: '10,50', reps: '2' });
    let writing = true;
    const write = async (): Promise<void> => {
      for (const cell of cells) await writeCell(dir, goodRecord(cell), output);
      writing = false;
    };
    const read = async (): Promise<number[]> => {
      const seen: number[] = [];
      while (writing) {
        const { done } = (await readStatus(dir)).cells;
        const rows = listObservations((await openCampaign(dir)).records, { roles: ['measure', 'drift'] });
        expect(rows.length).toBeGreaterThanOrEqual(2 * done);
        seen.push(done);
      }
      return seen;
    };
    const [, seen] = await Promise.all([write(), read()]);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect((await readStatus(dir)).cells).toEqual({ planned: cells.length, done: cells.length, failed: 0 });
  });
});

describe('attempts', () => {
  test('each try is kept with its reason under a number of its own', async () => {
    const { dir, cells } = await newCampaign();
    const cell = nth(cells, 0);
    const attempt = { cell, reason: 'node3 left.', host: 'node3', at: '2024-05-01T10:00:00.000Z', ...output };
    expect(await writeAttempt(dir, attempt)).toBe(join(dir, 'attempts', `${cell.id}-1`));
    const second = await writeAttempt(dir, { ...attempt, reason: 'The lease ran out.', host: undefined });
    expect(second).toBe(join(dir, 'attempts', `${cell.id}-2`));
    expect(JSON.parse(readFileSync(join(second, 'attempt.json'), 'utf8'))).toEqual({
      schema: 1,
      cell,
      attempt: 2,
      reason: 'The lease ran out.',
      host: null,
      at: attempt.at,
    });
    expect((await readDoneCells(dir)).size).toBe(0);
  });
});

const options = { workload: workloadOf({ kind: 'graph500', name: 'graph500' }), ranksPerNode: 1, hosts: 25 };
const sweepOf = (nodes: string) => parseSweep({ nodes, scales: '20', bw: '50' });

/** A campaign whose first sweep was asked for the first node counts, later ones for the others. */
const added = (first: string, ...later: readonly string[]): readonly number[] =>
  findAddedNodes({
    sweep: sweepOf(first),
    cells: [first, ...later].flatMap((nodes) => plan(sweepOf(nodes), options)),
  });

test.each<[string, readonly string[], readonly number[]]>([
  ['4,9', ['25,16'], [16, 25]],
  ['4,9', ['16', '25'], [16, 25]],
  ['4,9', ['4,9', '9,16'], [16]],
  ['4,9', ['4'], []],
  ['4,9', [], []],
  ['4', ['9'], []],
  ['9,16', ['4,25'], []],
  ['4,16', ['9'], []],
])('of a sweep over %s and later ones over %j, %j were added beyond', (first, later, expected) => {
  expect(added(first, ...later)).toEqual(expected);
});
