import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll } from 'vitest';
import { projectRoot } from '../../base/paths.ts';
import { readCampaign } from '../../experiments/store/campaign.ts';
import { appendEvents, readEvents } from '../../experiments/store/campaign-events.ts';
import { cellTraces } from '../../experiments/store/cell-trace.ts';
import { readRecord } from '../../experiments/store/cells.ts';
import { createOrOpenCampaign } from '../../experiments/store/create-campaign.ts';
import { writeCell } from '../../experiments/store/write-cell.ts';
import { traceProblem } from '../../experiments/trace.ts';
import { campaignPlan, goodRecord, nth } from '../experiments/make.ts';
import { damagedTexts } from './mutations.ts';
import { fuzz } from './reader.ts';

const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const dir = join(folder, 'campaign');
const { cells } = await createOrOpenCampaign(dir, campaignPlan());
const cell = nth(cells, 0);
await writeCell(dir, goodRecord(cell), { stdout: 'out\n', stderr: '' });
const old = join(folder, 'old');
cpSync(join(projectRoot(), 'test/fixtures/campaigns/schema-1'), old, { recursive: true });

// The readers of cells read the campaign as well: it is damaged in a copy.
const other = join(folder, 'other');
cpSync(dir, other, { recursive: true });
const campaign = join(other, 'campaign.json');
fuzz({
  name: 'campaign.json',
  inputs: damagedTexts([readFileSync(campaign, 'utf8'), readFileSync(join(old, 'campaign.json'), 'utf8')]),
  read: (text) => {
    writeFileSync(campaign, text);
    return readCampaign(other);
  },
});

const record = join(dir, 'cells', cell.id, 'record.json');
fuzz({
  name: 'record.json',
  inputs: damagedTexts([readFileSync(record, 'utf8')]),
  read: (text) => {
    writeFileSync(record, text);
    return readRecord(dir, cell.id);
  },
});

const events = join(dir, 'events.jsonl');
const tell = appendEvents(dir);
const at = '2024-05-01T10:00:00.000Z';
const timing = { totalMs: 4_000, throttleMs: 500, workloadMs: 3_000, collectMs: 500 };
tell({ at, kind: 'sweep-begun', planned: cells.map(({ id }) => id), done: [] });
tell({ at, kind: 'cell-started', id: cell.id, attempt: 1 });
tell({ at, kind: 'cell-retried', id: cell.id, attempt: 1, reason: 'n2 is gone.' });
tell({ at, kind: 'cell-finished', id: cell.id, status: 'ok', reason: null, timing, runs: 2, medianS: 0.5, marks: [] });
tell({ at, kind: 'sweep-ended', how: 'complete', reason: null });
fuzz({
  name: 'events.jsonl',
  inputs: damagedTexts([readFileSync(events, 'utf8')]),
  read: (text) => {
    writeFileSync(events, text);
    return readEvents(dir);
  },
});

const traced = join(folder, 'traced');
await createOrOpenCampaign(traced, campaignPlan());
const PHASES =
  'worker,phase,start_ns,end_ns,bytes_sent,asleep_ns,root,level\n0,bfs,100,200,3,4,0,\n0,expand,110,150,3,4,0,1\n1,bfs,100,210,,,0,\n';
const SAMPLES =
  '1000\tnet.rx_bytes\teth0\t900\n2000\tnet.rx_bytes\teth0\t990\n2000\trank.cpu_ns\t0\t12\n#end samples=2 missed=0 cpu_ns=5\n';
fuzz({
  name: 'traces and samples of a cell',
  inputs: fc.oneof(
    damagedTexts([PHASES]).map((phases) => ({ phases, samples: SAMPLES })),
    damagedTexts([SAMPLES]).map((samples) => ({ phases: PHASES, samples })),
  ),
  read: async ({ phases, samples }) => {
    if (traceProblem({ phases }) !== null) return null;
    rmSync(join(traced, 'cells', cell.id), { recursive: true, force: true });
    await writeCell(traced, goodRecord(cell), {
      stdout: '',
      stderr: '',
      phases,
      samples: [{ host: 'a', text: samples }],
    });
    const trace = await cellTraces(traced).trace(cell.id, ['net.rx_bytes', 'rank.cpu_ns']);
    // A key that does not apply to a span, and sleep that nobody measured, are NaN there.
    return trace === null ? [] : [trace.counters, trace.spans.worker, trace.spans.startNs, trace.spans.endNs];
  },
});
