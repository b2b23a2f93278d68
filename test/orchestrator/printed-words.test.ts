// What a command prints has the figures of its JSON.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { writeCell } from '../../experiments/store/write-cell.ts';
import { whyCommand } from '../../orchestrator/cli/why-command.ts';
import { profiledCampaign } from '../analysis/profiles/scaling/planted.ts';
import { failedRecord, newCampaign, nth, tempFolder } from '../experiments/make.ts';
import { runInProcess, runPredict, runPredictJson } from '../run-predict.ts';
import { measuredCampaign } from './damage.ts';
import { printedSeconds, printedTable } from './printed-table.ts';

const campaign = fileURLToPath(new URL('../fixtures/campaigns/schema-1', import.meta.url));
const printed = async (...words: string[]): Promise<string> => (await runPredict(words)).stdout;
/** Three digits are printed. */
const near = (seconds: number): unknown => ({
  asymmetricMatch: (other: number) => Math.abs(other - seconds) <= 0.006 * Math.abs(seconds),
});

interface Part {
  readonly name: string;
  readonly seconds: number;
}

interface OneRun {
  readonly summary: { readonly count: number; readonly seconds: number } & Readonly<
    Record<'components' | 'phases', readonly Part[]>
  >;
  readonly differences: readonly { kind: string; name: string; before: number; after: number; change: number }[];
}

test('one run by Grade10: shares and times of each search, and what changed since another run', async () => {
  const words = ['grade10', campaign, '--cell', '4:12:20', '--against', '4:12:100'];
  const [text, { summary, differences }] = [await printed(...words), await runPredictJson<OneRun>(words)];
  const mean = /^(\d+) x .*, on average (.*)\.$/m.exec(text);
  expect(mean?.[1]).toBe(String(summary.count));
  expect(printedSeconds(mean?.[2] ?? '')).toEqual(near(summary.seconds / summary.count));
  for (const [title, parts] of [
    ['Bottlenecks:', summary.components],
    ['Time by phase:', summary.phases],
  ] as const) {
    const [lines = ''] = text.slice(text.indexOf(`${title}\n`) + title.length + 1).split('\n\n');
    const rows = lines.split('\n').map((line) => /^ +(\d+) % +([\d.]+ \S+) +/.exec(line) ?? []);
    expect(rows).toHaveLength(parts.length);
    for (const [index, [, percent, time = '']] of rows.entries()) {
      const { seconds } = parts[index] as Part;
      expect(Number(percent)).toBe(Math.round((100 * seconds) / summary.seconds));
      expect(printedSeconds(time)).toEqual(near(seconds / summary.count));
    }
  }
  const rows = printedTable(text, ['what', 'before', 'after', 'change', 'of']);
  const told = differences.filter(({ kind, change }) => kind === 'total' || change !== 0).slice(0, 24);
  expect(rows).toHaveLength(told.length);
  for (const [index, { kind, name, ...own }] of told.entries()) {
    const { what, of, before, after, change } = rows[index] as Record<string, string>;
    expect([what, of]).toEqual([kind, name]);
    expect([before, after, change].map((one) => printedSeconds(one ?? ''))).toEqual(
      [own.before, own.after, own.change].map(near),
    );
    expect(change).toMatch(own.change < 0 ? /^-/ : /^\+/);
  }
});

test('of one run alone no changes are printed', async () => {
  expect(await printed('grade10', campaign, '--cell', '4:12:20')).not.toContain('Changes since');
});

interface Paths {
  readonly cells: readonly {
    readonly scale: number;
    readonly nodes: number;
    readonly bw: number;
    readonly hops: number;
    readonly searches: number;
    readonly meanNs: Readonly<Record<string, number>>;
    readonly by: Readonly<Record<string, number>>;
  }[];
  readonly forecasts: readonly {
    readonly nodes: number;
    readonly bw: number;
    readonly lengthSeconds: number;
    readonly interval: { readonly low: number; readonly high: number };
  }[];
}

test('the paths of a campaign: length, switches and where they were, and the forecast with its intervals', async () => {
  const words = ['critical-path', campaign, '--by', 'host'];
  const [text, { cells, forecasts }] = [await printed(...words), await runPredictJson<Paths>(words)];
  const rows = printedTable(text, ['scale', 'nodes', 'bw %', 'path', 'switch', 'mostly on']);
  const sorted = [...cells].sort((a, b) => a.scale - b.scale || a.nodes - b.nodes || b.bw - a.bw);
  expect(rows.map((row) => [row.scale, row.nodes, row['bw %']].map(Number))).toEqual(
    sorted.map(({ scale, nodes, bw }) => [scale, nodes, bw]),
  );
  for (const [index, row] of rows.entries()) {
    const cell = sorted[index];
    const { length = 0 } = cell?.meanNs ?? {};
    expect(printedSeconds(row.path ?? '')).toEqual(near(length / 1e9));
    const most = Object.entries(cell?.by ?? {}).sort(([, a], [, b]) => b - a)[0] ?? ['', 0];
    expect(row['mostly on']).toMatch(new RegExp(`^${most[0]} \\(${Math.round((100 * most[1]) / length)} %\\)`));
  }
  const levels = [...new Set(forecasts.map(({ bw }) => bw))];
  const table = printedTable(text, ['nodes', ...levels.map((bw) => `at ${bw} %`)]);
  expect(table.map(({ nodes }) => Number(nodes))).toEqual([...new Set(forecasts.map(({ nodes }) => nodes))]);
  for (const { nodes, bw, lengthSeconds, interval } of forecasts) {
    const row = table.find((one) => one.nodes === String(nodes));
    const [, value = '', low = '', high = ''] = /^(.*) \((.*) to (.*)\)$/.exec(row?.[`at ${bw} %`] ?? '') ?? [];
    expect([value, low, high].map(printedSeconds)).toEqual([lengthSeconds, interval.low, interval.high].map(near));
  }
});

test('without keys the phases of the path have their shares, which are all of it but what is told', async () => {
  const text = await printed('critical-path', campaign);
  const rows = printedTable(text, ['scale', 'nodes', 'bw %', 'path']);
  expect(rows.length).toBeGreaterThan(0);
  const rests: number[] = [];
  for (const row of rows) {
    const shares = Object.entries(row).flatMap(([name, value]) =>
      / %$/.test(value) && name !== 'bw %' ? value.replace(' %', '').split(' + ').map(Number) : [],
    );
    expect(shares.length).toBeGreaterThan(3);
    const sum = shares.reduce((total, share) => total + share, 0);
    expect(sum - 100).toBeLessThanOrEqual(shares.length / 2);
    rests.push(100 - sum);
  }
  const told = Number(/transfer \+ work; up to (\d+) % is in no phase/.exec(text)?.[1]);
  expect(Math.abs(Math.max(...rests) - told)).toBeLessThanOrEqual(4);
});

interface Why {
  readonly answers: {
    readonly limit: {
      readonly question: string;
      readonly sentence: string;
      readonly agree: boolean | null;
      readonly witnesses: readonly { readonly sentence: string }[];
    };
  } | null;
  readonly findings: readonly { readonly sentence: string }[];
  readonly accepted: readonly string[];
}

const asked: readonly (readonly [what: string, make: (dir: string) => Promise<void>, hasFindings: boolean])[] = [
  ['of a measured program', async (dir) => cpSync(campaign, dir, { recursive: true }), true],
  ['without phases nothing but the model', async (dir) => void (await measuredCampaign(dir)), false],
];

test.each(asked)('what limits, its witnesses and the gravest findings: %s', async (_, make, hasFindings) => {
  const dir = join(tempFolder(), 'c');
  await make(dir);
  let found: unknown;
  const ask = async (): Promise<number> => {
    const answer = await whyCommand(dir, {});
    found = answer.json;
    answer.say();
    return 0;
  };
  const { stdout } = await runInProcess(ask, { env: { COLUMNS: undefined } });
  const { answers, findings, accepted } = found as Why;
  const { question, sentence, agree, witnesses } = answers?.limit ?? expect.fail();
  const said = [sentence, ...witnesses.map((one) => one.sentence), ...accepted].map((one) => `  ${one}`);
  const disagree = agree === false ? ['  The witnesses disagree about the link.'] : [];
  const others = findings.map((one) => one.sentence).filter((one) => one !== sentence);
  expect(others.length > 0).toBe(hasFindings);
  const key = hasFindings ? ['', 'Key findings', ...others.slice(0, 10).map((one) => `  ${one}`)] : [];
  expect(stdout.split('\n')).toEqual([question, ...said, ...disagree, ...key]);
});

test('cells that failed for one reason are one line, with how many more there are', async () => {
  const { dir, cells } = await newCampaign({ nodes: '1,4' });
  const reasons = ['no memory', 'no memory', 'lost', 'no memory'];
  for (const [index, reason] of reasons.entries())
    await writeCell(dir, { ...failedRecord(nth(cells, index)), reason }, { stdout: '', stderr: '' });
  const said = (await printed('status', dir)).split('\n').filter((line) => /no memory|lost/.test(line));
  expect(said.map((line) => / \(and \d+ more\)/.exec(line)?.[0])).toEqual([' (and 2 more)', undefined]);
});

test('call paths of a throttled campaign have their seconds at the lowest bandwidth, others have no such column', async () => {
  const throttled = await profiledCampaign({ nodes: '1,4,9', bw: '10' });
  const table = printedTable(await printed('why', throttled, '--method', 'stacks'), ['call path', 'at 10 %']);
  expect(table.length).toBeGreaterThan(0);
  const full = await profiledCampaign({ nodes: '1,4,9', bw: '100' });
  const text = await printed('why', full, '--method', 'stacks');
  expect(printedTable(text, ['call path', 'verdict']).length).toBeGreaterThan(0);
  expect(() => printedTable(text, ['call path', 'at 100 %'])).toThrow('no table has the columns');
});
