import { resolve } from 'node:path';
import { formatSeconds, groupAlike, trimNumber } from '../../base/index.ts';
import { canonicalJson, measuredPrograms, type OpenCampaign, openCampaign } from '../../experiments/index.ts';
import type { Decisions, Estimate } from '../../modeling/index.ts';
import { type Optional, requireOneSource } from './flags.ts';
import type { Modelled } from './modelled.ts';
import type { ModelFlags } from './parse-question.ts';
import { ends, left, note, print, printCareful, printJson, printTable, right, scaleColumn } from './print.ts';
import { printAnswers } from './print-answers.ts';

type Wish = 'deadline' | 'gain' | 'efficiency' | 'cti' | 'price' | 'runs' | 'reference';
type Memory = 'bytesPerEdge' | 'edgeFactor' | 'memory';
export type ModelCommandFlags = ModelFlags & Optional<Wish | Memory | 'nodes'>;

/** What an older name of this command shows of it. */
interface View {
  /** Default: true. */
  readonly projecting?: boolean;
  /** Its JSON. */
  readonly shape?: (result: Modelled) => object;
}

/**
 * Fits, projects and plans. Of a campaign of several programs each one by itself, unless one is named. `projecting`: --scale and --bw
 * are what is asked for, not what is fitted to.
 */
export async function modelCommand(
  dir: string | undefined,
  flags: ModelCommandFlags,
  { projecting = true, shape = (result) => result }: View = {},
): Promise<void> {
  requireOneSource(dir, flags);
  const open = dir === undefined ? null : await openCampaign(dir);
  const programs = open !== null && flags.program === undefined ? measuredPrograms(open) : [];
  if (programs.length < 2) return show(await modelledOnce(open, flags, projecting), { ...flags, shape });
  const all = [];
  for (const program of programs) {
    const one = await modelledOnce(open, { ...flags, program }, projecting);
    if (flags.json) all.push({ program, ...shape(one) });
    else {
      print(`${program === programs[0] ? '' : '\n'}${program}`);
      show(one, { shape });
    }
  }
  if (flags.json) printJson({ programs: all });
}

/** Of a campaign it is made once for as long as nothing of it changes. */
async function modelledOnce(
  open: OpenCampaign | null,
  { json: _, ...flags }: ModelCommandFlags,
  projecting: boolean,
): Promise<Modelled> {
  const make = async (): Promise<Modelled> => {
    // Loaded only where something is to be made.
    const { modelled } = await import('./modelled.ts');
    return await modelled(open, flags, projecting);
  };
  if (open === null) return await make();
  const settings = canonicalJson({ dir: resolve(open.dir), flags, projecting });
  return await open.kept({ kind: 'models', settings, make });
}

function show(
  result: Modelled,
  { json = false, shape }: { readonly json?: boolean; readonly shape: (result: Modelled) => object },
): void {
  for (const warning of result.careful) note(`predict: ${warning}`);
  if (json) {
    printJson(shape(result));
    return;
  }
  const { answers, model, meaning, decisions, sentences, warnings } = result;
  if (answers !== null) {
    printAnswers(answers);
    print('');
  }
  print(model.title);
  print(model.formula);
  for (const line of coefficientLines(model)) print(line);
  print(`x = ${model.ranksPerNode} n, D = ${model.size}; intervals ${model.level * 100} %`);
  const heldOut =
    model.heldOut === null
      ? ''
      : `; held-out rows: R2 ${model.heldOut.r2.toFixed(4)}, median error ${model.heldOut.medianErrorPercent.toFixed(1)} %`;
  print(`R2 ${model.r2.toFixed(4)}, MSE ${trimNumber(model.mse)} s², ${model.rows} rows${heldOut}`);
  if (meaning !== null) print(meaning);
  for (const sentence of sentences) print(sentence);
  for (const warning of groupAlike(warnings)) printCareful(warning);
  if (decisions === null) return;
  print('');
  printChoices(decisions);
}

function coefficientLines({ coefficients, alpha }: Modelled['model']): string[] {
  const line = (name: string, one: Estimate): string =>
    `${name} = ${(one.value ?? 0).toPrecision(4)} (${ends(one, (value) => value.toPrecision(3))})`;
  return [
    ...Object.entries(coefficients).map(([name, one]) => line(name, one)),
    ...(alpha ? [line('alpha', alpha)] : []),
  ];
}

/** Where there is no prediction the table says so, and nothing else. */
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
    left(`${level * 100} % interval`, (one) => (one.abstains === null ? ends(one.ct, formatSeconds) : 'no prediction')),
    left('a run there', (one) => (one.abstains === null ? ends(one.measured, formatSeconds) : '-')),
    ...(options.some((choice) => choice.gteps !== null) ? [gteps] : []),
    right('speedup', (one) => value(said(one, one.speedup), digits)),
    right('efficiency', (one) => value(said(one, one.efficiencyPercent), percent)),
    right('node-hours', (one) => value(said(one, one.nodeHours), digits)),
    ...(options.some((choice) => choice.cost !== null) ? [cost] : []),
  ]);
}
