import type { Command } from 'commander';
import { addCommand } from './command.ts';

/** Commands about graphs in the layout of Graphalytics. */
export function registerGraphs(program: Command): void {
  program.commandsGroup('Graphs:');
  const graph = program
    .command('graph')
    .description('Graphalytics datasets: convert, generate, check, compute reference outputs (serial), validate');
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
    .action(async (file, flags) => (await import('../graph/convert.ts')).convertCommand(file, flags));
  addCommand(graph, 'generate', ['graph generate --scale 20 --weights --out graphs/g500-20'])
    .description('generate a Graph500 graph as a dataset (undirected, no isolated vertices)')
    .requiredOption('--scale <n>', '2^n labels')
    .option('--edge-factor <n>', 'edges per vertex label, including self-loops and repeated edges', '16')
    .option('--seed <n>', 'seed of the edges and weights', '1')
    .option('--weights', 'give edges weights, uniform in (0, 1]')
    .requiredOption('--out <dir>', 'new folder for the dataset')
    .option('--name <name>', 'name of the graph; default: name of the folder')
    .action(async (flags) => (await import('../graph/generate.ts')).generateCommand(flags));
  addCommand(graph, 'check', ['graph check graphs/web'])
    .description('validate a dataset and print its properties')
    .argument('<dataset>', 'folder of the dataset, or its .properties file')
    .action(async (path, flags) => (await import('../graph/check.ts')).checkCommand(path, flags));
  addCommand(graph, 'reference', ['graph reference graphs/web', 'graph reference graphs/web --algorithms bfs,lcc'])
    .description("compute reference outputs (serial) and write NAME-BFS, NAME-PR, ... beside the dataset's files")
    .argument('<dataset>', 'folder of the dataset, or its .properties file')
    .option('--algorithms <list>', 'bfs,pr,wcc,cdlp,lcc,sssp; default: those that the dataset lists')
    .option('--replace', 'overwrite existing outputs')
    .action(async (path, flags) => (await import('../graph/reference.ts')).referenceCommand(path, flags));
  addCommand(graph, 'validate', ['graph validate out/ --reference graphs/web/web-PR --algorithm pr'])
    .description("compare an output with a reference output by the benchmark's rules (exit 4 if they differ)")
    .argument('<output>', 'output file, or a folder with its parts')
    .requiredOption('--reference <file>', 'the reference output')
    .requiredOption('--algorithm <name>', 'bfs, pr, wcc, cdlp, lcc or sssp')
    .action(async (output, flags) => (await import('../graph/validate.ts')).validateCommand(output, flags));
}
