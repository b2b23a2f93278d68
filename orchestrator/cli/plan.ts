import { formatSeconds, parseBytes, parseNumber, parseSeconds } from '../../base/index.ts';
import {
  bootstrap,
  chooseAndFit,
  clusterOf,
  type Decisions,
  decide,
  diagnose,
  type Estimate,
  sentencesOf,
} from '../../modeling/index.ts';
import { given, type Optional } from './flags.ts';
import {
  bootstrapOptions,
  cannotRun,
  type ModelFlags,
  openSource,
  parseQuestion,
  projectionTargets,
} from './parse-question.ts';
import { ends, left, print, printCareful, printJson, printTable, right, scaleColumn } from './print.ts';

type Wish = 'deadline' | 'gain' | 'efficiency' | 'cti' | 'price' | 'runs' | 'reference';
type Memory = 'bytesPerEdge' | 'edgeFactor' | 'memory';
type PlanFlags = ModelFlags & Optional<Wish | Memory> & { readonly nodes: string };

export async function planCommand(dir: string | undefined, flags: PlanFlags): Promise<void> {
  const number = (text: string | undefined, what: Parameters<typeof parseNumber>[1]): number | undefined =>
    given(text, (one) => parseNumber(one, what));
  const options = bootstrapOptions(flags);
  const source = await openSource(dir, flags);
  const question = parseQuestion(flags, { projecting: true });
  const { solved, comparison } = await chooseAndFit(source, question);
  const cluster = clusterOf(source.campaign);
  const decisions = decide(bootstrap(solved, options), {
    ...projectionTargets(solved.fit, flags, source.isAdmissible),
    isAdmissible: source.isAdmissible,
    edgeFactor: number(flags.edgeFactor, '--edge-factor') ?? source.edgeFactor,
    referenceNodes: number(flags.reference, '--reference'),
    gainPercent: number(flags.gain, '--gain'),
    efficiencyPercent: number(flags.efficiency, '--efficiency'),
    ctiPercent: number(flags.cti, '--cti'),
    runs: number(flags.runs, '--runs'),
    memory: {
      bytesPerEdge: number(flags.bytesPerEdge, '--bytes-per-edge'),
      bytesPerNode: given(flags.memory, parseBytes) ?? cluster.memoryBytes,
    },
    deadline: given(flags.deadline, (text) => parseSeconds(text, '--deadline')),
    price: number(flags.price, '--price') ?? cluster.price,
    lineRateBps: cluster.lineRateBps,
  });
  const warnings = [...diagnose(solved).warnings, ...cannotRun(flags.nodes, source)];
  const sentences = [...(comparison ? [comparison.sentence] : []), ...sentencesOf(decisions, source.noun)];
  if (flags.json) return printJson({ ...decisions, sentences, warnings });
  for (const sentence of sentences) print(sentence);
  for (const warning of warnings) printCareful(warning);
  print('');
  printChoices(decisions);
}

/** What abstains stands in no table. */
function printChoices({ options, level }: Decisions): void {
  const said = ({ abstains }: { readonly abstains: string | null }, one: Estimate | null): Estimate | null =>
    abstains === null ? one : null;
  const digits = (value: number): string => value.toPrecision(3);
  const percent = (one: number): string => `${one.toFixed(0)} %`;
  const value = (one: Estimate | null, text: (value: number) => string): string =>
    one?.value == null ? '-' : text(one.value);
  const cost = right<(typeof options)[number]>('cost', (choice) => value(said(choice, choice.cost), digits));
  const gteps = right<(typeof options)[number]>('GTEPS', (choice) => value(said(choice, choice.gteps), digits));
  printTable(options, [
    ...scaleColumn(options, ({ scale }) => scale),
    right('bw %', ({ bw }) => bw),
    right('nodes', ({ nodes }) => nodes),
    right('CT', (one) => value(said(one, one.ct), formatSeconds)),
    left(`${level * 100} % interval`, (one) => (one.abstains === null ? ends(one.ct, formatSeconds) : 'no answer')),
    left('a run there', (one) => (one.abstains === null ? ends(one.measured, formatSeconds) : '-')),
    ...(options.some((choice) => choice.gteps !== null) ? [gteps] : []),
    right('speedup', (one) => value(said(one, one.speedup), digits)),
    right('efficiency', (one) => value(said(one, one.efficiencyPercent), percent)),
    right('node-hours', (one) => value(said(one, one.nodeHours), digits)),
    ...(options.some((choice) => choice.cost !== null) ? [cost] : []),
  ]);
}
