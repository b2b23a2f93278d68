import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../base/paths.ts';
import type { SweepEvent } from '../../experiments/store/campaign-events.ts';
import { createProgress } from '../../orchestrator/cli/progress.ts';
import { tempFolder } from '../experiments/make.ts';
import { runPredict } from '../run-predict.ts';
import { cells } from './queue/cells.ts';

/** Clears the screen in two ways, sets the title, fills the clipboard, turns the direction. */
const EVIL = '\u001b[2J\u009b2J\u001b]0;x\u0007\u001b]52;c;eA==\u0007\u202e\u007f';
const OBEYED = /(?![\n\t])\p{Cc}|[\u2028-\u202e\u2066-\u2069]/u;

test('a campaign says nothing to the terminal, and JSON means what it meant', async () => {
  const dir = join(tempFolder(), 'campaign');
  cpSync(join(projectRoot(), 'test/fixtures/campaigns/schema-1'), dir, { recursive: true });
  const path = join(dir, 'campaign.json');
  const campaign = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...campaign, name: EVIL }));
  const [text, json] = await Promise.all([runPredict(['status', dir]), runPredict(['status', dir, '--json'])]);
  for (const { stdout } of [text, json]) expect(stdout).not.toMatch(OBEYED);
  expect(text.stdout).toContain('\\u001b[2J\\u009b2J\\u001b]0;x\\u0007');
  expect(JSON.parse(json.stdout).name).toBe(EVIL);
});

test.each<[string, (folder: string) => string[]]>([
  [
    'what a program printed',
    (folder) => {
      writeFileSync(join(folder, 'out'), `AML: Fatal ${EVIL}\n`);
      return ['parse', 'graph500', join(folder, 'out')];
    },
  ],
  ['a path', (folder) => ['status', join(folder, EVIL)]],
  ['an option', () => ['status', `--${EVIL}`]],
  [
    'an inventory',
    (folder) => {
      writeFileSync(
        join(folder, 'i.yaml'),
        `cluster: "${EVIL.replaceAll('\u001b', '\\e').replaceAll('\u0007', '\\a')}"\n`,
      );
      return ['sweep', '--inventory', join(folder, 'i.yaml'), '--nodes', '4', '--dry-run'];
    },
  ],
])('an error about %s says nothing to the terminal', async (_, words) => {
  const { stderr, exitCode } = await runPredict(words(tempFolder()));
  expect(exitCode).toBeGreaterThan(1);
  expect(stderr).toContain('\\u001b');
  expect(stderr).not.toMatch(OBEYED);
});

test.each([true, false])('progress says nothing of its own to a terminal (%s)', (isTTY) => {
  let text = '';
  const write = (part: string): boolean => {
    text += part;
    return true;
  };
  const [cell] = cells(1);
  if (cell === undefined) throw new Error('no cell');
  const progress = createProgress([{ ...cell, params: { algorithm: EVIL } }], { write, isTTY, columns: 200 });
  const at = '2024-05-01T10:00:00.000Z';
  const events: SweepEvent[] = [
    { at, kind: 'cell-started', id: cell.id, attempt: 1 },
    { at, kind: 'cell-retried', id: cell.id, attempt: 1, reason: EVIL },
    { at, kind: 'note', text: EVIL },
    { at, kind: 'sweep-ended', how: 'failed', reason: EVIL },
  ];
  for (const event of events) progress(event);
  expect(text).toContain('algorithm=\\u001b[2J');
  // What it does itself: back to the line's start, clear it, and colours.
  expect(text.replaceAll(/\r\u001b\[K|\u001b\[(?:0|31|33)m/g, '')).not.toMatch(OBEYED);
});
