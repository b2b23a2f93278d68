import { describe, expect, it } from 'vitest';
import { infrastructure } from '../../base/errors.ts';
import { asSeconds } from '../../base/units.ts';
import { Ending, type EndingStep } from '../../orchestrator/ending.ts';

function trial(): { ending: Ending; said: string[]; done: string[]; step: (change: Partial<EndingStep>) => void } {
  const [said, done]: [string[], string[]] = [[], []];
  const ending = new Ending((text) => void said.push(text));
  const step = (change: Partial<EndingStep>): void => {
    const { stage = 'links', what = stage } = change;
    ending.add({ stage, what, boundS: asSeconds(1), run: () => void done.push(what), ...change });
  };
  return { ending, said, done, step };
}

describe('the end of a sweep', () => {
  it('restores links first and closes connections last, in whatever order they were taken', async () => {
    const { ending, said, done, step } = trial();
    for (const stage of ['connections', 'locks', 'links', 'queue', 'workload'] as const) step({ stage });
    await ending.run();
    expect(done).toEqual(['links', 'workload', 'locks', 'queue', 'connections']);
    expect(said).toEqual([]);
  });

  it('goes on after a step that fails or never ends, and says what did not work', async () => {
    const { ending, said, done, step } = trial();
    step({ what: 'restoring the links', boundS: asSeconds(0.05), run: () => new Promise(() => undefined) });
    step({ stage: 'locks', what: 'unlocking', run: () => Promise.reject(infrastructure('n2 is gone.')) });
    const thrower = (): never => {
      throw new Error('no socket');
    };
    step({ stage: 'queue', what: 'closing the queue', run: thrower });
    step({ stage: 'connections' });
    await ending.run();
    expect(done).toEqual(['connections']);
    expect(said).toEqual([
      'restoring the links did not work: it took longer than 0.05 s.',
      'unlocking did not work: n2 is gone.',
      'closing the queue did not work: no socket.',
    ]);
  });

  it('does nothing twice', async () => {
    const { ending, done, step } = trial();
    step({});
    await ending.run();
    await ending.run();
    expect(done).toEqual(['links']);
  });
});
