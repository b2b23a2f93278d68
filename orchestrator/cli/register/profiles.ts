import type { Command } from 'commander';
import { addCommand, PROGRAM } from './command.ts';

const EXPAND = [
  '--expand <children|parents|both>',
  'show the contexts in which the first code paths stand out',
] as const;
const MAX_DEPTH = ['--max-depth <n>', 'maximum length of a context, in steps', '10'] as const;
const MAX_BREADTH = ['--max-breadth <n>', 'number of extensions followed per context', '3'] as const;
const MOST = ['--most <n>', 'maximum number of printed rows', '20'] as const;

/** Commands about profiles of call stacks. */
export function registerProfiles(program: Command): void {
  const profiles = program
    .command('profiles')
    .description('call-stack profiles: which code path costs most, regresses or stops scaling');
  profiles
    .command('case', { isDefault: true })
    .addHelpText('after', '\nExample:\n  predict profiles --case input.json --json')
    .description('answer questions about profiles in a JSON file; profiles --case FILE does so too')
    .argument('[words...]', 'none')
    .option('--case <file>', 'JSON file with profiles as collapsed text, and questions')
    .action(async (words, flags, command) =>
      (await import('../profiles/case.ts')).profileCaseCommand(words, flags, command),
    );
  addCommand(profiles, 'import', [
    'profiles import run-7.folded --into profiles/ --benchmark bfs --run 7 --metric 12.5',
  ])
    .description('import the profiles of one run of a benchmark into a store (all or none)')
    .argument('<files...>', 'profile files, plain or gzip (- is standard input), or a campaign with profiled runs')
    .requiredOption('--into <store>', 'folder of the store, created if missing')
    .option('--benchmark <name>', 'name of the benchmark; known for a campaign')
    .option('--run <name>', 'name of the run, imported only once; for a campaign it is appended to its names')
    .option(
      '--time <time>',
      'time of the run: 2026-01-31T12:00:00Z, or seconds since 1970; default: as in the file, else its modification time',
    )
    .option('--metric <number>', 'execution time, or another metric where less is better')
    .option('--format <name>', 'auto, folded, perf, v8, jfr, pprof, speedscope or chrome', 'auto')
    .option('--value <name>', 'which value or event of a recording: samples, seconds, cpu, cpu-clock')
    .option('--strip <what>', 'parts to strip from names, comma-separated: tid, offset, jit (kept as compile mode)')
    .action(async (files, flags) => (await import('../profiles/import.ts')).importCommand(files, flags));
  addCommand(profiles, 'list', ['profiles list profiles/'])
    .description('list the profiles of a store')
    .argument('<store>', 'its folder')
    .action(async (store, flags) => (await import('../profiles/list.ts')).listCommand(store, flags));
  addCommand(profiles, 'top', ['profiles top profiles/ --degree 0', 'profiles top profiles/ --weight profiles'])
    .description('rank code paths by their samples, with n levels of callees (recursion counted once)')
    .argument('<store>', 'its folder')
    .option('--degree <n>', 'levels of callees that count for a code path', '3')
    .option('--weight <samples|profiles>', 'weigh each sample equally, or each profile', 'samples')
    .option('--benchmark <name>', 'only profiles of this benchmark; default: all')
    .option(...MOST)
    .action(async (store, flags) => (await import('../profiles/top.ts')).topCommand(store, flags));
  addCommand(profiles, 'where', ["profiles where profiles/ --function 'std::sort' --above 5%"])
    .description('profiles in which a code path has more than a share of the samples')
    .argument('<store>', 'its folder')
    .requiredOption('--function <codePath>', 'the code path, as top names it')
    .option('--above <percent>', 'minimum share of the samples in it and its callees; default: any')
    .action(async (store, flags) => (await import('../profiles/where.ts')).whereCommand(store, flags));
  addCommand(profiles, 'regressions', [
    'profiles regressions profiles/ --benchmark bfs',
    'profiles regressions profiles/ --benchmark bfs --candidate bfs/7 --expand both --repo ~/src/bfs',
  ])
    .description('find code paths that take more in a run than in the previous runs, and in which contexts')
    .argument('<store>', 'its folder')
    .requiredOption('--benchmark <name>', 'benchmark whose runs are compared')
    .option('--candidate <key>', 'candidate run (default: latest)')
    .option('--runs <beginning>', 'only runs whose names begin with this, such as "9 nodes, 50 %" of campaigns')
    .option('--window <n>', 'maximum number of previous runs to compare with', '10')
    .option(
      '--value <name>',
      'total, base (in the code path itself), total-share or base-share (of all samples)',
      'total',
    )
    .option('--rank <change|score>', 'rank by the excess beyond two deviations, or by deviations alone', 'change')
    .option('--no-noise', 'score by the deviation between runs only, even if the sampling noise is larger')
    .option(...EXPAND)
    .option('--repo <dir>', 'with --expand: git repository, to show how recently the code changed')
    .option('--threshold <score>', 'with --expand: leave out contexts with a score up to this', '0')
    .option(...MAX_DEPTH)
    .option(...MAX_BREADTH)
    .option(...MOST)
    .action(async (store, flags) => (await import('../profiles/regressions.ts')).regressionsCommand(store, flags));
  addCommand(profiles, 'correlate', ['profiles correlate profiles/ --value base-share'])
    .description('correlate code paths with the metric of their runs, over benchmarks (not proof of a cause)')
    .argument('<store>', 'its folder')
    .option('--least <n>', 'minimum number of profiles of a benchmark with the code path', '2')
    .option(
      '--least-share <percent>',
      'minimum share of the samples of a benchmark; default: 1 for profiles in seconds (as of campaigns), else any',
    )
    .option(
      '--value <name>',
      'base, base-share (for time-based samplers, whose longer runs have more samples), total or total-share',
      'base',
    )
    .option(...EXPAND)
    .option('--threshold <score>', 'with --expand: leave out contexts with a score up to this', '0')
    .option(...MAX_DEPTH)
    .option(...MAX_BREADTH)
    .option(...MOST)
    .action(async (store, flags) => (await import('../profiles/correlate.ts')).correlateCommand(store, flags));
  addCommand(profiles, 'flame', [
    'profiles flame profiles/ --profile bfs/7 --out flame.html',
    'profiles flame profiles/ --profile bfs/7 --against mean:10 --out change.html',
    'profiles flame profiles/ --profile mean:5 --benchmark bfs --out mean.speedscope.json',
  ])
    .description('flame graph of a profile, optionally as a diff')
    .argument('<store>', 'its folder')
    .requiredOption('--profile <key>', 'key of the profile, or mean:N for the latest N runs of --benchmark')
    .option('--benchmark <name>', 'benchmark, with --profile mean:N')
    .option('--against <key>', 'colour the changes since this profile, or mean:N for the N runs before')
    .requiredOption('--out <file>', '.html, .svg, .folded, or .speedscope.json')
    .action(async (store, flags) => (await import('../profiles/flame.ts')).flameCommand(store, flags));
  addCommand(profiles, 'query', [
    "profiles query profiles/ 'MATCH (f:Function)-[:INVOKES]->(g:Function) RETURN f.codePath, g.codePath, g.total LIMIT 5'",
    "profiles query profiles/ --sql 'SELECT key, total FROM profiles'",
  ])
    .description('query the graph of a store in Cypher, or its tables in SQL (docs/profile-formats.md)')
    .argument('<store>', 'its folder')
    .argument('<statement>', 'statement, read-only')
    .option('--sql', 'DuckDB SQL on the tables profiles, nodes, recursions and modes')
    .action(async (store, statement, flags) =>
      (await import('../profiles/query.ts')).queryCommand(store, statement, flags),
    );
  addCommand(profiles, 'scaling', ['profiles scaling campaigns/first', 'profiles scaling profiles/ --at-nodes 100'])
    .description('which call path does not scale with nodes, and which one is bandwidth-bound')
    .argument(
      '<dir|store>',
      'a campaign with profiled runs (predict sweep --profile wall), or a store of such profiles',
    )
    .option('--at-nodes <n>', 'forecast the seconds of every call path for this node count')
    .option(...PROGRAM)
    .action(async (dir, flags) => (await import('../profiles/scaling.ts')).scalingCommand(dir, flags));
}
