import { createHash } from 'node:crypto';
import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import type { LiveState } from '../../../experiments/store/live-state.ts';
import { LIVE_POLICY, type LiveView, liveParts, renderLive } from '../../../report/live/render-live.ts';

const EVIL = '<img src=x onerror="alert(1)">';
const cell = {
  ...{ id: '00000000000000ab', workload: 'solver', nodes: 4, ranks: 4, scale: 0, params: { input: EVIL } },
  ...{ bw: 50, rep: 1, role: 'measure' as const, roots: 2 },
};
const one = { bw: 50, planned: 3, done: 2, failed: 1, state: 'failed', medianS: 0.25 } as const;
const probes = { count: 4, lowestBps: 9e6, lowestHost: EVIL, highestBps: 9.5e6 };
const state: LiveState = {
  ...{ name: EVIL, sweep: 'running', reason: null, at: '2024-05-01T10:00:00.000Z' },
  cells: { planned: 10, done: 5, failed: 1, unmeasured: 1 },
  ...{ secondsLeft: 90, endsAt: '2024-05-01T10:01:30.000Z', bandwidths: [100, 50] },
  rows: [{ nodes: 4, scale: 0, told: EVIL, configurations: [null, one] }],
  running: [{ cell, at: '2024-05-01T10:00:00.000Z', level: { bw: 50, rateBps: 1e7, probes, isNew: true } }],
  ...{ last: null, next: cell },
  news: [{ at: '2024-05-01T10:00:00.000Z', tone: 'failed', text: EVIL }],
};
const use = {
  ...{ id: cell.id, name: EVIL, seconds: 60, endedAt: '2024-05-01T09:59:00.000Z' },
  hosts: [{ host: EVIL, cpuPercent: [Number.NaN, 50, 100], outBps: [1e6, Number.NaN, 3e6], inBps: [] }],
};
const view: LiveView = { state, use, report: null };

test('what others named stands on the page as text, and so in its parts', () => {
  const { document } = parseHTML(renderLive(view));
  expect(document.querySelectorAll('img')).toHaveLength(0);
  expect(document.querySelector('h1')?.textContent).toBe(EVIL);
  expect(document.querySelector('#news p')?.textContent).toBe(EVIL);
  for (const [, content] of liveParts(view).parts) expect(content).not.toContain('<img');
});

test('it says how far the sweep is, what runs, when it ends, and what hosts used', () => {
  const { document } = parseHTML(renderLive(view));
  const textOf = (selector: string): string => document.querySelector(selector)?.textContent ?? '';
  expect(textOf('#summary')).toBe('Running: 5 of 10 cells done, 1 failed, 1 given up.');
  expect(textOf('#progress')).toBe('About 1 min 30 s left, until 10:01:30 UTC.');
  const widths = [...document.querySelectorAll('.bar rect')].map((rect) => rect.getAttribute('width'));
  expect(widths).toEqual(['40%', '20%', '10%']);
  expect(textOf('td.failed')).toBe('250 ms2 of 3, 1 failed');
  expect([...document.querySelectorAll('.use td small')].map(({ textContent }) => textContent)).toEqual([
    '75 %',
    '2 Mbit/s',
    'not read',
  ]);
  const paths = [...document.querySelectorAll('.spark path')].map((path) => path.getAttribute('d'));
  // 140 by 26: half and all of 100 %, a third and all of 3 Mbit/s, nothing.
  expect(paths).toEqual(['M70 13L140 1', 'M0 17L140 1', '']);
});

test('every part has its element, and the policy names the style and the script of the page', () => {
  const text = renderLive(view);
  const { document } = parseHTML(text);
  for (const [id] of liveParts(view).parts) expect(document.getElementById(id)).not.toBeNull();
  for (const name of ['style', 'script']) {
    const inside = new RegExp(`<${name}>([^]*?)</${name}>`).exec(text)?.[1] ?? '';
    const digest = createHash('sha256').update(inside).digest('base64');
    expect(LIVE_POLICY).toContain(`${name}-src 'sha256-${digest}'`);
  }
  expect(text).toContain(`content="${LIVE_POLICY}"`);
});

test('the report is a link where a server makes it, and a command where none is left', () => {
  const part = (report: LiveView['report']): string =>
    liveParts({ state: { ...state, running: [], next: null }, use: null, report }).parts.find(
      ([id]) => id === 'now',
    )?.[1] ?? '';
  expect(part({ href: 'report?token=x' })).toContain('<a href="report?token=x">');
  expect(part({ command: "predict report 'a b'" })).toContain('<code>predict report &#39;a b&#39;</code>');
  expect(part(null)).toBe('');
});
