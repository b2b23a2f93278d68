import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Parts } from '../../../modeling/answers/savings.ts';
import type { Held } from '../../../report/answers/answer-causes.ts';
import { answerLimit } from '../../../report/answers/limit.ts';

const parts = (work: number, overhead: number, link: number, largest: Parts['largest'] = null, wide = 5): Parts => {
  const about = (value: number) => ({ value, low: Math.max(0, value - wide), high: Math.min(100, value + wide) });
  return { percent: { work: about(work), overhead: about(overhead), link: about(link) }, largest };
};
const held = (cpu: number, network: number, unknown = 0): Held[] => [
  { name: 'cpu', label: 'the processors', percent: cpu },
  { name: 'network', label: 'the network', percent: network },
  { name: 'unexplained', label: 'no known resource', percent: unknown },
];
const setting = { nodes: 25, scale: 20, bw: 100 };
const none = { path: null, stacks: null, cause: null, doubts: {} };
const say = (one: Parts | null, two: readonly Held[]) =>
  answerLimit({ ...none, parts: one, held: two, setting, noun: 'search' });

describe('what limits a program, by the model and by Grade10', () => {
  it.each([
    [
      'overhead on busy processors',
      parts(10, 87, 3, 'overhead'),
      held(78, 1, 21),
      ['not the link', 'the processors', 'the processors', true],
      /^The processors, not the link: the model and Grade10 agree\. .* software of messages\.$/,
    ],
    [
      'work on busy processors',
      parts(87, 10, 3, 'work'),
      held(90, 1, 9),
      ['not the link', 'the processors', 'the processors', true],
      /agree\. They are busy with parallel work\.$/,
    ],
    [
      'work or overhead, which the model cannot tell',
      parts(45, 52, 3),
      held(90, 1, 9),
      ['not the link', 'the processors', 'the processors', true],
      /^The processors, not the link: the model and Grade10 agree\.$/,
    ],
    [
      'the link on a busy network',
      parts(10, 10, 80, 'link'),
      held(20, 75, 5),
      ['link', 'the network', 'the network', true],
      /^The network: the model and Grade10 agree\.$/,
    ],
    [
      'the link on an idle network',
      parts(10, 10, 80, 'link'),
      held(78, 1, 21),
      ['disputed', null, 'disputed', false],
      /the analyses disagree\. The model sees the link, Grade10 sees the processors\.$/,
    ],
    [
      'overhead on a busy network',
      parts(10, 87, 3, 'overhead'),
      held(20, 75, 5),
      ['disputed', null, 'disputed', false],
      /the analyses disagree\. The model sees time that a faster link does not reduce, Grade10 sees the network\.$/,
    ],
    [
      'work or overhead on a busy network',
      parts(45, 52, 3),
      held(20, 75, 5),
      ['disputed', null, 'disputed', false],
      /the analyses disagree\. The model sees time that a faster link does not reduce, Grade10 sees the network\.$/,
    ],
    [
      'a model that leaves the link open',
      parts(30, 30, 40, null, 30),
      held(78, 1, 21),
      ['not the link', 'the processors', 'the processors', null],
      /by Grade10 alone/,
    ],
    [
      'no model',
      null,
      held(20, 75, 5),
      ['link', 'the network', 'the network', null],
      /^The network, by Grade10 alone: the model does not say\.$/,
    ],
    [
      'time that Grade10 does not know',
      parts(10, 87, 3, 'overhead'),
      held(20, 1, 79),
      ['not the link', 'overhead other than the link', 'not the link', null],
      /not the link, by the model alone: Grade10 finds no bottleneck for most of the time/,
    ],
    [
      'no samples',
      parts(10, 10, 80, 'link'),
      [],
      ['link', 'the link', 'the link', null],
      /^The link, by the model alone: no run was sampled\.$/,
    ],
    [
      'nothing',
      null,
      [],
      ['unknown', null, 'cannot tell', null],
      /^We cannot tell: no run was sampled, and the model does not say\.$/,
    ],
  ] as const)('%s', (_, one, two, told, sentence) => {
    const said = say(one, two);
    expect([said.verdict, said.name, said.short, said.agree]).toEqual(told);
    expect(said.sentence).toMatch(sentence);
    // A fit's word for whatever grows with ranks: it is neither the network nor a resource.
    expect(`${said.sentence} ${said.detail}`).not.toMatch(/communication/i);
  });

  it('gives the figures of both witnesses', () => {
    const { detail, witnesses } = say(parts(10, 87, 3, 'overhead'), held(78, 0.4, 21));
    expect(detail).toBe(
      'By Grade10 a search on 25 nodes at full bandwidth is limited by the processors for 78 % of its time and by the network for under 1 %. ' +
        'By the model 10 % (5 to 15 %) is parallel work, 87 % (82 to 92 %) is overhead (messages, waiting, fixed costs), and an unlimited network would save 3 % (0 to 8 %).',
    );
    expect(witnesses.map(({ by, says, percent }) => [by, says, percent?.value])).toEqual([
      ['grade10', 'processors', 78],
      ['model', 'overhead', 87],
    ]);
  });

  it('hears all four witnesses, and says whether they agree', () => {
    const path = { work: 20, overhead: 70, link: 10 };
    const stacks = { computing: 10, messages: 20, asleep: 70 };
    const four = { path, stacks, cause: null, doubts: {}, setting, noun: 'search' };
    const agreed = answerLimit({ ...four, parts: parts(10, 87, 3, 'overhead'), held: held(78, 1, 21) });
    expect(agreed.witnesses.map(({ by, says }) => [by, says])).toEqual([
      ['grade10', 'processors'],
      ['model', 'overhead'],
      ['path', 'overhead'],
      ['stacks', 'overhead'],
    ]);
    expect(agreed).toMatchObject({ verdict: 'not the link', agree: true });
    expect(agreed.detail).toBe(agreed.witnesses.map(({ sentence }) => sentence).join(' '));
    const other = answerLimit({ ...four, parts: parts(10, 10, 80, 'link'), held: held(20, 75, 5) });
    expect(other).toMatchObject({ verdict: 'link', agree: false });
  });

  it('says beside an analysis why its word weighs less', () => {
    const doubts = { grade10: 'Careful: others used the processors.' };
    const { detail, witnesses } = answerLimit({
      ...{ ...none, doubts, setting, noun: 'search' },
      ...{ parts: parts(10, 87, 3, 'overhead'), held: held(78, 1, 21) },
    });
    expect(witnesses.map(({ careful }) => careful)).toEqual(['Careful: others used the processors.', null]);
    expect(detail).toMatch(/network for 1 %\. Careful: others used the processors\. By the model/);
  });

  const share = fc.double({ min: 0, max: 100, noNaN: true });
  const shares = fc.tuple(share, share, share, fc.constantFrom(null, 'work', 'overhead', 'link'), fc.nat(40));
  it('names something only where a witness does, and agreement never where the two that decide contradict each other', () => {
    fc.assert(
      fc.property(
        fc.option(shares, { nil: null }),
        fc.option(fc.tuple(share, share, share), { nil: null }),
        (one, two) => {
          const model = one && parts(...one);
          const { verdict, name, agree, sentence, witnesses } = say(model, two === null ? [] : held(...two));
          if (verdict === 'unknown' || verdict === 'disputed') expect(name).toBeNull();
          expect(/cannot tell/.test(sentence)).toBe(verdict === 'unknown' || verdict === 'disputed');
          if (verdict === 'disputed') expect(agree).toBe(false);
          if (verdict === 'link') expect(witnesses.map(({ says }) => says)).toContain('link');
          if (verdict === 'not the link') expect(model?.largest).not.toBe('link');
          expect(sentence).not.toMatch(/NaN|undefined|null/);
        },
      ),
      { numRuns: 500 },
    );
  });
});
