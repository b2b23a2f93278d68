import type { Command } from 'commander';
import { addCommand } from './command.ts';

/** Commands about graphs in the layout of Graphalytics. */
export function registerGraphs(program: Command): void {
  program.commandsGroup('Graphs:');
  const graph = program
    .command('graph')
    .description('datasets of Graphalytics: make, check, compute plainly, validate');
  addCommand(graph, 'convert', [
    'graph convert edges.txt --directed --out graphs/web',
    'graph convert roads.csv.gz --undirected --weights km --out graphs/roads',
  ])
    .description('make a dataset of an edge list: SNAP, CSV, Matrix Market or a .e file, plain or gzip')
    .argument('<file>', 'the edge list; ids are whole numbers from 0 to 2^63 - 1')
    .requiredOption('--out <dir>', 'folder of the dataset, made anew')
    .option('--name <name>', 'name of the graph; that of the folder by default')
    .option('--format <name>', 'auto, snap, csv, matrix-market or graphalytics', 'auto')
    .option('--directed', 'edges have a direction; by default what the file says of itself')
    .option('--undirected', 'edges have none')
    .option('--weights <column>', 'the column of the weights: its name, or its number from 1')
    .option('--no-weights', 'leave weights out; by default a third column, or one named weight, is taken')
    .option('--source <id>', 'where BFS and SSSP begin; by default the vertex with most out-edges')
    .action(async (file, flags) => (await import('../graph/convert.ts')).convertCommand(file, flags));
  addCommand(graph, 'generate', ['graph generate --scale 20 --weights --out graphs/g500-20'])
    .description('make a dataset of the Graph500 graph, undirected, without isolated vertices')
    .requiredOption('--scale <n>', '2^n labels')
    .option('--edge-factor <n>', 'edges per label, self-loops and repeated ones included', '16')
    .option('--seed <n>', 'seed of the edges and weights', '1')
    .option('--weights', 'give edges weights, uniform in (0, 1]')
    .requiredOption('--out <dir>', 'folder of the dataset, made anew')
    .option('--name <name>', 'name of the graph; that of the folder by default')
    .action(async (flags) => (await import('../graph/generate.ts')).generateCommand(flags));
  addCommand(graph, 'check', ['graph check graphs/web'])
    .description("what is in a dataset, and everything in it that breaks the format's rules")
    .argument('<dataset>', 'its folder, or its .properties file')
    .action(async (path, flags) => (await import('../graph/check.ts')).checkCommand(path, flags));
  addCommand(graph, 'reference', ['graph reference graphs/web', 'graph reference graphs/web --algorithms bfs,lcc'])
    .description("compute each algorithm plainly and write NAME-BFS, NAME-PR, ... beside the dataset's files")
    .argument('<dataset>', 'its folder, or its .properties file')
    .option('--algorithms <list>', 'bfs,pr,wcc,cdlp,lcc,sssp; by default those that the dataset lists')
    .option('--replace', 'write outputs anew that are there already')
    .action(async (path, flags) => (await import('../graph/reference.ts')).referenceCommand(path, flags));
  addCommand(graph, 'validate', ['graph validate out/ --reference graphs/web/web-PR --algorithm pr'])
    .description("hold an output against a reference output by the benchmark's rules (exit 4 where they differ)")
    .argument('<output>', 'a file, or a folder whose files are its parts')
    .requiredOption('--reference <file>', 'the reference output')
    .requiredOption('--algorithm <name>', 'bfs, pr, wcc, cdlp, lcc or sssp')
    .action(async (output, flags) => (await import('../graph/validate.ts')).validateCommand(output, flags));
}
