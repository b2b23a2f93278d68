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
    .description('watch a running dataflow job: which task or channel limits it in each period')
    .option(
      '--command <command>',
      'a pipeline for sh, ended when watching ends; a prefix HOST: runs it on a host of the inventory; repeatable',
      (text: string, before: readonly string[] = []) => [...before, text],
    )
    .option('--pids <pids>', 'running processes and their children: 4711,4712, or node02:4711')
    .option('--inventory <file>', 'more hosts to watch, so that both ends of connections are seen')
    .option('--hosts <names>', 'only these hosts of the inventory: node01,node[03-05]')
    .option('--record <size>', 'bytes per input record, to show rates in records: 100B')
    .option('--flink <url>', 'a Flink job, by the REST API of its job manager')
    .option('--job <id>', 'id of the Flink job; default: the only running one')
    .option('--redis <server>', 'BullMQ queues on a Redis server: a redis:// URL, HOST:PORT or a socket')
    .option('--queues <names>', 'names of the queues: a,b if workers of a feed b, or a>b,a>c')
    .option('--capacity <n>', 'queue length at which a BullMQ queue counts as full', '100')
    .option('--period <time>', 'length of a period, which gets one verdict', '5s')
    .option('--hz <n>', 'samples per second', '50')
    .option('--for <time>', 'stop after this time; default: when the job ends, or at Ctrl-C')
    .option('--alpha <share>', 'share of the time above which a task is busy (0.9)')
    .option('--beta <share>', 'share of the time above which an edge is saturated (0.9)')
    .option('--saturation <buffer|writer|pressure>', 'definition of full; default: how each edge was measured')
    .option('--out <folder>', "save the run in a new folder, for 'predict dag'")
    // Options that `dag` has too count as its own, wherever they stand.
    .action(async (_flags, command) => (await import('../dag/watch.ts')).dagWatchCommand(command.optsWithGlobals()));
}
