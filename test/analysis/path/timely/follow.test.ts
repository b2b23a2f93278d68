import { describe, expect, it } from 'vitest';
import { pathSteps } from '../../../../analysis/path/graph/activity-path.ts';
import { criticalPath } from '../../../../analysis/path/graph/critical-path.ts';
import { slicesOf, wholeSlice } from '../../../../analysis/path/graph/segment.ts';
import { type CompleteSlice, FollowedTrace } from '../../../../analysis/path/timely/follow.ts';
import { generateTrace } from './generate-trace.ts';
import { analyseText } from './run-trace.ts';

const OPTIONS = { skew: new Map<number, number>(), waitFrom: 'op' } as const;
const SHAPE = { workers: 3, operators: 3, events: 20_000, input: 0.1, passOn: 0.9, exchange: 0.5 };

interface Followed {
  readonly slices: readonly CompleteSlice[];
  /** Slices that were there before the end of the trace. */
  readonly early: number;
  readonly problems: ReturnType<FollowedTrace['problems']>;
  /** Most activities and messages that were kept at a time. */
  readonly mostKept: number;
}

function follow(text: string, sliceNs: number): Followed {
  const followed = new FollowedTrace({ ...OPTIONS, sliceNs });
  const bytes = Buffer.from(text);
  const slices: CompleteSlice[] = [];
  let mostKept = 0;
  for (let at = 0; at < bytes.length; at += 5000) {
    slices.push(...followed.feed(bytes.subarray(at, at + 5000), { isAll: true }));
    const kept = followed.trace.traced().reduce((sum, { log }) => sum + log.waits.kept.length + log.waits.held, 0);
    mostKept = Math.max(mostKept, kept + followed.trace.joins.messages.length);
  }
  const early = slices.length;
  slices.push(...followed.finish());
  return { slices, early, problems: followed.problems(), mostKept };
}

describe('a trace that is followed', () => {
  it.each([3, 1])(
    'gives the slices of the whole trace, most of them before its end (%i workers a process)',
    async (perProcess) => {
      const text = [...generateTrace({ ...SHAPE, perProcess, seed: 11 })].join('');
      const { activities } = await analyseText(text);
      const whole = wholeSlice(activities);
      const sliceNs = Math.ceil((whole.endNs - whole.startNs) / 40);
      const { slices, early, mostKept } = follow(text, sliceNs);
      expect(slices.map(({ slice }) => slice)).toEqual(slicesOf(whole, sliceNs));
      for (const [index, slice] of slicesOf(whole, sliceNs).entries()) {
        const found = slices[index];
        if (found === undefined) throw new Error('a slice is missing');
        expect([...pathSteps(found.activities, found.path)]).toEqual([
          ...pathSteps(activities, criticalPath(activities, slice)),
        ]);
      }
      expect(early).toBeGreaterThan(30);
      expect(mostKept).toBeLessThan((activities.work.startNs.length + activities.transfers.startNs.length) / 2);
    },
  );

  it('counts events that come out of order, and those that come after their slice', () => {
    const text = [...generateTrace({ ...SHAPE, seed: 12 })].join('');
    const lines = text.trim().split('\n');
    const [late = ''] = lines.splice(3000, 1);
    lines.splice(15_000, 0, late);
    const [early = ''] = lines.splice(4001, 1);
    lines.splice(4010, 0, early);
    const { problems } = follow(`${lines.join('\n')}\n`, 20_000);
    const kinds = problems.map(({ kind }) => kind);
    expect(kinds).toContain('late event');
    expect(kinds).toContain('event out of order');
  });

  it('passes over slices without number where a clock jumps, and counts the jump', () => {
    const text = [...generateTrace({ ...SHAPE, events: 2000, seed: 13 })].join('');
    const { slices, problems } = follow(`${text}{"t":999999999999999,"w":0,"type":"PushProgress","op_id":1}\n`, 1000);
    expect(problems.map(({ kind }) => kind)).toContain('jump in time');
    expect(slices.length).toBeLessThan(1000);
  });

  it('keeps of a long spin little, and says that the worker waits meanwhile', () => {
    const head = [0, 1].map((w) => `{"t":0,"w":${w},"type":"Operates","id":0,"addr":[${w},0,1],"name":"Op"}`);
    const lines = [...head, '{"t":1,"w":1,"type":"Schedule","id":0,"start_stop":"Start"}'];
    for (let t = 2; t < 200_000; t += 4) {
      lines.push(`{"t":${t},"w":0,"type":"Schedule","id":0,"start_stop":"Start"}`);
      lines.push(`{"t":${t + 1},"w":0,"type":"Schedule","id":0,"start_stop":"Stop","activity":false}`);
    }
    lines.push('{"t":200000,"w":1,"type":"Schedule","id":0,"start_stop":"Stop","activity":true}');
    const { slices, early, mostKept } = follow(`${lines.join('\n')}\n`, 2000);
    expect(mostKept).toBeLessThan(5000);
    expect(early).toBeGreaterThan(50);
    // Worker 0 spins: the path lies on the other one, but for slices at the end, which no wait has ended.
    const onOther = slices.slice(0, early).filter(({ path }) => path.steps.worker.every((worker) => worker === 1));
    expect(onOther.length).toBeGreaterThan(early - 2);
  });
});
