// Amdahl, "Validity of the single processor approach to achieving large scale computing capabilities" (1967), over the threads of each rank.
import { mean } from 'simple-statistics';
import { attempt } from '../../base/errors.ts';
import { ascending, at, last } from '../../base/lists.ts';
import { joinWords } from '../../base/text.ts';
import { formatSeconds, intervalText, nodesText, roughly, sizeText, threeDigits } from '../../base/units.ts';
import { solveModel } from '../fit/fit.ts';
import { SERIAL, threadsForm } from '../forms/candidates.ts';
import { predict } from '../forms/predict.ts';
import { bootstrap, type Ensemble, estimates } from '../judge/ensemble.ts';
import type { Estimate } from '../model-records.ts';
import { rowsFrom, type Target } from '../rows.ts';

/** What threads of each rank bring where all else is equal. */
interface ThreadsLaw {
  /** Of what ranks compute with one thread, what no thread shortens, percent. */
  readonly serialPercent: Estimate;
  /** With twice the threads, each on a core of its own; seconds, and over one thread. */
  readonly twice: { readonly threads: number; readonly ct: Estimate; readonly speedup: Estimate };
}

/** The same by models of several node counts. */
interface ToldThreads extends ThreadsLaw, Omit<Target, 'threads'> {
  readonly threads: number;
  readonly measured: readonly number[];
  /** Of these threads over one. */
  readonly speedup: Estimate;
  /** The other way to twice the cores: as many threads on twice the nodes; null where models hold the nodes fixed. */
  readonly twiceNodes: { readonly nodes: number; readonly ct: Estimate } | null;
}

/** One timed run with so many threads per rank, seconds. */
interface ThreadedRun {
  readonly threads: number;
  readonly ct: number;
}

/** Enough for 90 % intervals of a table. */
const DRAWS = 200;

/** Stand for what does not vary. */
const ONE_PLACE = { nodes: 1, bw: 100, scale: 0 };
const LAW = threadsForm({ nodes: false, bw: false, scale: false, threads: true });

/** ct = C1 / threads + Cs, fitted to runs that differ in their threads alone; null where they do not, or more threads are no faster. */
export function fitThreadsLaw(runs: readonly ThreadedRun[]): ThreadsLaw | null {
  const counts = ascending(runs.map(({ threads }) => threads));
  const [fewest, most] = [counts[0], counts.at(-1)];
  if (fewest === undefined || most === undefined) return null;
  const meanOf = (count: number): number => mean(runs.filter((run) => run.threads === count).map(({ ct }) => ct));
  // The law knows no slowdown.
  if (meanOf(most) >= meanOf(fewest)) return null;
  const rows = rowsFrom(runs.map(({ threads, ct }) => ({ ...ONE_PLACE, threads, ct })));
  const solved = attempt(() => solveModel(LAW, rows, { ranksPerNode: 1, errors: 'relative', setAside: false }));
  if (solved === null) return null;
  const { serialPercent, twice } = tellThreads(bootstrap(solved, { replicates: DRAWS }), ONE_PLACE);
  return { serialPercent, twice };
}

/** What the threads that a fit is asked for bring at a place, by all that may be true. */
export function tellThreads(ensemble: Ensemble, { nodes, bw, scale }: Omit<Target, 'threads'>): ToldThreads {
  const { threads = 1, trainedOn, form } = ensemble.fit;
  const isFixed = form.fixed.includes('nodes');
  const [serialPercent, speedup, ct, twiceSpeedup, elsewhere] = estimates(ensemble, (fit) => {
    const timeOf = (target: Partial<Target>): number => predict(fit, { nodes, bw, scale, threads, ...target });
    const [one, later] = [timeOf({ threads: 1 }), timeOf({ threads: 2 * threads })];
    const shared = fit.coefficients[at(fit.form.terms, 0).name] ?? 0;
    const alone = fit.coefficients[SERIAL] ?? 0;
    return [
      (100 * alone) / (shared + alone),
      one / timeOf({}),
      later,
      one / later,
      isFixed ? null : timeOf({ nodes: 2 * nodes }),
    ];
  });
  if (!serialPercent || !speedup || !ct || !twiceSpeedup || !elsewhere) throw new Error('estimates without values');
  return {
    ...{ nodes, bw, scale, threads, measured: trainedOn.threads ?? [1], serialPercent, speedup },
    twice: { threads: 2 * threads, ct, speedup: twiceSpeedup },
    twiceNodes: isFixed ? null : { nodes: 2 * nodes, ct: elsewhere },
  };
}

/** `4 threads of each rank are 3.1 (2.9..3.3) times as fast as one on 4 nodes at 100 % bandwidth; ...`, in sentences. */
export function describeThreads(told: ToldThreads, level: number): string[] {
  const { nodes, bw, scale, threads, measured, serialPercent, speedup, twice, twiceNodes } = told;
  const interval = (one: Estimate, text: (value: number) => string): string =>
    `${text(one.value ?? 0)} (${intervalText(one, text, { level })})`;
  const where = `on ${nodesText(nodes)} at ${bw} % bandwidth${sizeText(scale)}`;
  const more = `${twice.threads} threads take ${interval(twice.ct, formatSeconds)}`;
  const other =
    twiceNodes && `${nodesText(twiceNodes.nodes)} with ${threads} take ${interval(twiceNodes.ct, formatSeconds)}`;
  const beyond = 2 * threads > last(measured) ? ', where each thread has a core of its own' : '';
  return [
    `Runs with ${joinWords(measured)} threads of each rank were fitted together; one thread alone does ${interval(serialPercent, roughly)} of what a rank computes.`,
    ...(threads === 1
      ? []
      : [`${threads} threads are ${interval(speedup, threeDigits)} times as fast as one ${where}.`]),
    `For twice the cores ${where}: ${joinWords([more, ...(other === null ? [] : [other])])}${beyond}.`,
  ];
}
