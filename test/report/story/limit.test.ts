import { describe, expect, it } from 'vitest';
import type { Parts } from '../../../modeling/index.ts';
import type { Held } from '../../../report/content/story/held-up.ts';
import { limitLine } from '../../../report/content/story/limit.ts';

const parts = (work: number, overhead: number, link: number, largest: Parts['largest'] = null, wide = 5): Parts => {
  const about = (value: number) => ({ value, low: Math.max(0, value - wide), high: Math.min(100, value + wide) });
  return { percent: { work: about(work), overhead: about(overhead), link: about(link) }, largest };
};
const held = (cpu: number, network: number, unknown = 0): Held[] => [
  { name: 'cpu', label: 'the processors', percent: cpu },
  { name: 'network', label: 'the network', percent: network },
  { name: 'unexplained', label: 'no known resource', percent: unknown },
];
const say = (one: Parts | null, two: Held[]) =>
  limitLine({ parts: one, held: two, nodes: 25, bw: 100, noun: 'search' });

describe('what limits a program, by models and by Grade10', () => {
  it.each([
    [
      'overhead on busy processors',
      parts(10, 87, 3, 'overhead'),
      held(78, 1, 21),
      'the processors',
      /^The processors, not the link: models and Grade10 agree\. .* software of messages\.$/,
    ],
    [
      'work on busy processors',
      parts(87, 10, 3, 'work'),
      held(90, 1, 9),
      'the processors',
      /agree\. .* work that more ranks share\.$/,
    ],
    [
      'work or overhead, which the models cannot tell',
      parts(45, 52, 3),
      held(90, 1, 9),
      'the processors',
      /^The processors, not the link: models and Grade10 agree\.$/,
    ],
    [
      'the link on a busy network',
      parts(10, 10, 80, 'link'),
      held(20, 75, 5),
      'the network',
      /^The network: models and Grade10 agree that a faster link helps\.$/,
    ],
    [
      'the link on an idle network',
      parts(10, 10, 80, 'link'),
      held(78, 1, 21),
      'not agreed',
      /not agreed: the models see the link, Grade10 sees the processors\.$/,
    ],
    [
      'overhead on a busy network',
      parts(10, 87, 3, 'overhead'),
      held(20, 75, 5),
      'not agreed',
      /not agreed: .* no faster link would save, Grade10 sees the network\.$/,
    ],
    [
      'models that leave the link open',
      parts(30, 30, 40, null, 30),
      held(78, 1, 21),
      'the processors',
      /by Grade10 alone/,
    ],
    ['no models', null, held(20, 75, 5), 'the network', /^The network, by Grade10 alone/],
    [
      'time that Grade10 does not know',
      parts(10, 87, 3, 'overhead'),
      held(20, 1, 79),
      'not the link',
      /^Not the link, by the models alone: Grade10 finds no known resource/,
    ],
    ['no samples', parts(10, 10, 80, 'link'), [], 'the link', /^The link, by the models alone: no run was sampled\.$/],
    ['nothing', null, [], 'not known', /cannot be said: no run was sampled, and the models do not tell\.$/],
  ] as const)('%s', (_, one, two, short, answer) => {
    const line = say(one, [...two]);
    expect(line.short).toBe(short);
    expect(line.answer).toMatch(answer);
    // A fit's word for whatever grows with ranks: it is neither the network nor a resource.
    expect(`${line.answer} ${line.detail}`).not.toMatch(/communication/i);
  });

  it('gives the figures of both witnesses', () => {
    expect(say(parts(10, 87, 3, 'overhead'), held(78, 0.4, 21)).detail).toBe(
      'By Grade10 a search on 25 nodes at full bandwidth is held up by the processors for 78 % of its time and by the network for under 1 %. ' +
        'By the models 10 % (5 to 15 %) is work that ranks share, 87 % (82 to 92 %) is parallel overhead (messages, waiting, fixed costs), and an endless link would save 3 % (0 to 8 %).',
    );
  });
});
