import { Option } from 'commander';
import { addCommand, CELL, PROGRAM, Verb, withExamples } from './add-command.ts';
import { METHODS } from './older-names.ts';

const MODEL = ['--model <name|file>', "a shipped model's name or a YAML file; by default the workload's own"] as const;
const AGAINST = [
  '--against <cell>',
  'with --cell: what changed since that run; DIR:CELL for one of another campaign',
] as const;
const WHOLE = ['--whole', 'of recorded MPI calls: all from MPI_Init to MPI_Finalize, not only the timed part'] as const;
const NODES = [
  '--nodes <range>',
  'clusters to forecast for: 64,100; of a range 36..400 the counts that can run',
] as const;
const INTERVAL = ['--interval <level>', 'probability of the intervals', '0.9'] as const;
/** Commands that say what limits a program. */
export function registerWhy(program: Verb): void {
  program.commandsGroup('Why it takes so long:');
  addCommand(program, 'why', [
    'why campaigns/first',
    'why campaigns/first --method path',
    'why campaigns/first --cell 25:22:10',
  ])
    .description('what limits it: Grade10, the critical path, call stacks and the model in one answer')
    .argument('<dir>', 'campaign folder')
    .addOption(new Option('--method <name>', 'one of them in full; --help with it has its options').choices(METHODS))
    .option(...CELL)
    .option(...PROGRAM)
    .runs(async () => (await import('../why-command.ts')).whyCommand);
  registerGrade10(program);
  registerPath(program);
  registerStacks(program);
  registerJobs(program);
  registerWatch(program);
}

/** A method is a command of its own, with this whole name (`currentWords`). */
function addMethod(program: Verb, method: (typeof METHODS)[number], examples: readonly string[]): Verb {
  const command = new Verb(`why --method ${method}`).copyInheritedSettings(program);
  program.addCommand(command, { hidden: true });
  return withExamples(command, examples);
}

function registerGrade10(program: Verb): void {
  addMethod(program, 'grade10', [
    'why campaigns/first --method grade10',
    'why campaigns/first --method grade10 --cell 25:22:10 --trace trace.json',
  ])
    .description('where the time of measured runs went, by the Grade10 method')
    .argument('[dir]', 'campaign folder')
    .option(...CELL)
    .option(...AGAINST)
    .option(...PROGRAM)
    .option(...MODEL)
    .option(...WHOLE)
    .option(...NODES)
    .option('--slice <time>', "length of a time slice, such as 0.001s; the model's by default")
    .option('--sampling', 'with --cell: how well coarser measurements would have done (table 5.11 of the thesis)')
    .optionsGroup('Files:')
    .option('--trace <file>', 'with --cell: phases and counters as a trace for ui.perfetto.dev')
    .option('--export <folder>', 'with --cell: metrics, attribution, bottlenecks and issues as tables')
    .option('--format <parquet|tsv>', 'of the tables', 'parquet')
    .option('--job <folder>', 'a job that another program logged instead of a campaign; needs --model')
    .runs(async () => (await import('../grade10/grade10-command.ts')).grade10);
}

function registerPath(program: Verb): void {
  addMethod(program, 'path', [
    'why campaigns/first --method path',
    'why campaigns/first --method path --cell 25:22:10 --what-if transfer=0.5',
    'why trace.jsonl --method path --slice 1s --near 1 --trace path.json',
    'why --method path --activities trace.jsonl --format timely --slice 1s --follow',
    'why --method path --activities on-2.jsonl on-4.jsonl on-8.jsonl',
  ])
    .description('critical path of each run (computation and messages)')
    .argument('[dir|file]', 'campaign folder, or the file of --activities')
    .option(...CELL)
    .option(...AGAINST)
    .option('--by <phase|rank|host|link>', 'group the time of the path by', 'phase')
    .option('--root <n>', 'with --cell: one search, step by step')
    .list('--what-if <key=factor>', 'of one run: its time if KEY lasted FACTOR times as long; repeatable')
    .option(...INTERVAL)
    .option(...PROGRAM)
    .option(...MODEL)
    .option(...WHOLE)
    .option(...NODES)
    .option('--trace <file>', 'with --cell or --activities: write workers and their critical path for ui.perfetto.dev')
    .optionsGroup('A trace of workers and messages instead of a campaign:')
    .option('--activities <file...>', 'the trace (- is standard input), or several: their profiles by worker count')
    .option('--format <name>', 'trace format (timely, otf2, activities); default: auto-detected')
    .option('--slice <time>', 'also the path of every slice of this length')
    .option('--near <percent>', 'list activities whose slack is below this percentage')
    .option('--before <n>', 'causes of each wait, over this many messages; default: 1')
    .option('--out <file>', 'write the steps of all paths as .csv or .parquet')
    .optionsGroup('A trace of Timely dataflow:')
    .option('--follow', 'print each slice (default: 1s) as soon as it is complete')
    .list('--skew <process=ns>', 'ns by which the clock of a process is ahead; repeatable')
    .option('--wait-from <op|gap>', 'waits begin at the first idle operator (op), or where work ended (gap)')
    .option('--save-columns <file>', 'save the trace in columns, which load several times faster')
    .runs(async () => (await import('../path/path-command.ts')).criticalPathCommand);
}

function registerStacks(program: Verb): void {
  addMethod(program, 'stacks', ['why campaigns/first --method stacks', 'why profiles/ --method stacks --at-nodes 100'])
    .description('which call path does not scale with nodes, and which one is bandwidth-bound')
    .argument('<dir|store>', 'a campaign with profiled runs (sweep --profile wall), or a store of such profiles')
    .option('--at-nodes <n>', 'forecast the seconds of every call path for this node count')
    .option(...PROGRAM)
    .runs(async () => (await import('../profiles/scaling-command.ts')).scalingCommand);
}

function registerJobs(program: Verb): void {
  const jobs = addMethod(program, 'jobs', [
    'why runs/one --method jobs',
    'why runs/one --method jobs --target 500/s --price 0.10 --out job.html',
    'why runs/one runs/four --method jobs --trace job.json',
  ])
    .description('which task or channel of a dataflow job limits it, and how many instances each task needs')
    .argument('<runs...>', 'folders of watched runs of one job; the advice starts from the last one')
    .option('--target <rate>', 'required rate, to compute instances: 500/s (records) or 20MB/s')
    .option('--size <n>', 'records (or bytes, such as 40GB) of the whole job; default: those of the last run')
    .option('--price <p>', 'price of a machine per started hour')
    .option(...INTERVAL)
    .option('--out <file>', 'write an HTML page with the job, its history and advice')
    .option('--trace <file>', 'write a trace of the last run for ui.perfetto.dev');
  withThresholds(jobs).runs(async () => (await import('../dag/dag-of-runs.ts')).dagOfRuns);
}

function registerWatch(program: Verb): void {
  const watch = addCommand(program, 'watch', [
    "watch --command 'zcat big.gz | ./parse | sort -S1G | ./load' --out runs/one",
    "watch --inventory lab.yaml --command 'node01: ./read | nc node02 9000' --command 'node02: nc -l 9000 | ./load'",
    'watch --flink http://host:8081 --job a1b2',
    'watch --redis redis://host --queues parse,load',
  ])
    .description('watch a running dataflow job: which task or channel limits it in each period')
    .list('--command <command>', 'a pipeline for sh; HOST: before it is a host of the inventory; repeatable')
    .option('--pids <pids>', 'running processes and their children: 4711,4712, or node02:4711')
    .option('--period <time>', 'length of a period, which gets one verdict', '5s')
    .option('--for <time>', 'stop after this time; default: when the job ends, or at Ctrl-C')
    .option('--out <folder>', "save the run in a new folder, for 'why --method jobs'")
    .optionsGroup('Processes:')
    .option('--inventory <file>', 'more hosts to watch, so that both ends of connections are seen')
    .option('--hosts <names>', 'only these hosts of the inventory: node01,node[03-05]')
    .option('--record <size>', 'bytes per input record, to show rates in records: 100B')
    .option('--hz <n>', 'samples per second', '50')
    .optionsGroup('Jobs of Flink and BullMQ:')
    .option('--flink <url>', 'a Flink job, by the REST API of its job manager')
    .option('--job <id>', 'id of the Flink job; default: the only running one')
    .option('--redis <server>', 'BullMQ queues on a Redis server: a redis:// URL, HOST:PORT or a socket')
    .option('--queues <names>', 'names of the queues: a,b if workers of a feed b, or a>b,a>c')
    .option('--capacity <n>', 'queue length at which a BullMQ queue counts as full', '100');
  withThresholds(watch).runs(async () => (await import('../dag/watch.ts')).dagWatchCommand);
}

function withThresholds(command: Verb): Verb {
  return command
    .optionsGroup('Thresholds:')
    .option('--alpha <share>', 'share of the time above which a task is busy (0.9)')
    .option('--beta <share>', 'share of the time above which an edge is saturated (0.9)')
    .option('--saturation <buffer|writer|pressure>', 'what full means; default: as it was measured');
}
