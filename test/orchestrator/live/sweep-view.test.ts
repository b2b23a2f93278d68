import { expect, it } from 'vitest';
import { readEvents, type SweepEvent } from '../../../experiments/store/campaign-events.ts';
import { parseSweep } from '../../../experiments/sweep.ts';
import { openSweepView } from '../../../orchestrator/live/sweep-view.ts';
import { planSweep } from '../../../orchestrator/run-sweep.ts';
import { FLAGS, Trial, WORKLOAD } from '../fake/trial.ts';
import { FakeWorld } from '../fake/world.ts';
import { openStream } from './streams.ts';

it('shows a sweep from its preparation to its end, and then closes its streams', async () => {
  const trial = new Trial(new FakeWorld(2));
  const notes: string[] = [];
  const view = await openSweepView({ listen: true, out: trial.out, note: (text) => notes.push(text) });
  const stream = await openStream(view.link);
  await stream.has('"summary","Preparing the hosts."');
  view.plan(planSweep({ sweep: parseSweep(FLAGS), workload: WORKLOAD, inventory: trial.world.inventory }));
  await stream.has('Preparing the hosts: 0 of 4 cells done, 0 failed.');
  const onEvent = (event: SweepEvent): void => view.take(event);
  const { done } = await trial.sweep({ onEvent });
  expect(done).toBe(4);
  await stream.has('Complete: 4 of 4 cells done, 0 failed.');
  expect(stream.text()).not.toContain('predict report');
  await view.end();
  await stream.ended;
  expect(stream.text()).toContain('<code>predict report ');
  expect(stream.text()).toMatch(/event: end\ndata:\n\n$/);
  const proofs = readEvents(trial.out).filter(({ kind }) => kind === 'level-proved');
  expect(proofs).toHaveLength(4);
  expect(notes).toEqual([]);
});

it('goes on where a campaign stands, and a view that fails costs the sweep nothing', async () => {
  const trial = new Trial(new FakeWorld(2));
  await trial.sweep();
  const notes: string[] = [];
  const view = await openSweepView({ listen: '127.0.0.1:0', out: trial.out, note: (text) => notes.push(text) });
  const stream = await openStream(view.link);
  await stream.has('Preparing the hosts: 4 of 4 cells done');
  view.take({ kind: 'cell-finished', at: 'never' } as unknown as SweepEvent);
  await view.end();
  await stream.ended;
  expect(notes).toEqual([expect.stringMatching(/^predict: the live view failed: .*; the sweep continues\.$/)]);
});
