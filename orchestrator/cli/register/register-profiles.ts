import { addCommand, type Verb } from './add-command.ts';

const BENCHMARK = ['--benchmark <name>', 'only profiles of this benchmark; default: all'] as const;
const MOST = ['--most <n>', 'maximum number of printed rows', '20'] as const;

/** Commands about profiles of call stacks; `import` fills a store with them. */
export function registerProfiles(program: Verb): void {
  const profiles = program
    .command('profiles')
    .description('call-stack profiles in a store: which code path costs most, regresses or grows with a metric');
  const verb = (name: string, about: string, examples: readonly string[]): Verb =>
    addCommand(profiles, name, examples).description(about);
  verb('top', 'rank code paths by their samples, with n levels of callees (recursion counted once)', [
    'profiles top profiles/ --degree 0',
    'profiles top profiles/ --weight profiles',
    "profiles top profiles/ --function 'std::sort' --above 5%",
  ])
    .argument('<store>', 'its folder')
    .option('--degree <n>', 'levels of callees that count for a code path', '3')
    .option('--weight <samples|profiles>', 'weigh each sample equally, or each profile', 'samples')
    .option(...BENCHMARK)
    .option(...MOST)
    .optionsGroup('One code path:')
    .option('--function <codePath>', 'the profiles in which it has samples, instead of a rank')
    .option('--above <percent>', 'minimum share of the samples in it and its callees; default: any')
    .runs(async () => (await import('../profiles/top-command.ts')).topCommand);
  const regressions = verb('regressions', 'code paths that take more in a run than before, and in which contexts', [
    'profiles regressions profiles/ --benchmark bfs --out plots.html',
    'profiles regressions profiles/ --benchmark bfs --candidate bfs/7 --expand both --repo ~/src/bfs',
  ])
    .argument('<store>', 'its folder')
    .requiredOption('--benchmark <name>', 'benchmark whose runs are compared')
    .option('--candidate <key>', 'candidate run (default: latest)')
    .option('--runs <beginning>', 'only runs whose names begin with this, such as "9 nodes, 50 %" of campaigns')
    .option('--window <n>', 'maximum number of previous runs to compare with', '10')
    .option('--value <name>', 'total, base (in the code path itself), total-share or base-share (of all)', 'total')
    .option('--rank <change|score>', 'rank by the excess beyond two deviations, or by deviations alone', 'change')
    .option('--no-noise', 'score by the deviation between runs only, even if the sampling noise is larger')
    .option('--out <file>', 'write an HTML page with a plot of each listed code path over the runs, and its band')
    .option(...MOST);
  withExpansion(regressions)
    .option('--repo <dir>', 'with --expand: git repository, to show how recently the code changed')
    .runs(async () => (await import('../profiles/regressions-command.ts')).regressionsCommand);
  const correlate = verb('correlate', 'correlate code paths with the metric of their runs (not proof of a cause)', [
    'profiles correlate profiles/ --value base-share',
  ])
    .argument('<store>', 'its folder')
    .option('--least <n>', 'minimum number of profiles of a benchmark with the code path', '2')
    .option('--least-share <percent>', 'minimum share of the samples; default: 1 for profiles in seconds, else any')
    .option('--value <name>', 'base, total, base-share (where longer runs have more samples) or total-share', 'base')
    .option(...MOST);
  withExpansion(correlate).runs(async () => (await import('../profiles/correlate-command.ts')).correlateCommand);
  verb('flame', 'flame graph of a profile, optionally as a diff', [
    'profiles flame profiles/ --profile bfs/7 --out flame.html',
    'profiles flame profiles/ --profile bfs/7 --against mean:10 --out change.html',
    'profiles flame profiles/ --profile mean:5 --benchmark bfs --out mean.speedscope.json',
  ])
    .argument('<store>', 'its folder')
    .requiredOption('--profile <key>', 'key of the profile, or mean:N for the latest N runs of --benchmark')
    .requiredOption('--out <file>', '.html, .svg, .folded, or .speedscope.json')
    .option('--benchmark <name>', 'benchmark, with --profile mean:N')
    .option('--against <key>', 'colour the changes since this profile, or mean:N for the N runs before')
    .runs(async () => (await import('../profiles/flame.ts')).flameCommand);
  verb('query', 'list the profiles of a store, or query its graph in Cypher, its tables in SQL', [
    'profiles query profiles/',
    "profiles query profiles/ 'MATCH (f:Function)-[:INVOKES]->(g:Function) RETURN f.codePath, g.codePath, g.total LIMIT 5'",
    "profiles query profiles/ --sql 'SELECT key, total FROM profiles'",
  ])
    .argument('<store>', 'its folder')
    .argument('[statement]', 'read-only statement (docs/profiles.md); without one the profiles are listed')
    .option('--sql', 'it is DuckDB SQL on the tables profiles, nodes, recursions and modes')
    .runs(async () => (await import('../profiles/query.ts')).queryCommand);
}

function withExpansion(command: Verb): Verb {
  return command
    .optionsGroup('Contexts:')
    .option('--expand <children|parents|both>', 'show the contexts in which the first code paths stand out')
    .option('--threshold <score>', 'with --expand: leave out contexts with a score up to this', '0')
    .option('--max-depth <n>', 'maximum length of a context, in steps', '10')
    .option('--max-breadth <n>', 'number of extensions followed per context', '3');
}
