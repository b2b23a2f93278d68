import { type Command, Option } from 'commander';
import { addCommand, PROGRAM } from './command.ts';

const ROWS_SCALE = ['--scale <s>', 'only rows of this scale'] as const;
const ROWS_BW = ['--bw <percent>', 'only rows of this bandwidth'] as const;

/** Commands that fit models to a campaign or a file of rows, and ask them. */
export function registerModels(program: Command): void {
  program.commandsGroup('How far it scales:');
  registerModel(program);
  const fit = addCommand(
    program,
    'fit',
    [
      'fit campaigns/first',
      'fit --data runs.csv --model eq6 --ranks-per-node 18 --base-scale 25 --interval 0.9 --json',
    ],
    { hidden: true },
  ).description('fit a scaling model to a campaign or a file of rows');
  withModel(withSource(fit))
    .option(...ROWS_SCALE)
    .option(...ROWS_BW)
    .action(async (dir, flags) => (await import('../fit.ts')).fit(dir, flags));
  const compare = addCommand(program, 'compare', [
    'compare campaigns/first',
    'compare campaigns/first --train-nodes 4,9',
    'compare campaigns/second campaigns/first --fail-above 10% --junit gate.xml',
    'compare --data runs.csv --ranks-per-node 18 --json',
  ]).description(
    'rank scaling models by predicting node counts that were left out, or hold two campaigns against each other',
  );
  withSource(compare)
    .option(...ROWS_SCALE)
    .option(...ROWS_BW)
    .addOption(new Option('--against <dir>', 'an older name of [other]').hideHelp())
    .option(
      '--fail-above <percent>',
      'with two campaigns: exit 6 where the mean or a cell is slower by more than that, or a cell failed',
    )
    .option('--strict', 'with --fail-above: exit 6 too where that is undecided')
    .option('--junit <file>', 'with --fail-above: write a JUnit XML file with a test for the mean and for each cell')
    .option('--markdown <file>', 'with two campaigns: write a summary in Markdown, as for a pull request')
    .addHelpText(
      'after',
      '\nWith --train-nodes the choice is made on those node counts alone, and every model is then asked for the others.',
    )
    .argument('[other]', 'an older campaign: how times changed since, cell by cell, in place of models')
    .action(async (dir, other, flags) =>
      (await import('../compare.ts')).compareCommand(dir, other === undefined ? flags : { ...flags, against: other }),
    );
  registerProject(program);
  registerPlan(program);
  registerAdvise(program);
}

function registerModel(program: Command): void {
  const model = addCommand(program, 'model', [
    'model campaigns/first',
    'model campaigns/first --nodes 36..400 --bw 20,100 --deadline 0.05 --price 2.5',
    'model --data runs.csv --ranks-per-node 18 --nodes 36..400 --json',
  ]).description('whether more nodes or a faster link help, how long larger clusters take, and how far to trust that');
  withChoices(
    withModel(withSource(model)).option(
      '--nodes <range>',
      'clusters to choose from: 64,100; of a range 36..400 the counts that can run (default: far beyond those measured)',
    ),
  ).action(async (dir, flags) => (await import('../model.ts')).modelCommand(dir, flags));
}

function registerProject(program: Command): void {
  const project = addCommand(
    program,
    'project',
    [
      'project campaigns/first --nodes 36..400 --bw 20,100',
      'project --data runs.csv --model eq7 --ranks-per-node 18 --nodes 64,100 --bw 20,100 --scale 28 --interval --json',
      'project --coefficients C1=138.59,C2=4.004 --model eq2 --ranks-per-node 18 --scale 28 --nodes 64,81,100',
    ],
    { hidden: true },
  ).description('project completion time and GTEPS to other node counts, bandwidths and scales');
  withModel(withSource(project))
    .requiredOption('--nodes <range>', 'node counts: 64,100; of a range 36..400 the admissible ones')
    .option('--scale <range>', 'the scales to project to')
    .option('--bw <range>', 'the bandwidths to project to, percent; above 100 with --model volume')
    .option('--coefficients <list>', 'given numbers instead of rows: C1=138.59,C2=4.004[,alpha=1.11]')
    .action(async (dir, flags) => (await import('../project.ts')).projectCommand(dir, flags));
}

function registerPlan(program: Command): void {
  const plan = addCommand(
    program,
    'plan',
    [
      'plan campaigns/first --nodes 4..400 --bw 20,100 --deadline 0.05',
      'plan --data runs.csv --ranks-per-node 18 --nodes 36..400 --price 2.5 --runs 64 --json',
    ],
    { hidden: true },
  ).description('what to buy: time, speedup, efficiency and cost, deadlines, links and memory, each with its interval');
  withChoices(
    withModel(withSource(plan)).requiredOption(
      '--nodes <range>',
      'clusters to choose from: 36..400 (the admissible counts), or 64,100',
    ),
  ).action(async (dir, flags) => (await import('../plan.ts')).planCommand(dir, flags));
}

/** What a buyer may ask of clusters. */
function withChoices(command: Command): Command {
  return command
    .option('--scale <range>', 'dataset scales; those of the rows by default')
    .option('--bw <range>', 'links to choose from, percent of the measured link; above 100 with the volume model')
    .option('--deadline <time>', 'completion time to stay under: 0.5, 90s, 10m')
    .option('--gain <percent>', 'doubling the nodes should save at least this much time (10)')
    .option('--efficiency <percent>', 'efficiency should stay above this (50)')
    .option('--cti <percent>', 'a slower link may cost this much time (10)')
    .option('--runs <n>', 'searches or runs to pay for (1)')
    .option('--price <number>', 'price of a node for an hour')
    .option('--reference <n>', 'speedups are relative to this node count; the smallest of the rows by default')
    .option('--bytes-per-edge <n>', 'memory estimate: bytes per edge (40)')
    .option('--edge-factor <n>', 'edges per vertex (as counted; 16 for a file)')
    .option('--memory <size>', "memory per node: 64GiB; the campaign's smallest host by default");
}

function registerAdvise(program: Command): void {
  const advise = addCommand(program, 'advise', [
    'advise campaigns/first --target nodes=100,bw=100,scale=20 --budget 0.5',
    'advise campaigns/first --target nodes=100,bw=20,scale=20 --budget 0.5 --json > advice.json',
    'sweep --inventory lab.yaml --cells advice.json --out campaigns/first',
  ]).description('which cells to measure next so that the interval of a projection shrinks most');
  withModel(withSource(advise))
    .requiredOption('--target <setting>', 'what is to be known better: nodes=100,bw=100,scale=28')
    .requiredOption('--budget <node-hours>', 'what the new cells may cost')
    .option('--nodes <range>', "node counts that can be measured: 4..25; those of the campaign's hosts by default")
    .option('--scale <range>', 'scales that can be measured; those of the rows by default')
    .option('--bw <range>', 'bandwidths that can be measured; by default those of the rows and those half-way between')
    .option('--roots <n>', "searches per cell; the campaign's own by default")
    .option('--overhead <time>', 'a cell without records takes this long beside its searches', '10s')
    .action(async (dir, flags) => (await import('../advise.ts')).adviseCommand(dir, flags));
}

/** The options of every command that fits: which rows, and how sure. */
function withSource(command: Command): Command {
  return command
    .argument('[dir]', 'campaign folder')
    .option('--data <file>', 'rows from a file instead: CSV with columns scale,n,bw,rep,ct, or Parquet')
    .option(...PROGRAM)
    .option('--ranks-per-node <n>', "MPI ranks per node; the campaign's own by default")
    .option(
      '--base-scale <s>',
      'the size of a problem counts as 2^(scale - s); by default s is one below the smallest scale',
    )
    .option('--at-nodes <n>', 'only rows of this node count (eq5)')
    .option('--train-nodes <range>', 'fit to the rows of these node counts only')
    .option('--ranks-rule <rule>', 'admissible rank counts: any, square, two-squares, power-of-two')
    .option(
      '--errors <kind>',
      'what the fit makes small: seconds (absolute, the default of a named model) or percents (relative)',
    )
    .option('--interval [level]', 'give every estimate its interval of this probability (0.9)')
    .option('--bootstrap <n>', 'how often intervals are drawn', '1000')
    .option('--seed <n>', 'seed of those draws', '1');
}

function withModel(command: Command): Command {
  return command.option(
    '--model <name>',
    'eq2, eq3, eq5, eq6, eq7, volume, overlap, traffic, or auto: all of them, each by its weight; auto by default',
  );
}
