import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { trafficForm } from '../../modeling/forms/traffic-form.ts';
import { predictUnseen } from '../../modeling/judge/predict-unseen.ts';
import { askForUnseen, chooseAndFit, weighForms } from '../../modeling/questions/choose-and-fit.ts';
import { fromCampaign, type Measurements } from '../../modeling/questions/measurements.ts';
import { programSplits } from '../bench/truth/programs.ts';

/** Transposes of a matrix of 12 MB (test/fixtures/mpi-programs/alltoall.c) on an emulated cluster of 16 hosts. */
const ALL_TO_ALL = fileURLToPath(new URL('../fixtures/campaigns/alltoall', import.meta.url));

describe('counters of a program that reports no searches', () => {
  const asked = async (change: (source: Measurements) => Measurements) => {
    const source = change(fromCampaign(await openCampaign(ALL_TO_ALL), { trainNodes: [2, 4] }));
    const answers = askForUnseen(await weighForms(source, {}), source, { replicates: 200 });
    return (name: string) => answers.find((one) => one.name === name);
  };

  test('tell how its bytes go on, and so its time on four times the nodes', async () => {
    const source = fromCampaign(await openCampaign(ALL_TO_ALL), { trainNodes: [2, 4] });
    const { solved } = await chooseAndFit(source, { model: 'traffic' });
    expect(solved.fit.form.terms[1]?.basis).toEqual({ D: 1, s: 1, otherHosts: 1, x: expect.closeTo(-2, 1) });
    const told = await asked((one) => one);
    expect(told('traffic')?.heldOutNodes).toEqual([8, 16]);
    expect(told('traffic')?.medianErrorPercent).toBeLessThan(15);
    expect(told('auto')?.medianErrorPercent).toBeLessThan(40);
    expect(told('auto')?.insidePercent).toBeGreaterThan(85);
  });

  test('are what makes the difference', async () => {
    const told = await asked((one) => ({
      ...one,
      campaign: one.campaign && { ...one.campaign, traffic: async () => [] },
    }));
    expect(told('traffic')).toBeUndefined();
    expect(told('auto')?.medianErrorPercent).toBeGreaterThan(60);
  });
});

test('NAS FT from 2 and 4 nodes with the bytes of its array, all to all', () => {
  const split = programSplits('test/fixtures/mpi-programs', 0.4).find(({ name }) => name === 'ftW');
  if (!split) throw new Error('no ftW');
  const { training, unseen, ranksPerNode } = split;
  const scaling = { ranksPerNode, baseScale: -1 };
  const points = [2, 4].map((nodes) => ({ nodes, scale: 0, bytes: (6e7 * (nodes - 1)) / nodes ** 2, least: 0 }));
  const form = trafficForm(points, training, scaling);
  if (!form) throw new Error('no form');
  const told = predictUnseen(form, { training, unseen }, { ...scaling, errors: 'relative' });
  expect(told.heldOutNodes).toEqual([8, 16]);
  expect(told.medianErrorPercent).toBeLessThan(20);
  expect(
    predictUnseen('volume', { training, unseen }, { ...scaling, errors: 'relative' }).medianErrorPercent,
  ).toBeGreaterThan(70);
});
