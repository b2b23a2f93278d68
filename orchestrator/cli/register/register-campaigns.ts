import { addCommand, INVENTORY, PROGRAM, type Verb } from './add-command.ts';

/** Commands that measure a campaign and look at what was measured. */
export function registerCampaigns(program: Verb): void {
  program.commandsGroup('Measuring:');
  registerSweep(program);
  addCommand(program, 'schema', ['schema campaign > campaign.schema.json', 'schema inventory > inventory.schema.json'])
    .description('print the JSON Schema of a file that people write, for editors, or of the answers')
    .argument('<kind>', 'campaign, inventory, workload or answers')
    .runs(async () => (await import('../schema-command.ts')).schemaCommand);
  registerFleet(program);
  addCommand(program, 'status', [
    'status campaigns/first --json',
    'status campaigns/first --watch',
    'status campaigns/first --verify',
    'status campaigns/first --repair',
  ])
    .description('show the progress of a campaign, or verify its integrity')
    .argument('<dir>', 'campaign folder')
    .option('--watch', 'show it anew at each event, until the sweep has ended')
    .option('--verify', 'verify every file against its digest; exit 2 if anything is damaged')
    .option('--repair', 'verify, and move damaged cells into DIR/set-aside: the next sweep measures them again')
    .runs(async () => (await import('../status-command.ts')).statusCommand);
  addCommand(program, 'serve', [
    'serve campaigns/first',
    'serve campaigns/first --listen 0.0.0.0:8080',
    'serve --queue --redis queue.example.org:6379',
  ])
    .description('serve a live page about a campaign, or about the queues of a Redis, until Ctrl-C')
    .argument('[dir]', 'campaign folder, which a sweep may be adding to')
    .option('--queue', 'serve Bull Board instead: all queues of predict in a Redis, to be read only')
    .option('--redis <url>', 'with --queue: HOST:PORT, redis://, rediss:// (TLS) or a socket')
    .option('--listen <address[:port]>', 'where to listen; 127.0.0.1 and any free port by default')
    .runs(async () => (await import('../serve-command.ts')).serveCommand);
  addCommand(program, 'report', [
    'report campaigns/first',
    'report campaigns/first --data report.json',
    'report campaigns/second campaigns/first',
    'report --data rows.csv --ranks-per-node 18',
  ])
    .description('write one self-contained HTML page about a campaign, or about rows of measurements')
    .argument('[dir]', 'campaign folder')
    .argument('[others...]', 'campaigns to compare it with: one page of what changed, and whether that is noise')
    .option(
      '--out <file.html>',
      'where to write it; report.html (comparison.html) in the campaign folder, or ROWS.html beside ROWS.csv',
    )
    .list(
      '--data <file>',
      'write everything that the page shows there too, as JSON (-: standard output); without a folder: rows, repeatable',
    )
    .option('--ranks-per-node <n>', 'of rows: MPI ranks per node; 1 by default')
    .option('--base-scale <s>', 'of rows: sizes count as 2^(scale - s); by default one below the smallest scale')
    .option(...PROGRAM)
    .option('--title <text>', 'heading of the page')
    .option('--markdown <file.md>', 'write answers and measured times there too, as Markdown')
    .option('--pdf <file.pdf>', 'print the page there too, by a Chromium on the PATH')
    .option('--by <factor>', 'site: the campaigns of a sweep --on sites, DIR/SITE each, as one page')
    .option('--fail-above <percent>', 'with others: exit 6 where it is slower by more than that; the page takes 5')
    .runs(async () => (await import('../report.ts')).report);
}

function registerFleet(program: Verb): void {
  const redis = [
    '--redis <url>',
    'the Redis of the campaigns: HOST:PORT, redis://, rediss:// (TLS) or a socket',
  ] as const;
  addCommand(program, 'worker', [
    'worker --redis rediss://user:password@queue.example.org --inventory cluster.yaml',
    'worker --redis queue.example.org:6379 --inventory cluster.yaml --name site-a --slots 2',
  ])
    .description('measure what sweeps on sites queue for this one, until Ctrl-C')
    .requiredOption(...redis)
    .option(...INVENTORY)
    .option('--name <site>', "the site's name in sweep --on; the inventory's cluster by default")
    .option('--slots <n>', 'most runs at once; as many as the hosts allow by default')
    .option('--graphs <list>', 'datasets that this site has, their folders: graphs/web,graphs/g500-20')
    .runs(async () => (await import('../worker-command.ts')).workerCommand);
  addCommand(program, 'queue', [
    'queue --redis queue.example.org:6379',
    'queue pause first --redis queue.example.org:6379',
    'queue priority first 5 --redis queue.example.org:6379',
    'queue rate first 12 --redis queue.example.org:6379',
  ])
    .description('show the campaigns, runs and workers of a queue, or change a campaign in it')
    .argument('[action]', 'cancel, pause, resume, priority or rate; without one the queue is shown')
    .argument('[campaign]', 'name or key of the campaign')
    .argument(
      '[n]',
      'with priority: 1 to 1000, the lowest is first; with rate: runs per hour at each site, 0 for any number',
    )
    .requiredOption(...redis)
    .runs(async () => (await import('../queue-command.ts')).queueCommand);
}

function registerSweep(program: Verb): void {
  addCommand(program, 'sweep', [
    'sweep --nodes 4,9,16,25 --bw 10..50',
    'sweep --inventory lab.yaml --nodes 4,9,16,25 --scales 19,20 --bw 10..50/20 --roots 16 --out campaigns/first',
    'sweep campaign.yaml --out campaigns/again',
    'sweep --inventory lab.yaml --workload kernels.yaml --param algorithm=bfs,pr --nodes 4,9 --dry-run',
  ])
    .description('measure: workload x nodes x scales x bandwidths; the same command resumes it')
    .argument('[file]', 'campaign file: these flags as keys of a YAML file (docs/campaign.md); a flag wins')
    .option(...INVENTORY)
    .option('--nodes <range>', 'node counts: 4,9,16,25')
    .option('--scales <range>', 'dataset scales (2^scale vertices); by default, up to 20, so that all take ten minutes')
    .option(
      '--bw <range>',
      'percent of the line rate, and 100; 10..50 by default (steps of 2), of your programs 10..50/10',
    )
    .option(
      '--latency <list>',
      "one way, added to what each host sends, by the kernel's netem: 0,0.5ms,2ms; none by default",
    )
    .option('--workload <name|file>', 'graph500 (the default), graphalytics or a workload file (docs/workloads.md)')
    .option('--out <dir>', 'campaign folder; campaigns/sweep by default')
    .option('--dry-run', 'show the cells, and what they take in time and memory; measure nothing')
    .optionsGroup('Cells:')
    .option('--cells <list|file>', 'these instead: NODES:SCALE:BW[:REP],..., or the file of a model --target --json')
    .option('--ranks-per-node <range>', "MPI ranks on each node, where they are to vary; the inventory's by default")
    .list('--param <name=value,value>', 'tell the workload this too: every combination is measured; repeatable')
    .option('--roots <n>', 'searches per run (4 to 64, as ten minutes allow), or repetitions of an algorithm (5)')
    .option('--seed <n>', 'seed of the graph, the roots and the order of the cells; 1 by default')
    .option('--validate <n>', 'bundled graph500: validate only the first n searches of a run; all by default')
    .option('--profile <cpu|wall>', 'run every cell once more and record call stacks: time on processors, or all time')
    .option('--profile-hz <n>', 'with --profile: samples a second; 99 by default')
    .optionsGroup('Repetitions:')
    .option('--reps <n>', 'runs per cell; 1 by default')
    .option('--repeats <n>', 'a run that others disturbed is repeated at the end, at most so often; 1 by default')
    .option('--precision <percent>', 'measure cells again until their typical time is known so well: 3%')
    .option('--most-roots <n>', 'with --precision: most searches of a cell')
    .option('--budget <time>', 'begin no run beyond the planned ones that would end after this time: 20min')
    .option('--target <cell>', 'the rest of the budget goes where it narrows this projection: nodes=100,bw=20,scale=20')
    .optionsGroup('Graphalytics:')
    .option('--graphs <list>', 'datasets to run on, their folders: graphs/web,graphs/g500-20')
    .option('--algorithms <list>', 'bfs,pr,wcc,cdlp,lcc,sssp; all that a graph is made for by default')
    .option(
      '--preset <name>',
      'graphalytics-selftest, -variety, -algorithms, -vertical, -strong, -weak, -stress, -renew or -variability',
    )
    .option('--sla <time>', 'with --preset: the longest makespan that counts; 1h by default')
    .optionsGroup('Running it:')
    .option(
      '--slurm [request]',
      "on hosts of the SLURM allocation that this runs in, or of a new one: '-N 16 -t 2:00:00'",
    )
    .option('--pbs [request]', "the same under PBS: '-l select=16:ncpus=32 -l walltime=2:00:00'")
    .option('--lsf [request]', "the same under LSF: '-nnodes 16 -x -W 2:00'")
    .option('--flux [request]', "the same under Flux: '-N 16 -t 2h'")
    .option('--job-wait <time>', 'with a request: give up when it has not been granted by then; 30m by default')
    .option('--serve [address[:port]]', 'serve a live page meanwhile; 127.0.0.1 and any free port by default')
    .option('--redis <url>', 'a Redis to queue in; a private one by default')
    .option(
      '--on <sites>',
      'with --redis: measured by the workers of these sites, each a campaign in DIR/SITE: site-a,site-b',
    )
    .option('--priority <n>', 'with --on: campaigns with a lower number are first; 100 by default')
    .option('--lease <time>', 'hosts restore their links this long after the controller has vanished; 60s by default')
    .option('--cell-timeout <time>', 'longest run of one cell; 30m by default')
    .runs(async () => (await import('../sweep-command.ts')).sweepCommand);
}
