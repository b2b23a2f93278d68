import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { importProfiles } from '../../analysis/profiles/store/import-profiles.ts';
import { readCampaign } from '../../experiments/store/campaign.ts';
import { createOrOpenCampaign } from '../../experiments/store/create-campaign.ts';
import { commandsOf } from '../../orchestrator/cli/register/add-command.ts';
import { registerAll } from '../../orchestrator/cli/register/register-all.ts';
import { writeProfiled } from '../analysis/profiles/scaling/planted.ts';
import { writeAlgorithms } from '../docs/campaigns.ts';
import { makeWorld } from '../docs/world.ts';
import { campaignPlan } from '../experiments/make.ts';
import { readCsv } from './truth/tables.ts';

/** Of every campaign: DIR, a run of it, CELL, and the SCALE of that. */
const OF_CAMPAIGN = [
  'status DIR --json',
  'model DIR --json',
  'model DIR --rank --json',
  'why DIR --json',
  'why DIR --method grade10 --json',
  'why DIR --method path --json',
  'why DIR --method grade10 --cell CELL --trace trace.json --export tables --format tsv --json',
  'why DIR --method path --cell CELL --what-if compute=0.5 --trace trace.json --json',
  'report DIR --data page.json --json',
  'export DIR --format csv',
];
/** Of stored campaigns also these; the last are older names. */
const OF_STORED = [
  'status DIR',
  'status DIR --verify --json',
  'model DIR',
  'model DIR --nodes 36..400 --bw 20,100 --deadline 0.5 --price 2 --interval --json',
  'model DIR --target nodes=64,bw=100,scale=SCALE --budget 1 --json',
  'compare DIR DIR --json',
  'compare DIR DIR --fail-above 10 --strict --junit gate.xml --markdown gate.md',
  'why DIR',
  'why DIR --cell CELL',
  'why DIR --method grade10',
  'why DIR --method grade10 --cell CELL --sampling',
  'report DIR --title Again --out page.html',
  ...['extrap-text', 'extrap-json', 'extrap-jsonl'].map((format) => `export DIR --format ${format}`),
  'export DIR --format parquet --out rows.parquet',
  'fit DIR --model eq7 --json',
  'project DIR --nodes 36,64 --json',
  'plan DIR --nodes 36,64 --json',
  'advise DIR --target nodes=64,bw=100,scale=SCALE --budget 1',
  'compare DIR --json',
  'grade10 DIR --json',
  'critical-path DIR',
  'campaign check DIR',
];
const OF_STORE = [
  ...['query', 'list', 'top', 'correlate'].map((verb) => `profiles ${verb} store --json`),
  'profiles top store --degree 0 --weight profiles',
  'profiles top store --function main --json',
  'profiles where store --function main',
  'profiles correlate store --value base-share --expand both',
  'profiles regressions store --benchmark fib --expand both --out page.html --json',
  ...['html', 'svg', 'folded'].map(
    (kind) => `profiles flame store --profile fib/3 --against mean:2 --out flame.${kind} --json`,
  ),
  'profiles flame store --profile mean:2 --benchmark fib --out flame.speedscope.json',
  "profiles query store 'MATCH (f:Function) RETURN f.key, f.codePath, f.total ORDER BY f.key' --json",
  "profiles query store --sql 'SELECT key, total FROM profiles ORDER BY key' --json",
];
/** Of what else there is in the working folder. */
const OTHERS = [
  '--version',
  ...['campaign', 'inventory', 'workload', 'answers'].map((kind) => `schema ${kind}`),
  ...['bash', 'zsh', 'fish'].map((shell) => `completion ${shell}`),
  'model --coefficients C1=138.59,C2=4.004 --model eq2 --ranks-per-node 18 --scale 28 --nodes 64,81,100 --json',
  'model campaigns/ga --program pr --json',
  'compare campaigns/first test/fixtures/campaigns/schema-1',
  ...['status --verify', 'status --repair', 'model', 'report'].map((verb) => `${verb} campaigns/damaged --json`),
  'why campaigns/first --method jobs --json',
  'why campaigns/profiled --method stacks --at-nodes 64 --json',
  'profiles scaling campaigns/profiled',
  'why campaigns/solver --method path --by host --json',
  'why test/fixtures/campaigns/schema-1 --method path --cell 4:12:20 --by rank',
  'import campaigns/profiled --into store --run 1 --json',
  'why --method grade10 --job FOLDER --model giraph-here.yaml --json',
  'why runs/one runs/four --method jobs --target 500/s --price 0.1 --out job.html --trace job.json --json',
  'dag runs/one runs/sixteen --saturation writer',
  'why --method path --activities on-2.jsonl on-4.jsonl on-8.jsonl --json',
  'why trace.jsonl --method path --near 50 --what-if op=0.5 --out path.csv --trace trace.json --json',
  'why trace.jsonl.gz --method path --format timely --slice 1ms --skew 0=1000 --save-columns columns.parquet --json',
  'critical-path --activities trace.parquet --out path.parquet',
  'sweep --inventory cluster.yaml --nodes 4,9 --scales 20 --bw 10..50/20 --dry-run --json',
  'sweep --inventory cluster.yaml --workload solver.yaml --nodes 4,9 --scales 20 --dry-run',
  'inventory init --config ssh_config --json',
  'graph convert edges.txt --directed --out graphs/web',
  'graph generate --scale 8 --weights --out graphs/g --json',
  'graph check test/fixtures/graphalytics/example/example-directed.properties --outputs --replace --json',
  'model nowhere --json',
  'model campaigns/first --colour',
  'sweep --nodes x --inventory cluster.yaml',
  'profiles regression store',
];

/** Makes the working folder that questions are about, and the command lines: of `predict`, or of test/cases/run.mjs after `cases`. */
export async function launcherQuestions(world: string, data: string | null): Promise<readonly string[]> {
  await makeWorld(world);
  const fixtures = 'test/fixtures';
  const roots = [fixtures, ...(data !== null && existsSync(data) ? ['data'] : [])];
  if (data !== null && roots.length > 1) symlinkSync(resolve(data), join(world, 'data'));
  // A file that the data folder has too is asked about once.
  const known = new Set<string>();
  const files = roots
    .flatMap((root) => filesBelow(world, root))
    .filter((path) => {
      const content = `${basename(path)} ${readFileSync(join(world, path), 'latin1')}`;
      return !known.has(content) && known.add(content);
    });
  const matching = (pattern: RegExp): readonly string[] => files.filter((path) => pattern.test(path));

  const stored = readdirSync(join(world, fixtures, 'campaigns'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${fixtures}/campaigns/${name}`);
  const campaigns = [...stored, ...(await makeCampaigns(world))];
  await makeStore(world);
  const tables = matching(/\/(?:modeling|real-clusters|real-parts|mpi-programs)\/.*\.csv$/).map((path) => {
    return asRows(world, path);
  });
  const graphs = matching(/\/(?:example|public-test)\/.*\.properties$/);
  const ofCampaigns = campaigns.map(async (dir) => {
    const { cells } = await readCampaign(join(world, dir));
    const [cell] = cells.filter(({ role }) => role === 'measure').sort((a, b) => b.nodes - a.nodes || a.bw - b.bw);
    const lines = stored.includes(dir) ? [...OF_CAMPAIGN, ...OF_STORED] : OF_CAMPAIGN;
    return lines.map((line) =>
      line.replaceAll('DIR', dir).replaceAll('CELL', `${cell?.id}`).replace('SCALE', `${cell?.scale}`),
    );
  });
  return [
    ...commandsOf(registerAll()).map(({ words }) => [...words, '--help'].join(' ')),
    ...OTHERS,
    ...(await Promise.all(ofCampaigns)).flat(),
    ...OF_STORE,
    ...tables.map((path) => `model --data ${path} --ranks-rule any --ranks-per-node 1 --json`),
    ...matching(/\/modeling\/.*\.csv$/).flatMap((path) => [
      `model --data ${path} --rank --json`,
      `project --data ${path} --nodes 36,64`,
      `import ${path}`,
    ]),
    ...graphs.map((path) => `graph check ${path} --json`),
    ...matching(/\/validation\/.*output$/).map((path) => {
      return `graph check ${path} --reference ${path} --algorithm ${basename(dirname(path))} --json`;
    }),
    ...matching(/\/graph500\/.*out$/).map((path) => {
      return `import ${path} ${path.replace('.stdout', '.stderr')} --format graph500 --json`;
    }),
    ...matching(/\/results\.json\.gz$/).map((path) => `import ${path} --json`),
    ...matching(/\/results\.json\.gz$/).map((path) => `harness read ${dirname(path)}`),
    ...matching(/\/profiles\/formats\/.*(?:folded|txt|profile|gz|json)$/).map(
      (path) => `import ${path} --into store --benchmark b --run 1 --json`,
    ),
    ...matching(/\/(?:timely|traces)\/[^.]*\.jsonl(?:\.gz)?$/).flatMap((path) => [
      `cases critical-path ${path}`,
      `why --method path --activities ${path} --json`,
    ]),
    ...matching(/\/critical-path\/.*(?:\/graphs\/[^.]*|input)\.json$/).map((path) => `cases critical-path ${path}`),
    ...['dag', 'grade10', 'profiles'].flatMap((method) =>
      matching(new RegExp(`/${method}/(?:.*/input|refused[^/]*)\\.json$`)).map((path) => `cases ${method} ${path}`),
    ),
  ];
}

/** Campaigns beside the stored ones: of searches, of recorded calls, of two programs, with call stacks, and a damaged one. */
async function makeCampaigns(world: string): Promise<readonly string[]> {
  const made = ['first', 'solver', 'ga', 'profiled'].map((name) => `campaigns/${name}`);
  const graph = join(world, 'test/fixtures/graphalytics/example/example-directed.properties');
  await writeAlgorithms(join(world, 'campaigns/ga'), graph, ['bfs', 'pr']);
  const profiled = join(world, 'campaigns/profiled');
  const planned = campaignPlan({ nodes: '1,4,9', bw: '10,100', profile: 'wall' });
  await writeProfiled(profiled, (await createOrOpenCampaign(profiled, planned)).cells);
  const damaged = join(world, 'campaigns/damaged');
  cpSync(join(world, 'campaigns/first'), damaged, { recursive: true });
  rmSync(join(damaged, 'cells', readdirSync(join(damaged, 'cells')).sort()[3] ?? '', 'roots.parquet'));
  return made;
}

/** Three runs of a benchmark and one of another. */
async function makeStore(world: string): Promise<void> {
  const none = { timeNs: null, normalise: null };
  for (const [index, name] of ['fib', 'fib', 'burn', 'node'].entries()) {
    const [benchmark, testRun] = [index < 3 ? 'fib' : 'other', `${index + 1}`];
    const file = join(world, `test/fixtures/profiles/formats/${name}.folded`);
    const run = { ...none, benchmark, testRun, timeNs: BigInt(index), metricMean: 1 + index };
    await importProfiles(join(world, 'store'), [file], run);
  }
}

/** A table in the columns that `--data` takes. */
function asRows(world: string, path: string): string {
  if (path.includes('/modeling/')) return path;
  const rows = readCsv(join(world, path)).filter(({ role }) => role === undefined || role === 'measure');
  const lines = rows.map((row) => {
    return [row.scale ?? 1, row.nodes, row.bw_percent ?? 100, row.rep, row.time ?? row.time_s].join(',');
  });
  const to = join('tables', `${basename(dirname(path))}-${basename(path)}`);
  mkdirSync(join(world, 'tables'), { recursive: true });
  writeFileSync(join(world, to), `${['scale,n,bw,rep,ct', ...lines].join('\n')}\n`);
  return to;
}

function filesBelow(world: string, folder: string): readonly string[] {
  const entries = readdirSync(join(world, folder), { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return paths.map((path) => path.slice(world.length + 1)).sort();
}
