import { describe, expect, it } from 'vitest';
import { decide } from '../../../modeling/answers/decide/decide.ts';
import { describeDecisions } from '../../../modeling/answers/decide/decision-sentences.ts';
import { createRandom } from '../../../modeling/judge/distributions.ts';
import { answerLines, answersSchema } from '../../../report/answers/answers-schema.ts';
import { fitBasis } from '../../../report/answers/basis.ts';
import { buildReport } from '../../../report/content/build-report.ts';
import { render } from '../../../report/render.ts';
import { campaignOf, type Sweep, type Truth } from '../campaign.ts';
import { type Contradiction, contradictions, wrongDecisions, wrongNumbers } from './claims.ts';

/** npm test makes a few; PREDICT_CAMPAIGNS=300 makes as many as were asked for once. */
const COUNT = Number(process.env.PREDICT_CAMPAIGNS ?? 7);

/** One campaign of each kind, again and again, with other numbers. */
const KINDS: readonly ((random: () => number) => Partial<Sweep> & { readonly truth: Truth })[] = [
  (random) => {
    const [work, link] = [1 + 10 * random(), random()];
    return { truth: ({ nodes, bw }) => work / nodes + link / bw / nodes };
  },
  (random) => {
    const [turn, link] = [0.002 + 0.05 * random(), random()];
    return { truth: ({ nodes, bw }) => 1 / nodes + turn * Math.sqrt(nodes) + link / bw };
  },
  // All-to-all: one node sends nothing, n nodes all but 1/n of what they hold.
  (random) => {
    const sent = random();
    return {
      nodes: [1, 2, 4, 8, 16],
      truth: ({ nodes, bw }) => 1.5 / nodes + (sent * (100 / bw) * (nodes - 1)) / nodes ** 2,
    };
  },
  (random) => ({ noise: 0.2 + 0.4 * random(), truth: ({ nodes, bw }) => 1 / nodes + 0.3 / bw }),
  (random) => {
    const flat = 0.05 + random();
    return { nodes: [4, 9], truth: ({ nodes, bw }) => flat + 1 / nodes + 0.2 / bw };
  },
  // Another law from the third size on, which no model of the first two can know.
  (random) => {
    const jump = 2 + 3 * random();
    return { truth: ({ nodes, bw }) => ((nodes > 9 ? jump : 1) * (1 + 0.5 / bw)) / nodes };
  },
  (random) => {
    const level = 0.5 + random();
    return { truth: ({ bw }) => level + 0.02 / bw };
  },
];

const sweep: Sweep = {
  ...{ nodes: [4, 9, 16, 25], scales: [19], bw: [10, 30, 100], roots: 8, reps: 2, noise: 0.03 },
};

describe('what a page says', () => {
  it.each(Array.from({ length: COUNT }, (_, index) => index))('of campaign %i agrees with its verdicts', (index) => {
    const random = createRandom(index + 1);
    const kind = KINDS[index % KINDS.length];
    if (kind === undefined) throw new Error('no kind');
    const input = campaignOf({ ...sweep, ...kind(() => random.uniform()) });
    const basis = fitBasis(input);
    const report = buildReport(input, basis);
    const { answers } = report;
    if (answers === null) throw new Error('nothing measured');
    answersSchema.parse(answers);
    const text = render(report)
      .replaceAll(/<style>[\s\S]*?<\/style>/g, '')
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll('\u202f', ' ');
    const { ensemble, targets, isAdmissible } = basis;
    const { scale, bw } = answers.setting;
    // What a terminal says beside the answers, of all that may be asked.
    const decisions =
      ensemble === null ? null : decide(ensemble, { nodes: targets, bw: [bw], scales: [scale], isAdmissible });
    const found: Contradiction[] = [
      ...contradictions(text, answers),
      ...wrongNumbers(report),
      ...(decisions === null ? [] : contradictions(describeDecisions(decisions).join(' '), answers)),
      ...(decisions === null ? [] : wrongDecisions(decisions, answers)),
    ];
    expect(found).toEqual([]);
    for (const { sentence } of answerLines(answers)) expect(text).toContain(sentence.replaceAll("'", '&#39;'));
  });
});
