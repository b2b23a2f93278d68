// What commands about models print has the figures of their JSON, and what they refuse has one sentence.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Extrapolation } from '../../modeling/model-records.ts';
import { modelCommand } from '../../orchestrator/cli/model.ts';
import type { ModelCommandFlags } from '../../orchestrator/cli/parse-question.ts';
import { tempFolder } from '../experiments/make.ts';
import { runInProcess } from '../run-predict.ts';
import { printedSeconds, printedTable } from './printed-table.ts';

const FLAGS = { ranksPerNode: '4', baseScale: '20', bootstrap: '20' };

/** What a command prints, and its JSON. */
async function bothOf<T = Modelled>(flags: ModelCommandFlags): Promise<{ text: string; json: T }> {
  let json: unknown;
  const ask = async (): Promise<number> => {
    const answer = await modelCommand(undefined, { ...FLAGS, ...flags });
    json = answer.json;
    answer.say();
    return 0;
  };
  const { stdout, stderr } = await runInProcess(ask, { env: { COLUMNS: undefined } });
  expect(stderr).toBe('');
  return { text: stdout, json: JSON.parse(JSON.stringify(json)) as T };
}

/** A file of runs: work that is divided among ranks, and transfers that a slower link stretches. */
function rows(nodes: readonly number[] = [1, 4, 9, 16]): string {
  const lines = nodes.flatMap((n) =>
    [20, 100].flatMap((bw) =>
      [0, 1].map((rep) => {
        const transfers = n === 1 ? 0 : (0.4 * 1.1 ** (100 / bw)) / Math.sqrt(4 * n);
        return `22,${n},${bw},${rep},${(8 / (4 * n) + transfers) * (1 + 0.01 * (((n + rep) % 3) - 1))}`;
      }),
    ),
  );
  const path = join(tempFolder(), 'rows.csv');
  writeFileSync(path, `scale,n,bw,rep,ct\n${lines.join('\n')}\n`);
  return path;
}

/** Three digits are printed, of percent two. */
const near = (value: number): unknown => ({
  asymmetricMatch: (other: number) => Math.abs(other - value) <= Math.max(0.006 * Math.abs(value), 0),
});
const percent = (text = ''): number => Number(/^(-?[\d.]+) %$/.exec(text)?.[1] ?? Number.NaN);

interface Ends {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** `366 to 480 ms` in seconds. */
function secondsOfEnds(text = ''): number[] {
  const [from = '', to = ''] = text.split(' to ');
  const [, unit = ''] = to.split(' ');
  return [/ /.test(from) ? from : `${from} ${unit}`, to].map(printedSeconds);
}

interface Modelled {
  readonly model: {
    readonly title: string;
    readonly formula: string;
    readonly coefficients: Readonly<Record<string, Ends>>;
    readonly alpha: Ends | null;
    readonly r2: number;
    readonly mse: number;
    readonly rows: number;
    readonly heldOut: { readonly r2: number; readonly medianErrorPercent: number } | null;
  };
  readonly meaning: string | null;
  readonly predictedBy: string | null;
  readonly sentences: readonly string[];
  readonly warnings: readonly string[];
  readonly decisions: {
    readonly options: readonly ({
      readonly nodes: number;
      readonly bw: number;
      readonly abstains: string | null;
      readonly cost: Ends | null;
      readonly withinDeadlinePercent: number | null;
    } & Readonly<Record<'ct' | 'measured' | 'speedup' | 'efficiencyPercent' | 'nodeHours' | 'gteps', Ends>>)[];
    readonly deadline: { readonly smallest: { readonly nodes: number } | null } | null;
  } | null;
}

/** What a printed formula with numbers gives, worked out from its text alone. */
function byHand(printed: string, { x, bw, D = 1 }: { readonly x: number; readonly bw: number; readonly D?: number }) {
  const [, sum = '', base = '1'] = /^CT = (.*?)(?:, s = 100\/bw)?(?:, w = ([\d.]+)\^\(100\/bw\))?$/.exec(printed) ?? [];
  const values: Readonly<Record<string, number>> = { x, D, s: 100 / bw, w: Number(base) ** (100 / bw) };
  const factor = (text: string): number => {
    const [name = '', power = '1'] = text.split('^');
    return (name === 'sqrt(x)' ? Math.sqrt(x) : (values[name] ?? Number(name))) ** Number(power);
  };
  return sum.split(' + ').reduce((total, term) => {
    const [above = '', ...below] = term.split('/');
    const product = above.split('*').reduce((all, one) => all * factor(one), 1);
    return total + below.reduce((all, one) => all / factor(one), product);
  }, 0);
}

describe('model', () => {
  test('what it predicts can be worked out by hand from the formula that it prints', async () => {
    const { json } = await bothOf({ data: rows(), nodes: '9,25,36,100', bw: '20,100' });
    const options = json.decisions?.options ?? [];
    expect(options.length).toBe(8);
    for (const { nodes, bw, ct } of options) {
      expect(ct.value / byHand(json.predictedBy ?? '', { x: 4 * nodes, bw })).toBeCloseTo(1, 2);
    }
  });

  test.each([
    ['auto', (meaning: string | null) => expect(meaning).toMatch(/ at 100 % bandwidth/)],
    ['eq6', (meaning: string | null) => expect(meaning).toBe(null)],
  ])('%s: the model, how well it fits, what it means, sentences, warnings', async (name, meansWhat) => {
    const { text, json } = await bothOf({ data: rows(), model: name, nodes: '25,36' });
    const { model, meaning, predictedBy, sentences, warnings } = json;
    meansWhat(meaning);
    expect(sentences.at(-1)).toMatch(
      name === 'auto'
        ? /^On 36 nodes at 100 % bandwidth, scale 22, \d.* are predicted; a straight line in logs gives .*, Amdahl's law .* and Eq 6 .*\.$/
        : /^On 36 nodes .*; a straight line in logs gives \S+ ms and Amdahl's law \S+ ms\.$/,
    );
    const lines = text.split('\n');
    const told = Object.entries({ ...model.coefficients, ...(model.alpha === null ? {} : { alpha: model.alpha }) });
    expect(told.length).toBeGreaterThan(2);
    expect(lines.slice(0, 2)).toEqual([model.title, model.formula]);
    expect(lines.slice(2, 2 + told.length)).toEqual(
      told.map(
        ([key, { value, low, high }]) =>
          `${key} = ${value.toPrecision(4)} (${low.toPrecision(3)} to ${high.toPrecision(3)})`,
      ),
    );
    const rest = lines.slice(2 + told.length);
    expect(rest[0]).toBe('x = 4 n, D = 2^(scale - 20); intervals 90 %');
    const [, r2, mse, count, held, error] =
      /^R2 ([\d.]+), MSE (\S+) s², (\d+) rows; held-out rows: R2 ([\d.]+), median error ([\d.]+) %$/.exec(
        rest[1] ?? '',
      ) ?? [];
    expect([r2, held].map(Number)).toEqual([model.r2, model.heldOut?.r2 ?? 0].map((one) => Number(one.toFixed(4))));
    expect([Number(mse), Number(count)]).toEqual([near(model.mse), model.rows]);
    expect(error).toBe(model.heldOut?.medianErrorPercent.toFixed(1));
    const careful = warnings.map((warning) => `Careful: ${warning}`);
    const by = predictedBy === null ? [] : [`All models by weight predict ${predictedBy}`];
    const said = [...by, ...(meaning === null ? [] : [meaning]), ...sentences, ...careful, ''];
    expect(rest.slice(2, 2 + said.length)).toEqual(said);
  });

  test('clusters to choose from, with their prices where one is given', async () => {
    const flags = { data: rows(), model: 'eq6', nodes: '25,36', bw: '50,100' };
    const free = await bothOf(flags);
    const { text, json } = await bothOf({ ...flags, price: '0.5' });
    const titles = ['scale', 'nodes', 'bw %', 'CT', '90 % interval', 'a run there', 'GTEPS', 'speedup', 'efficiency'];
    expect(Object.keys(printedTable(free.text, [...titles, 'node-hours'])[0] ?? {})).toEqual([...titles, 'node-hours']);
    const table = printedTable(text, [...titles, 'node-hours', 'cost']);
    const options = json.decisions?.options ?? [];
    expect(table.map(({ nodes, 'bw %': bw }) => `${nodes} ${bw}`)).toEqual(['25 50', '36 50', '25 100', '36 100']);
    for (const [index, row] of table.entries()) {
      const one = options[index] ?? expect.fail();
      expect([row.nodes, row['bw %']]).toEqual([String(one.nodes), String(one.bw)]);
      expect(printedSeconds(row.CT ?? '')).toEqual(near(one.ct.value));
      expect(secondsOfEnds(row['90 % interval'])).toEqual([near(one.ct.low), near(one.ct.high)]);
      expect(secondsOfEnds(row['a run there'])).toEqual([near(one.measured.low), near(one.measured.high)]);
      expect([row.GTEPS, row.speedup, row['node-hours'], row.cost].map(Number)).toEqual(
        [one.gteps, one.speedup, one.nodeHours, one.cost].map((each) => near(each?.value ?? Number.NaN)),
      );
      expect(percent(row.efficiency)).toBe(Math.round(one.efficiencyPercent.value));
      expect(one.cost?.value).toBeCloseTo(one.nodeHours.value * 0.5, 12);
    }
  });

  test('a long range is thinned to the counts at its ends, some between and the ones named; a deadline has a column', async () => {
    const { text, json } = await bothOf({
      data: rows(),
      model: 'eq6',
      nodes: '4..64',
      ranksRule: 'any',
      deadline: '250ms',
    });
    const table = printedTable(text, ['nodes', 'CT', 'within 250 ms']);
    const { options = [], deadline } = json.decisions ?? {};
    const shown = table.map(({ nodes }) => Number(nodes));
    expect(options.length).toBe(61);
    expect(shown).toEqual(expect.arrayContaining([4, 64, deadline?.smallest?.nodes]));
    expect(shown.length).toBeLessThanOrEqual(16);
    expect(text).toContain(`${shown.length} of 61 node counts are shown; --json has all.`);
    for (const row of table) {
      const one = options.find(({ nodes }) => nodes === Number(row.nodes));
      expect(percent(row['within 250 ms'])).toBe(Math.round(one?.withinDeadlinePercent ?? Number.NaN));
    }
  });

  test('where there is no prediction the table says so, and nothing else', async () => {
    const { text, json } = await bothOf({ data: rows([1, 2]), nodes: '2,64', price: '1' });
    expect(json.decisions?.options.map(({ nodes, abstains }) => [nodes, abstains === null])).toEqual([
      [2, true],
      [64, false],
    ]);
    const table = printedTable(text, ['nodes', 'CT', '90 % interval', 'a run there', 'cost']);
    const { scale: _, nodes, 'bw %': bw, '90 % interval': interval, ...others } = table[1] ?? expect.fail();
    expect([nodes, bw, interval]).toEqual(['64', '100', 'no prediction']);
    expect(new Set(Object.values(others))).toEqual(new Set(['-']));
    expect(Object.values(table[0] ?? {})).not.toContain('-');
  });
});

interface Ranked {
  readonly chosen: string;
  readonly errors: string;
  readonly leftOutNodes: readonly number[];
  readonly sentence: string;
  readonly candidates: readonly {
    readonly name: string;
    readonly score: number | null;
    readonly weight: number;
    readonly bic: number;
    readonly terms: readonly string[];
    readonly warning: string | null;
  }[];
  readonly unseen: readonly {
    readonly name: string;
    readonly heldOutNodes: readonly number[];
    readonly medianErrorPercent: number;
    readonly insidePercent: number | null;
    readonly perBandwidth: readonly { readonly bw: number; readonly medianErrorPercent: number }[];
    readonly cells: readonly { readonly abstains: string | null }[];
    readonly skill: Extrapolation['skill'];
  }[];
}

describe('model --rank', () => {
  test('candidates with their errors and weights, and what each of them means', async () => {
    const { text, json } = await bothOf<Ranked>({ data: rows(), rank: true });
    expect(json.leftOutNodes.length).toBeGreaterThan(0);
    const lines = text.split('\n');
    expect(lines[0]).toBe(
      `Left out and predicted: ${json.leftOutNodes.join(', ')} nodes. Fits by ${json.errors} errors.`,
    );
    const told = lines.slice(2, 2 + json.candidates.length);
    for (const [index, { name, score, weight, bic, terms, warning }] of json.candidates.entries()) {
      const [, mark, called, error, share, number, formula] =
        /^(.) {2}(\S+) +([\d.]+|-)(?: %)? +([\d.]+) % +(-?[\d.]+) {2}(.*)$/.exec(told[index] ?? '') ?? [];
      expect([mark, called, error]).toEqual([name === json.chosen ? '*' : ' ', name, score?.toFixed(1) ?? '-']);
      // Below ten percent a digit more is told.
      expect(Number(share)).toBe(Number((100 * weight).toFixed(/\./.test(share ?? '') ? 1 : 0)));
      expect(/\./.test(share ?? '')).toBe(Number(share) < 10);
      expect(number).toBe(bic.toFixed(1));
      const [sum, careful = ''] = (formula ?? '').split(/ {2,}/);
      expect(sum).toBe(terms.join(' + '));
      expect(warning === null ? careful : (warning.startsWith(careful) && careful) || expect.fail()).toBe(careful);
      expect(careful === '').toBe(warning === null);
    }
    expect(lines[2 + json.candidates.length]).toBe(json.sentence);
    expect(text).not.toContain('Asked for');
  });

  test('what each predicts of node counts that were kept out, per bandwidth', async () => {
    const { text, json } = await bothOf<Ranked>({ data: rows(), rank: true, trainNodes: '1,4' });
    expect(json.leftOutNodes).toEqual([]);
    expect(text).toMatch(/^Too few node counts to leave one out\. Fits by relative errors\.\n/);
    const [first] = json.unseen;
    expect(text).toContain(
      `\nAsked for 9, 16 nodes, which none of them saw (${first?.cells.length} cells), median error:\n`,
    );
    const below = text.slice(text.indexOf('Asked for')).split('\n').slice(2);
    for (const [index, { name, perBandwidth, medianErrorPercent, insidePercent }] of json.unseen.entries()) {
      const line = below[index] ?? '';
      expect(line.startsWith('*')).toBe(name === json.chosen);
      const [called, ...figures] = line.slice(1).trim().split(/ {2,}/);
      expect(called).toBe(name === 'auto' ? 'auto (all by weight)' : name);
      expect(figures).toEqual([
        ...[medianErrorPercent, ...perBandwidth.map((one) => one.medianErrorPercent)].map(
          (error) => `${error.toFixed(1)} %`,
        ),
        `${insidePercent?.toFixed(0) ?? '-'} %`,
      ]);
    }
    const auto = json.unseen.find(({ name }) => name === 'auto');
    for (const { name, medianErrorPercent } of auto?.skill?.baselines ?? []) {
      const same = json.unseen.find((one) => one.name === name)?.medianErrorPercent ?? medianErrorPercent;
      expect(medianErrorPercent, name).toBeCloseTo(same, 9);
    }
    expect(auto?.skill?.baselines.map(({ name }) => name).slice(0, 2)).toEqual(['power', 'amdahl']);
    expect(text).toMatch(/^auto errs by [\d.]+ % \(median\), a straight line in logs by [\d.]+ %, Amdahl's law by/m);
    const abstains = auto?.cells.filter((cell) => cell.abstains !== null);
    expect(/^No prediction by auto: /m.test(text)).toBe((abstains?.length ?? 0) > 0);
  });
});
