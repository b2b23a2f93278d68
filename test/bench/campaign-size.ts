// npm run bench -- campaign-size [--cells 16,100,1000] [--against COMMIT] [--against-up-to CELLS] [--explain CELLS] [--keep FOLDER]: CPU
// seconds and memory of commands on cloned campaigns, the first time and again, beside another commit. `report` up to --explain cells.
// In FOLDER the campaigns and the other commit stay for the next time (10,000 cells take 140 CPU seconds to clone).
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { at } from '../../base/lists.ts';
import { projectRoot } from '../../base/paths.ts';
import { builtCommit } from './built-commit.ts';
import { cloneCampaign } from './clone-campaign.ts';
import { measureCommand } from './measure-command.ts';

const { argv } = process;
const flag = (name: string, otherwise: string): string => {
  const place = argv.indexOf(name);
  return place < 0 ? otherwise : at(argv, place + 1);
};
const sizes = flag('--cells', '16,100,1000').split(',').map(Number);
const explained = Number(flag('--explain', '1000'));
const against = flag('--against', '');
const againstUpTo = Number(flag('--against-up-to', '1000'));

/** What is asked of a campaign, and the words that asked it before there was `model`. */
const COMMANDS = [
  { name: 'status', words: ['status'], before: ['status'] },
  { name: 'model', words: ['model'], before: ['fit'] },
  { name: 'why', words: ['why'], before: ['grade10'] },
  { name: 'report', words: ['report'], before: ['report'] },
] as const;

type Name = (typeof COMMANDS)[number]['name'];

/** Processor seconds and the most memory of a process. */
interface Cost {
  readonly seconds: number;
  readonly megabytes: number;
}
type Costs = ReadonlyMap<Name, Cost>;

const kept = flag('--keep', '');
const folder = kept === '' ? mkdtempSync(join(tmpdir(), 'campaign-size-')) : kept;
try {
  const other = against === '' ? null : builtCommit(against, folder);
  const grown: { readonly cells: number; readonly again: Costs }[] = [];
  for (const cells of sizes) {
    const dir = join(folder, `${cells}`);
    if (!existsSync(dir)) await cloneCampaign(dir, { count: cells });
    const files = filesBelow(dir);
    // What was written this moment is verified anew.
    await delay(2500);
    const asked = COMMANDS.filter(({ name }) => name !== 'report' || cells <= explained);
    const before: Costs =
      other === null || cells > againstUpTo
        ? new Map()
        : await costs(asked, (one) => cost(other, [...one.before, dir, ...outOf(one.name)]));
    const first = await costs(asked, (one) => {
      rmSync(join(dir, 'cache'), { recursive: true, force: true });
      return cost(projectRoot(), [...one.words, dir, ...outOf(one.name)]);
    });
    // So that all of it is there.
    await costs(asked, (one) => cost(projectRoot(), [...one.words, dir, ...outOf(one.name)]));
    const again = await costs(asked, (one) => cost(projectRoot(), [...one.words, dir, ...outOf(one.name)]));
    console.log(`${cells} cells, ${files.length} files, ${(files.reduce((a, b) => a + b, 0) / 1e6).toFixed(1)} MB`);
    for (const { name } of asked) {
      const text = [before, first, again].map((column) => {
        const own = column.get(name);
        return own === undefined ? '-' : `${own.seconds.toFixed(2)} s ${own.megabytes.toFixed(0)} MB`;
      });
      console.log(`  ${name.padEnd(8)} before ${text[0]}, first ${text[1]}, again ${text[2]}`);
    }
    grown.push({ cells, again });
    if (kept === '') rmSync(dir, { recursive: true });
  }
  const [small, large] = grown.slice(-2);
  for (const { name } of COMMANDS) {
    const [a, b] = [small?.again.get(name)?.seconds, large?.again.get(name)?.seconds];
    if (small === undefined || large === undefined || a === undefined || b === undefined) continue;
    const exponent = Math.log(b / a) / Math.log(large.cells / small.cells);
    console.log(`${name} again grows from ${small.cells} to ${large.cells} cells with exponent ${exponent.toFixed(2)}`);
  }
} finally {
  if (kept === '') rmSync(folder, { recursive: true });
}

function outOf(name: Name): readonly string[] {
  return name === 'report' ? ['--out', join(folder, 'report.html')] : [];
}

async function costs(
  asked: readonly (typeof COMMANDS)[number][],
  of: (one: (typeof COMMANDS)[number]) => Promise<Cost>,
): Promise<Costs> {
  const found = new Map<Name, Cost>();
  for (const one of asked) found.set(one.name, await of(one));
  return found;
}

async function cost(root: string, words: readonly string[]): Promise<Cost> {
  const { userSeconds, systemSeconds, peakMegabytes } = await measureCommand(words, { root });
  return { seconds: userSeconds + systemSeconds, megabytes: peakMegabytes };
}

function filesBelow(dir: string): readonly number[] {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
}
