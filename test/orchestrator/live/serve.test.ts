import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../../base/paths.ts';
import {
  appendEvents,
  finishedNews,
  type SweepEvent,
  type SweepNews,
} from '../../../experiments/store/campaign-events.ts';
import { eventsPath } from '../../../experiments/store/campaign-folders.ts';
import { createOrOpenCampaign } from '../../../experiments/store/create-campaign.ts';
import { lockCampaign } from '../../../experiments/store/lock.ts';
import { writeCell } from '../../../experiments/store/write-cell.ts';
import { controllerName } from '../../../orchestrator/hosts/controller-lock.ts';
import { campaignPlan, goodRecord, newCampaign, nth } from '../../experiments/make.ts';
import { runPredict } from '../../run-predict.ts';
import { openStream, type Stream } from './streams.ts';

const PROGRAM = join(projectRoot(), 'dist', 'program', 'main.cjs');
const NOW = '2024-05-01T10:00:00.000Z';
const stamped = (news: SweepNews): SweepEvent => ({ ...news, at: NOW }) as SweepEvent;

/** A server of its own process on a new campaign, as a user starts it. */
async function served() {
  const dir = join(mkdtempSync(join(tmpdir(), 'live-')), 'campaign');
  const { cells } = await createOrOpenCampaign(dir, campaignPlan({ nodes: '1,4', bw: '50' }));
  // The sweep that seems to run is this process.
  const lock = await lockCampaign(dir, controllerName('sweep of a test'));
  const child = spawn(process.execPath, [PROGRAM, 'serve', dir], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [link] = (await once(createInterface(child.stdout), 'line')) as [string];
  const append = appendEvents(dir);
  return { dir, cells, lock, child, link, tell: (news: SweepNews) => append(stamped(news)) };
}

let all: Awaited<ReturnType<typeof served>>;
beforeAll(async () => {
  all = await served();
});
afterAll(() => {
  all.child.kill('SIGKILL');
  all.lock.release();
  rmSync(dirname(all.dir), { recursive: true });
});

interface Answered {
  readonly status: number;
  readonly head: Readonly<Record<string, unknown>>;
  readonly text: string;
}

function ask(link: string, options: { readonly method?: string; readonly host?: string } = {}): Promise<Answered> {
  const { method = 'GET', host } = options;
  return new Promise((resolve, reject) => {
    const headers = host === undefined ? {} : { host };
    request(link, { method, headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, head: answer.headers, text }));
    })
      .on('error', reject)
      .end();
  });
}

test('eight viewers at once get each event, and a page without its script has them too', async () => {
  const { link, cells, dir, tell } = all;
  const streams: Stream[] = await Promise.all(Array.from({ length: 8 }, () => openStream(link)));
  const allHave = (wanted: string) => Promise.all(streams.map((stream) => stream.has(wanted)));
  await allHave('No sweep has run yet: 0 of 6 cells done');
  const first = nth(cells, 0);
  tell({ kind: 'sweep-begun', planned: cells.map(({ id }) => id), done: [] });
  tell({ kind: 'cell-started', id: first.id, attempt: 1 });
  await allHave('Its links are being set and probed');
  tell({
    ...{ kind: 'level-proved', id: first.id, bw: 50, rateBps: 5e8, isNew: true },
    probes: { count: 4, lowestBps: 4.7e8, lowestHost: 'node2', highestBps: 4.8e8 },
  });
  await allHave('470 Mbit/s (node2) to 480 Mbit/s: 94 to 96 % of 500 Mbit/s set');
  const record = goodRecord(first, [0.25, 0.75]);
  await writeCell(dir, record, { stdout: '', stderr: '' });
  tell(finishedNews(record));
  await allHave('Running: 1 of 6 cells done');
  // A line that is not whole yet is waited for, whatever is asked meanwhile.
  const line = `${JSON.stringify(stamped({ kind: 'note', text: 'halves were joined' }))}\n`;
  appendFileSync(eventsPath(dir), line.slice(0, 30));
  expect((await ask(link)).text).not.toContain('halves');
  appendFileSync(eventsPath(dir), line.slice(30));
  await allHave('halves were joined');
  const { status, text } = await ask(link);
  expect(status).toBe(200);
  expect(text).toContain('<td class="state');
  expect(text).toMatch(/500 ms<small>1 of \d/);
  for (const stream of streams) stream.close();
});

test.each([
  ['', 'without a token'],
  ['?token=', 'with an empty one'],
  ['?token=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'with another one'],
])('nothing of the campaign is answered to a request %s (%s)', async (query) => {
  const { origin, searchParams } = new URL(all.link);
  expect(searchParams.get('token')).toMatch(/^[\w-]{32}$/);
  for (const path of ['/', '/events', '/report', '/campaign.json', '/../campaign.json']) {
    const { status, text } = await ask(`${origin}${path}${query}`);
    expect([status, text]).toEqual([403, 'Forbidden\n']);
  }
});

test('no other file is served, to no other name and by no other method', async () => {
  const { link } = all;
  const at = (path: string): string => link.replace('/?', `/${path}?`);
  for (const path of ['campaign.json', 'events.jsonl', 'cells', '%2e%2e/campaign/campaign.json', 'report/x'])
    expect((await ask(at(path))).status).toBe(404);
  for (const host of ['attacker.example', '127.0.0.1.attacker.example:80'])
    expect((await ask(link, { host })).text).toBe('Forbidden\n');
  for (const host of ['localhost:9000', '[::1]:80', '127.0.0.1']) expect((await ask(link, { host })).status).toBe(200);
  for (const method of ['POST', 'DELETE', 'HEAD']) expect((await ask(link, { method })).status).toBe(405);
});

test('the page runs its own script and nothing else', async () => {
  const { head, text } = await ask(all.link);
  const policy = String(head['content-security-policy']);
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  );
  expect(text).not.toMatch(/ style="| on\w+="|src="|href="http/);
  expect(head).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
});

test('the report is made once no sweep runs, and SIGTERM ends the server and its streams', async () => {
  const { link, tell, child } = all;
  const stream = await openStream(link);
  const report = link.replace('/?', '/report?');
  expect((await ask(report)).status).toBe(409);
  tell({ kind: 'sweep-ended', how: 'interrupted', reason: 'Interrupted.' });
  await stream.has('href=\\"report?token=');
  const { status, text } = await ask(report);
  expect([status, text.slice(0, 15)]).toEqual([200, '<!doctype html>']);
  expect(text).toContain('This file contains everything it needs.');
  child.kill('SIGTERM');
  await stream.ended;
  expect(stream.text()).toMatch(/\n\nevent: end\ndata:\n\n$/);
  expect(await once(child, 'exit')).toEqual([130, null]);
});

test.each([
  ['8080', /^predict: --listen: '8080' is not an address: write ADDRESS or ADDRESS:PORT/],
  ['127.0.0.1:70000', /is not an address/],
  ['192.0.2.1', /^predict: --listen: 192\.0\.2\.1:0 cannot be listened on/],
])('--listen %s is bad input', async (address, message) => {
  const { dir } = await newCampaign();
  const { exitCode, stderr } = await runPredict(['serve', dir, '--listen', address]);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
});

test('a sweep that cannot serve ends before anything is measured', async () => {
  const { dir } = await newCampaign();
  const inventory = join(dir, 'cluster.yaml');
  writeFileSync(inventory, 'cluster: a\nhosts: [n1]\nnetwork: {interface: eth0}\nlineRate: 1gbit\n');
  const words = ['sweep', '--inventory', inventory, '--nodes', '1', '--scales', '10', '--out', join(dir, 'new')];
  const { exitCode, stderr } = await runPredict([...words, '--serve', '192.0.2.1:80']);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^predict: --serve: 192\.0\.2\.1:80 cannot be/m)]);
});

test('status --watch has a line for each event, and ends with the sweep', async () => {
  const { dir, cells } = await newCampaign();
  const [first, second] = [nth(cells, 0), nth(cells, 1)];
  const lock = await lockCampaign(dir, controllerName('sweep of a test'));
  const append = appendEvents(dir);
  append(stamped({ kind: 'sweep-begun', planned: cells.map(({ id }) => id), done: [] }));
  const child = spawn(process.execPath, [PROGRAM, 'status', dir, '--watch'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const reader = createInterface(child.stdout);
  const ended = once(child, 'exit');
  for await (const line of reader) {
    lines.push(line);
    if (lines.length === 1) append(stamped({ kind: 'cell-retried', id: first.id, attempt: 1, reason: 'n2 is gone.' }));
    if (lines.length === 2) append(stamped(finishedNews(goodRecord(second))));
    if (lines.length === 3) append(stamped({ kind: 'sweep-ended', how: 'incomplete', reason: 'One is missing.' }));
  }
  lock.release();
  expect(await ended).toEqual([0, null]);
  expect(lines).toEqual([
    `trial: Running: 0 of ${cells.length} cells done, 0 failed.`,
    expect.stringMatching(/^attempt 1 of .* was invalid, retrying: n2 is gone\.$/),
    expect.stringMatching(/^\[1\/\d+\] .*: median 375 ms of 2/),
    `trial: Incomplete: 1 of ${cells.length} cells done, 0 failed.`,
  ]);
});
