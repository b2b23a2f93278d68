import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { explainCampaign, goodRuns } from '../../analysis/explain-campaign.ts';
import { pathCampaign } from '../../analysis/path/across/path-campaign.ts';
import { loadPlatform } from '../../analysis/platform/load-platform.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { readReportInput } from '../../report/content/from-campaign.ts';
import { cloneCampaign } from '../bench/clone-campaign.ts';
import { tempFolder } from '../experiments/make.ts';

const CELLS = 4;

/** What a campaign is asked, each answer as text with every digit. */
const QUESTIONS: Readonly<Record<string, (dir: string) => Promise<string>>> = {
  grade10: async (dir) => {
    const found = await explainCampaign(await goodRuns(await openCampaign(dir)));
    return JSON.stringify({ ...found, platform: null });
  },
  paths: async (dir) => JSON.stringify(await pathCampaign(await goodRuns(await openCampaign(dir)))),
  traffic: async (dir) => JSON.stringify(await (await openCampaign(dir)).traffic()),
  report: async (dir) =>
    JSON.stringify(await readReportInput(await openCampaign(dir), { generatedAt: '2026-01-01T00:00:00.000Z' })),
};

describe('answers from what a campaign keeps', () => {
  let dir: string;

  beforeAll(async () => {
    dir = join(mkdtempSync(join(tmpdir(), 'kept-')), 'clones');
    await cloneCampaign(dir, { count: CELLS });
    await delay(2300);
  });

  test.each(Object.keys(QUESTIONS))(
    'are those without it to the last digit, the first time and again: %s',
    async (name) => {
      const ask = QUESTIONS[name];
      if (ask === undefined) throw new Error(name);
      const without = join(tempFolder(), 'copy');
      cpSync(dir, without, { recursive: true });
      rmSync(join(without, 'cache'), { recursive: true, force: true });
      // A copy of a moment ago keeps nothing.
      const expected = await ask(without);
      const first = await ask(dir);
      expect(first.replaceAll(dir, '')).toBe(expected.replaceAll(without, ''));
      expect(await ask(dir)).toBe(first);
    },
  );

  test('explain no run a second time', async () => {
    const good = async () => {
      const open = await openCampaign(dir);
      const never = async (): Promise<never> => {
        throw new Error('a trace is read');
      };
      return await goodRuns({ ...open, trace: never, spans: never, together: () => ({ trace: never, spans: never }) });
    };
    await explainCampaign(await goodRuns(await openCampaign(dir)));
    await pathCampaign(await goodRuns(await openCampaign(dir)));
    expect((await explainCampaign(await good()))?.runs).toHaveLength(CELLS);
    expect((await pathCampaign(await good()))?.cells).toHaveLength(CELLS);
  });

  test('are not those of a model of the user', async () => {
    const own = await goodRuns(await openCampaign(dir), { platform: await loadPlatform('mpi') });
    expect((await explainCampaign(own))?.runs[0]?.summary.focus).toBe('/');
    const finer = await goodRuns(await openCampaign(dir), { timesliceNs: 5e5 });
    expect((await explainCampaign(finer))?.runs[0]?.summary.sliceSeconds).toBe(5e-4);
  });
});
