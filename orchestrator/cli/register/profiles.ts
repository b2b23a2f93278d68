import type { Command } from 'commander';
import { addCommand, PROGRAM } from './command.ts';

const EXPAND = ['--expand <children|parents|both>', 'in which contexts the first code paths stand out'] as const;
const MAX_DEPTH = ['--max-depth <n>', 'of a context: steps at most', '10'] as const;
const MAX_BREADTH = ['--max-breadth <n>', 'of a context: so many extensions are followed', '3'] as const;
const MOST = ['--most <n>', 'rows that are printed, at most', '20'] as const;

/** Commands about profiles of call stacks. */
export function registerProfiles(program: Command): void {
  const profiles = program
    .command('profiles')
    .description('which code path costs, regresses, and stops scaling: profiles of call stacks');
  profiles
    .command('case', { isDefault: true })
    .addHelpText('after', '\nExample:\n  predict profiles --case input.json --json')
    .description('answer questions about profiles in a JSON file; profiles --case FILE does so too')
    .argument('[words...]', 'none')
    .option('--case <file>', 'profiles as collapsed text, and what is asked of them')
    .action(async (words, flags, command) =>
      (await import('../profiles/case.ts')).profileCaseCommand(words, flags, command),
    );
  addCommand(profiles, 'import', [
    'profiles import run-7.folded --into profiles/ --benchmark bfs --run 7 --metric 12.5',
  ])
    .description('add the profiles of one run of a benchmark to a store: all of them, or none')
    .argument('<files...>', 'files of profiles, plain or gzip; - is standard input; or a campaign with profiled runs')
    .requiredOption('--into <store>', 'folder of the store, made where it is missing')
    .option('--benchmark <name>', 'what ran; a campaign says it by itself')
    .option('--run <name>', 'which run of it: each is imported once; of a campaign it stands behind its own names')
    .option(
      '--time <time>',
      'when it ran: 2026-01-31T12:00:00Z, or seconds since 1970; by default what the file says, else when it was changed last',
    )
    .option('--metric <number>', 'its execution time, or another metric of which less is better')
    .option('--format <name>', 'auto, folded, perf, v8, jfr, pprof, speedscope or chrome', 'auto')
    .option('--value <name>', 'of several values or events of a recording: samples, seconds, cpu, cpu-clock')
    .option('--strip <what>', 'left out of names: tid, offset, jit (kept as compile mode), with commas between')
    .action(async (files, flags) => (await import('../profiles/import.ts')).importCommand(files, flags));
  addCommand(profiles, 'list', ['profiles list profiles/'])
    .description('the profiles of a store')
    .argument('<store>', 'its folder')
    .action(async (store, flags) => (await import('../profiles/list.ts')).listCommand(store, flags));
  addCommand(profiles, 'top', ['profiles top profiles/ --degree 0', 'profiles top profiles/ --weight profiles'])
    .description('code paths by potential: what is sampled in them and within n calls below, recursion counted once')
    .argument('<store>', 'its folder')
    .option('--degree <n>', 'calls below a code path that count as its own', '3')
    .option('--weight <samples|profiles>', 'each sample counts the same, or each profile', 'samples')
    .option('--benchmark <name>', 'its profiles alone; all by default')
    .option(...MOST)
    .action(async (store, flags) => (await import('../profiles/top.ts')).topCommand(store, flags));
  addCommand(profiles, 'where', ["profiles where profiles/ --function 'std::sort' --above 5%"])
    .description('the profiles in which a code path takes more than a share of the samples')
    .argument('<store>', 'its folder')
    .requiredOption('--function <codePath>', 'the code path, as top names it')
    .option('--above <percent>', 'share of the samples in it and below it; by default any')
    .action(async (store, flags) => (await import('../profiles/where.ts')).whereCommand(store, flags));
  addCommand(profiles, 'regressions', [
    'profiles regressions profiles/ --benchmark bfs',
    'profiles regressions profiles/ --benchmark bfs --candidate bfs/7 --expand both --repo ~/src/bfs',
  ])
    .description('which code paths take more in a run than in the runs before it, and in which contexts')
    .argument('<store>', 'its folder')
    .requiredOption('--benchmark <name>', 'whose runs are compared')
    .option('--candidate <key>', 'the run that is judged; the latest by default')
    .option('--runs <beginning>', 'only runs whose names begin so, as "9 nodes, 50 %" of campaigns')
    .option('--window <n>', 'runs before it that it is held against, at most', '10')
    .option(
      '--value <name>',
      'total, base (in the code path itself), total-share or base-share (of all samples)',
      'total',
    )
    .option(
      '--rank <change|score>',
      'by what code paths take more beyond two deviations, or by deviations alone',
      'change',
    )
    .option('--no-noise', 'score by the deviation of the runs alone, also where sampling alone gives more')
    .option(...EXPAND)
    .option('--repo <dir>', 'with --expand: how recently the code changed, by this git repository')
    .option('--threshold <score>', 'with --expand: contexts with a score up to this are left out', '0')
    .option(...MAX_DEPTH)
    .option(...MAX_BREADTH)
    .option(...MOST)
    .action(async (store, flags) => (await import('../profiles/regressions.ts')).regressionsCommand(store, flags));
  addCommand(profiles, 'correlate', ['profiles correlate profiles/ --value base-share'])
    .description('which code paths rise and fall with the metric of their runs, over benchmarks (no proof of a cause)')
    .argument('<store>', 'its folder')
    .option('--least <n>', 'profiles of a benchmark that must have the code path', '2')
    .option(
      '--least-share <percent>',
      'of all that a benchmark sampled, at least so much in the code path; by default 1 where profiles count seconds, as those of campaigns do, else any',
    )
    .option(
      '--value <name>',
      'base, base-share (where a sampler runs by time, longer runs have more samples of everything), total or total-share',
      'base',
    )
    .option(...EXPAND)
    .option('--threshold <score>', 'with --expand: contexts with a score up to this are left out', '0')
    .option(...MAX_DEPTH)
    .option(...MAX_BREADTH)
    .option(...MOST)
    .action(async (store, flags) => (await import('../profiles/correlate.ts')).correlateCommand(store, flags));
  addCommand(profiles, 'flame', [
    'profiles flame profiles/ --profile bfs/7 --out flame.html',
    'profiles flame profiles/ --profile bfs/7 --against mean:10 --out change.html',
    'profiles flame profiles/ --profile mean:5 --benchmark bfs --out mean.speedscope.json',
  ])
    .description('where a profile went, by call path, and what changed since another: a page, a drawing, or stacks')
    .argument('<store>', 'its folder')
    .requiredOption('--profile <key>', 'which one; mean:N: of the latest N runs of --benchmark')
    .option('--benchmark <name>', 'with --profile mean:N: whose runs')
    .option('--against <key>', 'colours say what changed since this one; mean:N: since the N runs before')
    .requiredOption('--out <file>', '.html, .svg, .folded, or .speedscope.json')
    .action(async (store, flags) => (await import('../profiles/flame.ts')).flameCommand(store, flags));
  addCommand(profiles, 'query', [
    "profiles query profiles/ 'MATCH (f:Function)-[:INVOKES]->(g:Function) RETURN f.codePath, g.codePath, g.total LIMIT 5'",
    "profiles query profiles/ --sql 'SELECT key, total FROM profiles'",
  ])
    .description('ask the graph of a store in Cypher, or its tables in SQL (docs/profile-formats.md)')
    .argument('<store>', 'its folder')
    .argument('<statement>', 'one that reads')
    .option('--sql', 'in the SQL of DuckDB, of the tables profiles, nodes, recursions and modes')
    .action(async (store, statement, flags) =>
      (await import('../profiles/query.ts')).queryCommand(store, statement, flags),
    );
  addCommand(profiles, 'scaling', ['profiles scaling campaigns/first', 'profiles scaling profiles/ --at-nodes 100'])
    .description('which call path does not shrink with nodes, and which one the link slows')
    .argument(
      '<dir|store>',
      'a campaign with profiled runs (predict sweep --profile wall), or a store of such profiles',
    )
    .option('--at-nodes <n>', 'forecast the seconds of every call path for so many nodes')
    .option(...PROGRAM)
    .action(async (dir, flags) => (await import('../profiles/scaling.ts')).scalingCommand(dir, flags));
}
