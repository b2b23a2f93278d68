import type { Command } from 'commander';
import type { Decisions, Estimate } from '../../modeling/index.ts';
import { type IntervalFlags, type SourceFlags, withInterval, withModel, withSource } from './model-flags.ts';
import { print, printJson, table } from './print.ts';

interface PlanFlags extends SourceFlags, IntervalFlags {
  readonly nodes: string;
  readonly deadline?: string;
  readonly gain?: string;
  readonly efficiency?: string;
  readonly cti?: string;
  readonly price?: string;
  readonly runs?: string;
  readonly reference?: string;
  readonly bytesPerEdge?: string;
  readonly memory?: string;
  readonly edgeFactor?: string;
}

export function registerPlan(program: Command): void {
  const command = withSource(program.command('plan'));
  withInterval(withModel(command, 'auto by default'))
    .requiredOption('--nodes <range>', 'clusters to choose from: 36..400 (the admissible counts), or 64,100')
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
    .option('--edge-factor <n>', 'edges per vertex (16)')
    .option('--memory <size>', "memory per node: 64GiB; the campaign's smallest host by default")
    .description('what to buy: time, speedup, efficiency and cost, deadlines, links and memory, each with its interval')
    .addHelpText(
      'after',
      '\nExamples:\n  predict plan campaigns/first --nodes 4..400 --bw 20,100 --deadline 0.05\n' +
        '  predict plan --data runs.csv --ranks-per-node 18 --nodes 36..400 --price 2.5 --runs 64 --json',
    )
    .action(plan);
}

async function plan(dir: string | undefined, flags: PlanFlags): Promise<void> {
  const { bootstrapOptions, openSource, parseQuestion, projectionTargets } = await import('./parse-question.ts');
  const { bootstrap, chooseAndFit, clusterOf, decide, diagnose, edgeFactorOf, sentencesOf } = await import(
    '../../modeling/index.ts'
  );
  const { parseBytes } = await import('../../base/index.ts');
  const { parseNumber, parseSeconds } = await import('./flags.ts');
  const number = (text: string | undefined, what: string): number | undefined =>
    text === undefined ? undefined : parseNumber(text, what);
  const options = bootstrapOptions(flags);
  const source = await openSource(dir, flags);
  const question = parseQuestion({ ...flags, model: flags.model ?? 'auto' }, { projecting: true });
  const { solved, comparison } = await chooseAndFit(source, question);
  const cluster = clusterOf(source.campaign);
  const decisions = decide(bootstrap(solved, options), {
    ...projectionTargets(solved.fit, flags, source.isAdmissible),
    isAdmissible: source.isAdmissible,
    edgeFactor: number(flags.edgeFactor, '--edge-factor') ?? edgeFactorOf(source.campaign?.records ?? []) ?? undefined,
    referenceNodes: number(flags.reference, '--reference'),
    gainPercent: number(flags.gain, '--gain'),
    efficiencyPercent: number(flags.efficiency, '--efficiency'),
    ctiPercent: number(flags.cti, '--cti'),
    runs: number(flags.runs, '--runs'),
    memory: {
      bytesPerEdge: number(flags.bytesPerEdge, '--bytes-per-edge'),
      bytesPerNode: flags.memory === undefined ? cluster.memoryBytes : parseBytes(flags.memory),
    },
    deadline: flags.deadline === undefined ? undefined : parseSeconds(flags.deadline, '--deadline'),
    price: number(flags.price, '--price') ?? cluster.price,
    lineRateBps: cluster.lineRateBps,
  });
  const { warnings } = diagnose(solved);
  const sentences = [...(comparison ? [comparison.sentence] : []), ...sentencesOf(decisions)];
  if (flags.json) return printJson({ ...decisions, sentences, warnings });
  for (const sentence of sentences) print(sentence);
  for (const warning of warnings) print(`Careful: ${warning}`);
  print('');
  await printChoices(decisions);
}

async function printChoices({ options, level }: Decisions): Promise<void> {
  const { formatSeconds } = await import('../../base/index.ts');
  const right = 'right' as const;
  const number = (digits: number) => (value: number) => value.toPrecision(digits);
  const ends = ({ low, high }: Pick<Estimate, 'low' | 'high'>, text: (value: number) => string): string =>
    `${low === null ? '?' : text(low)} to ${high === null ? '?' : text(high)}`;
  const value = (one: Estimate | null, text: (value: number) => string): string =>
    one?.value == null ? '-' : text(one.value);
  const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
  type Choice = (typeof options)[number];
  print(
    table(options, [
      { title: 'scale', value: ({ scale }: Choice) => String(scale), align: right },
      { title: 'bw %', value: ({ bw }: Choice) => String(bw), align: right },
      { title: 'nodes', value: ({ nodes }: Choice) => String(nodes), align: right },
      { title: 'CT', value: ({ ct }: Choice) => value(ct, formatSeconds), align: right },
      { title: `${level * 100} % interval`, value: ({ ct }: Choice) => ends(ct, formatSeconds) },
      { title: 'a run there', value: ({ measured }: Choice) => ends(measured, formatSeconds) },
      { title: 'GTEPS', value: ({ gteps }: Choice) => value(gteps, number(3)), align: right },
      { title: 'speedup', value: ({ speedup }: Choice) => value(speedup, number(3)), align: right },
      { title: 'efficiency', value: ({ efficiency }: Choice) => value(efficiency, percent), align: right },
      { title: 'node-hours', value: ({ nodeHours }: Choice) => value(nodeHours, number(3)), align: right },
      ...(options.some(({ cost }) => cost !== null)
        ? [{ title: 'cost', value: ({ cost }: Choice) => value(cost, number(3)), align: right }]
        : []),
    ]),
  );
}
