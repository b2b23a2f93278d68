// npm run bench -- slowdowns: what `compare --fail-above 5` finds of planted slowdowns, and its false alarms, on campaigns that scatter
// as stored ones do. Run from the repository's root, where the fixtures are.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { at } from '../../base/lists.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { compareCampaigns } from '../../modeling/questions/compare-campaigns.ts';
import {
  type Machine,
  resampler,
  SIZES,
  slowed,
  store,
  type Told,
  wandering,
} from '../modeling/resampled-campaigns.ts';
import { measureCommand } from './measure-command.ts';

const [LIMIT, TIMES, NONE] = [5, 100, 200];
/** Percent. */
const PLANTED = [5, 10, 15, 20] as const;
const CELL_PLANTED = [20, 50, 100] as const;
/** Seconds from the start of one campaign to that of the other. */
const LATER_S = 50_000;

await timeTheCommand();

type Pair = readonly [after: Told, before: Told];

for (const donor of ['alltoall', 'schema-1']) {
  const open = await openCampaign(join('test', 'fixtures', 'campaigns', donor));
  for (const [size, reps] of [
    ...([[12, '1'] as const, [12, '3'] as const] as const),
    ...([[48, '1'] as const, [48, '3'] as const] as const),
  ]) {
    const make = resampler(open, { ...SIZES[size], reps });
    const pair = (index: number, drift?: Machine['drift']): Pair => [
      make('after', { seed: 2 * index + 1, startS: LATER_S, ...(drift ? { drift } : {}) }),
      make('before', { seed: 2 * index + 2, ...(drift ? { drift } : {}) }),
    ];
    console.log(`\n${size} cells that scatter as ${donor}, --reps ${reps}; --fail-above ${LIMIT}`);
    const started = process.cpuUsage();
    const none = gatesOf(NONE, (index) => pair(index));
    const { user, system } = process.cpuUsage(started);
    const seen = [
      none.map(({ mean }) => mean.seesPercent),
      none.map(({ cells }) => medianOf(cells.map((cell) => cell.seesPercent))),
    ];
    console.log(
      `sees of the mean ${said(seen[0])}, of the median cell ${said(seen[1])}; ${((user + system) / 1e6 / NONE).toFixed(3)} CPU s each`,
    );
    line('none planted', none);
    line(
      'none planted, --fail-above 0',
      gatesOf(NONE, (index) => pair(index), 0),
    );
    for (const percent of PLANTED) {
      line(
        `all slower by ${percent} %`,
        gatesOf(TIMES, (index) => planted(pair(index), 1 + percent / 100)),
      );
    }
    line(
      'all slower by what it sees',
      gatesOf(TIMES, (index) => planted(pair(index), 1 + at(none, index).mean.seesPercent / 100)),
    );
    for (const percent of CELL_PLANTED) {
      line(
        `one cell slower by ${percent} %`,
        gatesOf(TIMES, (index) => planted(pair(index), 1 + percent / 100, index)),
      );
    }
    for (const sd of [0.03, 0.1]) {
      const drift = (index: number) => wandering({ sd, lastsS: 1000, seed: index + 1 });
      line(
        `none, speed wanders by ${100 * sd} %`,
        gatesOf(TIMES, (index) => pair(index, drift(index))),
      );
    }
  }
}

/** What the whole command takes of a processor for two stored campaigns of 48 cells, three visits each. */
async function timeTheCommand(): Promise<void> {
  const make = resampler(await openCampaign(join('test', 'fixtures', 'campaigns', 'alltoall')), {
    ...SIZES[48],
    reps: '3',
  });
  const folder = mkdtempSync(join(tmpdir(), 'predict-slowdowns-'));
  try {
    const [after, before] = [join(folder, 'after'), join(folder, 'before')];
    await store(make('after', { seed: 1, startS: LATER_S }), after);
    await store(make('before', { seed: 2 }), before);
    for (const words of [
      ['--help'],
      ['status', before],
      ['compare', after, '--against', before, '--fail-above', '5'],
    ]) {
      const { userSeconds, systemSeconds } = await measureCommand(words);
      console.log(
        `predict ${words[0]}: ${(userSeconds + systemSeconds).toFixed(2)} CPU s (48 cells, 3 visits each, 2 campaigns)`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function gatesOf(times: number, pair: (index: number) => Pair, limitPercent: number = LIMIT) {
  return Array.from({ length: times }, (_, index) => {
    const [after, before] = pair(index);
    const { gate } = compareCampaigns(after, before, { level: 0.9, limitPercent });
    if (gate === null) throw new Error('no gate');
    return gate;
  });
}

/** The first campaign so many times as slow, in all cells or in the n-th. */
function planted([after, before]: Pair, factor: number, nth?: number): Pair {
  const places = [...new Set(after.campaign.cells.map(({ nodes, bw }) => `${nodes} ${bw}`))];
  const place = nth === undefined ? null : places[nth % places.length];
  return [slowed(after, ({ nodes, bw }) => (place === null || place === `${nodes} ${bw}` ? factor : 1)), before];
}

function line(what: string, gates: ReturnType<typeof gatesOf>): void {
  const share = (isSo: (gate: (typeof gates)[number]) => boolean): string =>
    `${((100 * gates.filter(isSo).length) / gates.length).toFixed(1)} %`.padStart(7);
  const byMean = share(({ mean }) => mean.verdict === 'slower');
  const byCell = share(({ cells }) => cells.some(({ verdict }) => verdict === 'slower'));
  const either = share(({ mean, cells }) => [mean, ...cells].some(({ verdict }) => verdict === 'slower'));
  console.log(`${what.padEnd(34)} fails ${either} of ${gates.length} (mean ${byMean}, a cell ${byCell})`);
}

function medianOf(values: readonly number[]): number {
  return at(
    [...values].sort((a, b) => a - b),
    Math.floor(values.length / 2),
  );
}

function said(values: readonly number[] = []): string {
  return `${medianOf(values).toFixed(1)} %`;
}
