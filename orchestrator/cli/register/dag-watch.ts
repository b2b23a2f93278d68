import type { Command } from 'commander';
import { addCommand } from './command.ts';

/** Watches a dataflow job that runs: a verb of `predict dag`. */
export function registerDagWatch(dag: Command): void {
  addCommand(dag, 'watch', [
    "dag watch --command 'zcat big.gz | ./parse | sort -S1G | ./load' --out runs/one",
    'dag watch --pids 4711,4712 --period 2s --for 1min',
    "dag watch --inventory lab.yaml --command 'node01: ./read | nc node02 9000' --command 'node02: nc -l 9000 | ./load'",
    'dag watch --flink http://host:8081 --job a1b2',
    'dag watch --redis redis://host --queues parse,load',
  ])
    .description('watch a job while it runs: which task or channel limits it, period by period')
    .option(
      '--command <command>',
      'a pipeline for sh, which ends with the watching; HOST: before it runs it on a host of the inventory; give it again for more hosts',
      (text: string, before: readonly string[] = []) => [...before, text],
    )
    .option('--pids <pids>', 'processes that run already, with what they start: 4711,4712, or node02:4711')
    .option('--inventory <file>', 'hosts that are watched too, so that connections between them are seen whole')
    .option('--hosts <names>', 'of the inventory, only these hosts: node01,node[03-05]')
    .option('--record <size>', "bytes of a record of the job's first tasks, so that rates are in records: 100B")
    .option('--flink <url>', "a job of Flink, by its job manager's REST API")
    .option('--job <id>', 'of Flink, this job; by default the only one that runs')
    .option('--redis <server>', 'queues of BullMQ on a Redis server: a redis:// URL, HOST:PORT or a socket')
    .option('--queues <names>', 'these queues: a,b where workers of a feed b, or a>b,a>c')
    .option('--capacity <n>', 'so many jobs that wait, and a queue of BullMQ is full', '100')
    .option('--period <time>', 'the time unit of a verdict', '5s')
    .option('--hz <n>', 'samples a second', '50')
    .option('--for <time>', 'end after this long; by default with the job, or at Ctrl-C')
    .option('--alpha <share>', 'a task that works for more of the time is busy (0.9)')
    .option('--beta <share>', 'an edge that is full for more of the time is saturated (0.9)')
    .option('--saturation <buffer|writer|pressure>', 'what full means; by default what each edge was measured by')
    .option('--out <folder>', "keep the run in a new folder, for 'predict dag' and its page")
    // Options that `dag` has too count as its own, wherever they stand.
    .action(async (_flags, command) => (await import('../dag/watch.ts')).dagWatchCommand(command.optsWithGlobals()));
}
