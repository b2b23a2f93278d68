// npm run bench -- campaign-size [--cells 16,100,1000] [--against COMMIT] [--explain CELLS] [--keep FOLDER]: what opening cloned campaigns
// costs the first time and again, beside what it cost in another commit; grade10 and critical-path up to so many cells. In FOLDER the
// campaigns and the other commit stay for the next time (10,000 cells take 140 CPU seconds to clone).
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { at, projectRoot } from '../../base/index.ts';
import { cloneCampaign } from './clone-campaign.ts';
import { measureCommand } from './measure-command.ts';

const { argv } = process;
const flag = (name: string, otherwise: string): string => {
  const place = argv.indexOf(name);
  return place < 0 ? otherwise : at(argv, place + 1);
};
const sizes = flag('--cells', '16,100,1000').split(',').map(Number);
const explained = Number(flag('--explain', '100'));
const against = flag('--against', '');

/** What was asked of a campaign: processor seconds and the most memory of the process. */
interface Cost {
  readonly seconds: number;
  readonly megabytes: number;
}

/** Only the opening (with its runs) and the traffic: what the process needs to start is not in it. */
function opening(root: string, dir: string): Readonly<Record<string, Cost>> {
  const code = `import { openCampaign } from ${JSON.stringify(join(root, 'dist/experiments/index.js'))};
    const found = {};
    const cost = async (name, work) => {
      const before = process.cpuUsage();
      const result = await work();
      const { user, system } = process.cpuUsage(before);
      found[name] = { seconds: (user + system) / 1e6, megabytes: process.resourceUsage().maxRSS / 1024 };
      return result;
    };
    const open = await cost('open', () => openCampaign(${JSON.stringify(dir)}));
    await cost('traffic', () => open.traffic());
    console.log(JSON.stringify(found));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }));
}

async function command(root: string, words: readonly string[]): Promise<Cost> {
  const { userSeconds, systemSeconds, peakMegabytes } = await measureCommand(words, root);
  return { seconds: userSeconds + systemSeconds, megabytes: peakMegabytes };
}

async function costs(root: string, dir: string, cells: number): Promise<Readonly<Record<string, Cost>>> {
  const asked: Record<string, Cost> = { status: await command(root, ['status', dir]), ...opening(root, dir) };
  for (const name of cells <= explained ? ['grade10', 'critical-path'] : []) {
    asked[name] = await command(root, [name, dir, '--json']);
  }
  return asked;
}

/** Another commit of this program, compiled. */
function built(commit: string): string {
  const root = join(folder, commit);
  if (existsSync(join(root, 'dist'))) return root;
  mkdirSync(root);
  const archive = execFileSync('git', ['archive', commit], { cwd: projectRoot(), maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x'], { cwd: root, input: archive });
  symlinkSync(join(projectRoot(), 'node_modules'), join(root, 'node_modules'));
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', '.', '--noEmit', 'false'], { cwd: root });
  const bundle = join(root, 'launch/bundle.mjs');
  if (existsSync(bundle)) execFileSync(process.execPath, [bundle, root, join(root, 'dist/program')]);
  return root;
}

function filesBelow(dir: string): readonly number[] {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
}

const kept = flag('--keep', '');
const folder = kept === '' ? mkdtempSync(join(tmpdir(), 'campaign-size-')) : kept;
try {
  const other = against === '' ? null : built(against);
  const grown: { readonly cells: number; readonly again: Readonly<Record<string, Cost>> }[] = [];
  for (const cells of sizes) {
    const dir = join(folder, `${cells}`);
    if (!existsSync(dir)) await cloneCampaign(dir, { count: cells });
    const files = filesBelow(dir);
    await delay(2500);
    const before = other === null ? null : await costs(other, dir, cells);
    const columns = [before, await costsOfFirst(dir, cells), await costs(projectRoot(), dir, cells)];
    console.log(`${cells} cells, ${files.length} files, ${(files.reduce((a, b) => a + b, 0) / 1e6).toFixed(1)} MB`);
    for (const name of Object.keys(columns[2] ?? {})) {
      const text = columns.map((column) => {
        const cost = column?.[name];
        return cost === undefined ? '-' : `${cost.seconds.toFixed(2)} s ${cost.megabytes.toFixed(0)} MB`;
      });
      console.log(`  ${name.padEnd(14)} before ${text[0]}, first ${text[1]}, again ${text[2]}`);
    }
    grown.push({ cells, again: columns[2] ?? {} });
    if (kept === '') rmSync(dir, { recursive: true });
  }
  const [small, large] = grown.slice(-2);
  for (const name of ['status', 'open', 'traffic']) {
    const [a, b] = [small?.again[name]?.seconds, large?.again[name]?.seconds];
    if (small === undefined || large === undefined || a === undefined || b === undefined) continue;
    const exponent = Math.log(b / a) / Math.log(large.cells / small.cells);
    console.log(`${name} again grows from ${small.cells} to ${large.cells} cells with exponent ${exponent.toFixed(2)}`);
  }
} finally {
  if (kept === '') rmSync(folder, { recursive: true });
}

/** Each on a campaign that keeps nothing yet. */
async function costsOfFirst(dir: string, cells: number): Promise<Readonly<Record<string, Cost>>> {
  const found: Record<string, Cost> = {};
  const fresh = (): void => rmSync(join(dir, 'cache'), { recursive: true, force: true });
  fresh();
  found.status = await command(projectRoot(), ['status', dir]);
  fresh();
  Object.assign(found, opening(projectRoot(), dir));
  for (const name of cells <= explained ? ['grade10', 'critical-path'] : []) {
    fresh();
    found[name] = await command(projectRoot(), [name, dir, '--json']);
  }
  // So that all of it is there again.
  await costs(projectRoot(), dir, cells);
  return found;
}
