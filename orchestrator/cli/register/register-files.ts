import { Argument } from 'commander';
import { PROFILE_FORMATS } from '../../../analysis/profiles/formats/profile-format.ts';
import { addCommand, INVENTORY, PROGRAM, type Verb } from './add-command.ts';

const ROWS = 'csv, parquet, extrap-text, extrap-json, extrap-jsonl';
const PROFILES = PROFILE_FORMATS.join(', ');

/** Commands about files of other programs, graphs in the layout of Graphalytics, and your shell. */
export function registerFiles(program: Verb): void {
  program.commandsGroup('Files of other programs:');
  addCommand(program, 'import', [
    'import app.json --metric time --callpath main --map p=nodes,size=scale --out rows.csv',
    'import run-7.folded --into profiles/ --benchmark bfs --run 7 --metric 12.5',
    'import report/ --json',
    'import run.stdout run.stderr --format graph500 --json',
  ])
    .description('read and check what other programs wrote: measurements, profiles, reports, output of Graph500')
    .argument('<files...>', 'files of one kind; of profiles plain or gzip, - for standard input, or a campaign')
    .option('--format <name>', `${ROWS}, graph500, graphalytics; with --into ${PROFILES}; default: auto-detected`)
    .option('--metric <name>', 'only this metric; with --into the execution time of the run, or what is better if less')
    .optionsGroup('Measurements:')
    .option('--callpath <name>', 'only this call path')
    .option('--map <list>', 'map parameters to variables: p=nodes,size=scale')
    .option('--out <file>', 'write one series as rows (scale,n,bw,rep,ct); the extension sets the format')
    .optionsGroup('Profiles of call stacks, of one run (all or none):')
    .option('--into <store>', 'folder of the store, created if missing')
    .option('--benchmark <name>', 'name of the benchmark; known for a campaign')
    .option('--run <name>', 'name of the run, imported only once; for a campaign it is appended to its names')
    .option('--time <time>', 'of the run: 2026-01-31T12:00:00Z, or seconds since 1970; default: as the file has it')
    .option('--value <name>', 'which value or event of a recording: samples, seconds, cpu, cpu-clock')
    .option('--strip <what>', 'parts to strip from names, comma-separated: tid, offset, jit (kept as compile mode)')
    .optionsGroup('Reports of the Graphalytics harness:')
    .option('--properties <file...>', 'properties files of graphs that are missing in the reports')
    .runs(async () => (await import('../import-command.ts')).importCommand);
  addCommand(program, 'export', [
    'export campaigns/first --format extrap-json --out first.json',
    'export --data runs.csv --format extrap-text',
    'export campaigns/first --prometheus --out /var/lib/node_exporter/predict.prom',
    'export --format graphalytics-driver --inventory lab.yaml --out driver',
  ])
    .description('write measurements for other programs, or a driver that the Graphalytics harness runs')
    .argument('[dir]', 'campaign folder')
    .option('--format <name>', `${ROWS} (default: by the file extension) or graphalytics-driver (the bundled kernels)`)
    .option('--prometheus', 'the medians as text for Prometheus, OpenTelemetry and the like')
    .option('--out <file>', 'output file; default: stdout (also for -), except for parquet; of a driver its folder')
    .option('--data <file>', 'rows from a file instead: CSV with columns scale,n,bw,rep,ct, or Parquet')
    .option(...PROGRAM)
    .option('--metric <name>', 'only ct (seconds) or only teps; with ct, model can read csv and parquet')
    .option(...INVENTORY)
    .runs(async () => (await import('../exchange-rows.ts')).exportCommand);
  registerGraphs(program);
  program.commandsGroup('Your shell:');
  addCommand(program, 'completion', [
    'completion bash > ~/.local/share/bash-completion/completions/predict',
    'completion zsh > "$fpath[1]/_predict"',
    'completion fish > ~/.config/fish/completions/predict.fish',
  ])
    .description('print a shell completion script')
    .addArgument(new Argument('<shell>', 'your shell').choices(['bash', 'zsh', 'fish']))
    .runs(async () => (await import('../completion.ts')).printCompletion);
}

function registerGraphs(program: Verb): void {
  const graph = program
    .command('graph')
    .description('Graphalytics datasets: convert, generate, check, and predict what is sent');
  addCommand(graph, 'convert', [
    'graph convert edges.txt --directed --out graphs/web',
    'graph convert roads.csv.gz --undirected --weights km --out graphs/roads',
  ])
    .description('convert an edge list to a dataset: SNAP, CSV, Matrix Market or a .e file, plain or gzip')
    .argument('<file>', 'the edge list; ids are whole numbers from 0 to 2^63 - 1')
    .requiredOption('--out <dir>', 'new folder for the dataset')
    .option('--name <name>', 'name of the graph; default: name of the folder')
    .option('--format <name>', 'auto, snap, csv, matrix-market or graphalytics', 'auto')
    .option('--directed', 'edges are directed; default: as the file states')
    .option('--undirected', 'edges are undirected')
    .option('--weights <column>', 'column of the weights: its name, or its number from 1')
    .option('--no-weights', 'leave out weights; default: use a third column, or one named weight')
    .option('--source <id>', 'source vertex of BFS and SSSP; default: the vertex with most out-edges')
    .runs(async () => (await import('../graph/dataset-commands.ts')).convertCommand);
  addCommand(graph, 'generate', ['graph generate --scale 20 --weights --out graphs/g500-20'])
    .description('generate a Graph500 graph as a dataset (undirected, no isolated vertices)')
    .requiredOption('--scale <n>', '2^n labels')
    .requiredOption('--out <dir>', 'new folder for the dataset')
    .option('--edge-factor <n>', 'edges per vertex label, including self-loops and repeated edges', '16')
    .option('--seed <n>', 'seed of the edges and weights', '1')
    .option('--weights', 'give edges weights, uniform in (0, 1]')
    .option('--name <name>', 'name of the graph; default: name of the folder')
    .runs(async () => (await import('../graph/dataset-commands.ts')).generateCommand);
  addCommand(graph, 'check', [
    'graph check graphs/web',
    'graph check graphs/web --outputs --algorithms bfs,lcc',
    'graph check out/ --reference graphs/web/web-PR --algorithm pr',
  ])
    .description('validate a dataset and print its properties, compute its reference outputs, or validate an output')
    .argument(
      '<path>',
      'folder of the dataset, or its .properties file; or an output: its file, or a folder with parts',
    )
    .optionsGroup('Reference outputs (serial):')
    .option('--outputs', "compute them and write NAME-BFS, NAME-PR, ... beside the dataset's files")
    .option('--algorithms <list>', 'bfs,pr,wcc,cdlp,lcc,sssp; default: those that the dataset lists')
    .option('--replace', 'overwrite existing outputs')
    .optionsGroup('An output, by the rules of the benchmark (exit 4 if it is wrong):')
    .option('--reference <file>', 'the reference output')
    .option('--algorithm <name>', 'bfs, pr, wcc, cdlp, lcc or sssp')
    .runs(async () => (await import('../graph/check-command.ts')).checkCommand);
  addCommand(graph, 'predict', [
    'graph predict graphs/web --nodes 2,4,9,16,100,400',
    'graph predict graphs/web --nodes 4..16/4 --ranks-per-node 8 --algorithms pr,cdlp --json',
  ])
    .description('predict bytes, messages and supersteps of the bundled kernels from the edges, before any run')
    .argument('<dataset>', 'folder of the dataset, or its .properties file')
    .option('--nodes <range>', 'node counts', '2,4,9,16')
    .option('--ranks-per-node <n>', 'ranks on each node', '1')
    .option('--algorithms <list>', 'bfs,pr,wcc,cdlp,lcc,sssp; default: those that the dataset lists')
    .runs(async () => (await import('../graph/traffic-command.ts')).predictCommand);
}
