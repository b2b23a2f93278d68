import { Option } from 'commander';
import { modelNames } from '../../../modeling/forms/models.ts';
import { addCommand, PROGRAM, type Verb } from './add-command.ts';

/** Commands that fit models to a campaign or a file of rows, ask them, and compare campaigns. */
export function registerModels(program: Verb): void {
  program.commandsGroup('How far it scales:');
  const model = addCommand(program, 'model', [
    'model campaigns/first',
    'model campaigns/first --nodes 36..400 --bw 20,100 --deadline 0.05 --price 2.5',
    'model campaigns/first --rank --train-nodes 4,9',
    'model campaigns/first --target nodes=100,bw=20,scale=20 --budget 0.5 --json > advice.json',
    'model --coefficients C1=138.59,C2=4.004 --model eq2 --ranks-per-node 18 --scale 28 --nodes 64,81,100',
  ])
    .description('whether more nodes or a faster link help, how long larger clusters take, and how far to trust that')
    .argument('[dir]', 'campaign folder')
    .option('--nodes <range>', 'clusters to choose from: 64,100; of a range 36..400 the counts that can run')
    .option('--bw <range>', 'links to choose from, percent of the measured link; above 100 with the volume model')
    .option('--scale <range>', 'dataset scales; those of the rows by default')
    .option('--threads <n>', 'threads of each rank there, by runs with several numbers of them together')
    .option('--deadline <time>', 'completion time to stay under: 0.5, 90s, 10m')
    .option('--price <number>', 'price of a node for an hour')
    .option('--link-price <number>', 'price of the link that each node has, for an hour')
    .option('--rank', 'rank the candidate models by predicting node counts that were left out');
  withRows(model)
    .option('--coefficients <list>', 'given numbers instead of rows: C1=138.59,C2=4.004[,alpha=1.11]')
    .option('--model <name>', `${modelNames.join(', ')}, traffic; by default auto: all, by weight`)
    .optionsGroup('Clusters to choose from:')
    .option('--gain <percent>', 'doubling the nodes should save at least this much time (10)')
    .option('--efficiency <percent>', 'efficiency should stay above this (50)')
    .option('--cti <percent>', 'a slower link may cost this much time (10)')
    .option('--runs <n>', 'searches or runs to pay for (1)')
    .option('--reference <n>', 'speedups are relative to this node count; the smallest of the rows by default')
    .option('--bytes-per-edge <n>', 'memory estimate: bytes per edge (40)')
    .option('--edge-factor <n>', 'edges per vertex (as counted; 16 for a file)')
    .option('--memory <size>', "memory per node: 64GiB; the campaign's smallest host by default")
    .optionsGroup('What to measure next (instead of clusters; --nodes, --bw and --scale are what can be measured):')
    .option('--target <setting>', 'the cell whose projection is to be known better: nodes=100,bw=100,scale=28')
    .option('--budget <node-hours>', 'with --target: what the new cells may cost')
    .option('--roots <n>', "with --target: searches per cell; the campaign's own by default")
    .option('--overhead <time>', 'with --target: a cell without records takes this long beside its searches (10s)')
    .addOption(new Option('--view <name>', 'JSON of an older command').choices(['fit', 'project', 'plan']).hideHelp())
    .runs(async () => (await import('../model.ts')).modelCommand);
  const compare = addCommand(program, 'compare', [
    'compare campaigns/second campaigns/first',
    'compare campaigns/second campaigns/first --fail-above 10% --junit gate.xml',
  ])
    .description('how times of a campaign changed since an older one, cell by cell')
    .usage('[options] <dir> <other>')
    .argument('[dir]', 'campaign folder')
    .argument('[other]', 'the older campaign')
    .option('--fail-above <percent>', 'exit 6 where the mean or a cell is slower by more than that, or a cell failed')
    .option('--strict', 'with --fail-above: exit 6 too where that is undecided')
    .option('--junit <file>', 'with --fail-above: write a JUnit XML file with a test for the mean and for each cell')
    .option('--markdown <file>', 'write a summary in Markdown, as for a pull request');
  // Of one campaign its models are compared: an older name of `model --rank`.
  withRows(compare)
    .option('--against <dir>', 'an older name of [other]')
    .option('--scale <s>', 'only rows of this scale')
    .option('--bw <percent>', 'only rows of this bandwidth')
    .runs(async () => (await import('../compare-command.ts')).compareCommand);
  const ofTwo = ['--fail-above', '--strict', '--junit', '--markdown', '--program', '--interval'];
  for (const option of compare.options) if (!ofTwo.includes(option.long ?? '')) option.hideHelp();
  addCommand(program, 'history', [
    'history nightly',
    'history nightly --nodes 25 --bw 100 --fail-above 5%',
    'history nightly --figure ratio --out ratio.html',
  ])
    .description('how a figure of many campaigns changed over time, and since when')
    .argument('<folder>', 'folder that has campaigns, however deep')
    .option(
      '--figure <name>',
      'ct (completion time), gteps, ratio (time by that at full bandwidth) or communication (its share)',
      'ct',
    )
    .option('--nodes <range>', 'only these node counts; by default all configurations that most campaigns measured')
    .option('--scale <range>', 'only these scales')
    .option('--bw <range>', 'only these bandwidths, percent')
    .option(...PROGRAM)
    .option('--out <file.html>', 'where to write the page; history.html in the folder by default')
    .option('--fail-above <percent>', 'exit 6 where the last change of a configuration is a slowdown by more than that')
    .runs(async () => (await import('../history-command.ts')).historyCommand);
}

/** The options of what fits models: which rows, and how sure. */
function withRows(command: Verb): Verb {
  return command
    .option(...PROGRAM)
    .option('--interval [level]', 'probability of intervals (0.9); with it every estimate in --json has its own')
    .optionsGroup('Rows, and how models are fitted to them:')
    .option('--data <file>', 'rows from a file instead: CSV with columns scale,n,bw[,threads],rep,ct, or Parquet')
    .option('--train-nodes <range>', 'fit to the rows of these node counts only')
    .option('--at-nodes <n>', 'only rows of this node count (eq5)')
    .option('--ranks-per-node <n>', "MPI ranks per node; the campaign's own by default")
    .option('--base-scale <s>', 'sizes count as 2^(scale - s); by default s is one below the smallest scale')
    .option('--ranks-rule <rule>', 'admissible rank counts: any, square, two-squares, power-of-two')
    .option('--errors <kind>', 'what the fit makes small: absolute (default of a named model) or relative')
    .option('--bootstrap <n>', 'how often intervals are drawn', '1000')
    .option('--seed <n>', 'seed of those draws', '1');
}
