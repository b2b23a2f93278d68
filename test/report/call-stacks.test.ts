import { expect, test } from 'vitest';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { stacksText } from '../../report/answers/answer-causes.ts';
import { answerLimit } from '../../report/answers/limit.ts';
import { buildReport } from '../../report/content/build-report.ts';
import { readCallStacks } from '../../report/content/call-stacks.ts';
import { profiledCampaign } from '../analysis/profiles/scaling/planted.ts';
import { campaignOf } from './campaign.ts';
import { all, pageFrom } from './page.ts';

test('profiled runs have a section: every call path with its verdict, a sentence for each that does not scale, and flame graphs', async () => {
  const dir = await profiledCampaign({ nodes: '1,4,9', bw: '10,100' });
  const beside = { program: undefined, noun: 'search', why: null, path: null };
  const report = buildReport({
    ...campaignOf({ nodes: [9], scales: [10], bw: [100] }),
    callStacks: await readCallStacks(await openCampaign(dir), beside),
  });
  const { document: page, text } = pageFrom(report);
  const cells = all(page, '#stacks tbody tr').map((row) => all(row, 'td').map(({ textContent }) => textContent));
  expect(cells.map(([path, verdict]) => [path, verdict])).toEqual([
    ['main;bfs;MPI_Allreduce', 'grows'],
    ['..;bfs;exchange;MPI_Waitall', 'stops shrinking, slowed by the link'],
    ['main;bfs;work', 'scales'],
    ['(others)', expect.any(String)],
  ]);
  expect(all(page, '#stacks h2').map(({ textContent }) => textContent)).toEqual([
    'Call stacks: which code stops scaling',
  ]);
  const items = all(page, '#stacks li').map(({ textContent }) => textContent);
  expect(report.callStacks?.findings.length).toBeGreaterThanOrEqual(3);
  for (const { sentence } of report.callStacks?.findings ?? []) expect(items).toContain(sentence);
  expect(all(page, '#stacks svg.flame')).toHaveLength(3);
  expect(text).not.toContain('<script');
  expect(all(page, 'nav a').map(({ textContent }) => textContent)).toContain('Call stacks');
  const { document: without } = pageFrom({ ...report, callStacks: null });
  expect([all(without, '#stacks').length, all(without, 'nav a[href="#stacks"]').length]).toEqual([0, 0]);
});

const asleep = { computing: 10, messages: 20, asleep: 70 };
const busy = { computing: 80, messages: 15, asleep: 5 };
const paths = { work: { work: 70, overhead: 25, link: 5 }, waits: { work: 20, overhead: 70, link: 10 } };
const held = (name: string) => ({ name, label: `the ${name}`, percent: 80 });

test.each([
  ['ranks that sleep, on a path of exchanges', asleep, paths.waits, held('waiting'), []],
  ['ranks that sleep, where the path computes', asleep, paths.work, held('waiting'), ['critical path']],
  ['ranks that compute, where the path waits', busy, paths.waits, held('cpu'), ['critical path']],
  ['ranks that sleep, where Grade10 names processors', asleep, paths.waits, held('cpu'), ['Grade10']],
  ['ranks that compute, where Grade10 names the network', busy, paths.work, held('network'), ['Grade10']],
  ['nobody else knows', asleep, null, null, []],
] as const)('call stacks beside path and Grade10: %s', (_, shares, path, most, differing) => {
  const said = stacksText(shares, { path, most });
  expect([...said.matchAll(/(critical path|Grade10) names/g)].map(([, who]) => who)).toEqual(differing);
});

test('what limits it says what ranks were seen in', () => {
  const setting = { nodes: 9, scale: 10, bw: 100 };
  const facts = {
    parts: null,
    path: null,
    stacks: null,
    cause: null,
    doubts: {},
    held: [held('cpu')],
    setting,
    noun: 'search',
  };
  expect(answerLimit({ ...facts, stacks: asleep }).detail).toContain(
    'Call stacks see ranks computing for 10 %, awake in calls of MPI for 20 % and asleep for 70 %. Grade10 names',
  );
  expect(answerLimit(facts).detail).not.toContain('Call stacks');
});
