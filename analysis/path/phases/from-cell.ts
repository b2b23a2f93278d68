import { at } from '../../../base/lists.ts';
import { clocksOf, placesOf } from '../../../experiments/mpi-trace/run-clock.ts';
import type { CellRecord } from '../../../experiments/records.ts';
import type { OpenCampaign } from '../../../experiments/store/open-campaign.ts';
import type { Spans } from '../../../experiments/store/read-traces.ts';
import { WORKER_KEYS } from '../../platform/check-platform.ts';
import type { Platform } from '../../platform/platform.ts';
import { nothingToExplain, type Problem } from '../../problems.ts';
import { causalityOf } from './causality.ts';
import { type RankMessages, rankMessages } from './rank-messages.ts';
import { type PhaseKind, problem, type RankPhases, type RawPhases, rankPhases } from './rank-phases.ts';

/** The phases of a measured run on one clock. */
export interface CellPhases {
  readonly phases: RankPhases;
  /** Null where the program recorded none. */
  readonly messages: RankMessages | null;
  readonly hostOf: (rank: number) => string;
  /** How much earlier a stamp of rank b may truly be beside one of rank a, ns: by the measured bounds and by causality. */
  readonly doubtNs: (a: number, b: number) => number;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

/**
 * Reads the phases in focus of a cell. Clocks are corrected by the measured offsets, then by the rule that nothing arrives before it
 * was sent. Errors: badInput for damaged files, `nothingToExplain` for runs without phases that lie on a path.
 */
export async function cellPhases(
  open: Pick<OpenCampaign, 'spans'>,
  record: CellRecord,
  platform: Platform,
): Promise<CellPhases> {
  const model = pathModelOf(platform);
  const found = model && (await open.spans(record.cell.id));
  if (model === null || found === null) {
    const why = model === null ? `the model ${platform.name} defines none` : 'its program traced none';
    throw nothingToExplain(`The run ${record.cell.id} has no phases for a critical path: ${why}.`);
  }
  const { ranks } = record.cell;
  const hostOf = placesOf(record, { counters: found.places });
  const clocks = clocksOf(record);
  const onClock = (rank: number, ns: number): number => clocks.correct(hostOf(rank), ns);
  const { rows, problems } = rowsOnPath(found.spans, model, ranks);
  if (rows.length === 0) {
    throw nothingToExplain(`The run ${record.cell.id} has no phase of ${[...model.kinds.keys()].join(', ')}.`);
  }
  const laid = rankPhases(rawPhases(found.spans, { rows, model, onClock }), {
    ranks,
    kinds: [...model.kinds.values()],
  });
  const { phases, shiftOf, slackOf, warnings } = shiftClocks(laid, hostOf);
  const messages =
    found.messages.worker.length === 0
      ? null
      : rankMessages(found.messages, { ranks, onClock: (rank, ns) => onClock(rank, ns) + shiftOf(rank) });
  const boundOf = (rank: number): number => clocks.boundNs(hostOf(rank));
  return {
    ...{ messages, phases, hostOf, warnings },
    doubtNs: (a, b) => (hostOf(a) === hostOf(b) ? 0 : Math.min(boundOf(a) + boundOf(b), slackOf(a, b))),
    problems: [...problems, ...laid.problems, ...(messages?.problems ?? [])],
  };
}

/** The rows that lie on a path, and what of the others is strange: spans of phases that are no activity are left out as they should be. */
function rowsOnPath({ phase, worker, keys }: Spans, { kinds, search }: PathModel, ranks: number) {
  const rows: number[] = [];
  const [outside, strange]: [number[], number[]] = [[], []];
  for (const [row, name] of phase.entries()) {
    if (!kinds.has(name)) continue;
    const number = search === null ? 0 : (keys[search]?.[row] ?? Number.NaN);
    if (at(worker, row) < 0 || at(worker, row) >= ranks) strange.push(row + 1);
    else if (Number.isNaN(number)) outside.push(row + 1);
    else rows.push(row);
  }
  const problems = [
    problem('phase of a rank that the run does not have', strange),
    problem('phase outside every search', outside),
  ];
  return { rows, problems: problems.filter(({ count }) => count > 0) };
}

interface Taken {
  readonly rows: readonly number[];
  readonly model: PathModel;
  readonly onClock: (rank: number, ns: number) => number;
}

function rawPhases(spans: Spans, { rows, model, onClock }: Taken): RawPhases {
  const { worker, phase, keys } = spans;
  const column = (values: Float64Array): Float64Array => Float64Array.from(rows, (row) => at(values, row));
  const times = (values: Float64Array): Float64Array =>
    Float64Array.from(rows, (row) => onClock(at(worker, row), at(values, row)));
  const numberOf = new Map([...model.kinds.values()].map(({ name }, index) => [name, index]));
  const search = model.search === null ? null : keys[model.search];
  // A step has its keys' values together.
  const steps = model.steps.flatMap((name) => keys[name] ?? []);
  const known = new Map<string, number>();
  const stepOf = (row: number): number => {
    const text = steps.map((values) => at(values, row)).join(' ');
    const number = known.get(text) ?? known.size;
    known.set(text, number);
    return number;
  };
  return {
    rank: Int32Array.from(rows, (row) => at(worker, row)),
    search: Float64Array.from(rows, (row) => (search ? at(search, row) : 0)),
    kind: Uint8Array.from(rows, (row) => numberOf.get(at(phase, row)) ?? 0),
    step: Float64Array.from(rows, stepOf),
    ...{ startNs: times(spans.startNs), endNs: times(spans.endNs) },
    ...{ asleepNs: column(spans.asleepNs), queuedNs: column(spans.queuedNs), bytes: column(spans.bytesSent) },
  };
}

/** Moves the stamps of whole hosts until nothing arrives before it was sent. */
function shiftClocks(laid: RankPhases, hostOf: (rank: number) => string) {
  const names = Array.from({ length: laid.ranks }, (_, rank) => hostOf(rank));
  const hosts = [...new Set(names)];
  const numbers = Int32Array.from(names, (name) => hosts.indexOf(name));
  const { shiftNs, slackNs, isPossible } = causalityOf(laid, {
    hostOf: (rank) => at(numbers, rank),
    hosts: hosts.length,
  });
  const shiftOf = (rank: number): number => at(shiftNs, at(numbers, rank));
  const shifted = (values: Float64Array): Float64Array =>
    values.map((value, place) => value + shiftOf(at(laid.rank, place)));
  const moved = hosts.map((name, host) => ({ name, ns: -at(shiftNs, host) })).filter(({ ns }) => ns > 0);
  const warnings = moved.map(
    ({ name, ns }) =>
      `Messages of ${name} seem to arrive up to ${(ns / 1e6).toFixed(2)} ms before they were sent: its time stamps were shifted by that much.`,
  );
  if (!isPossible) {
    warnings.push(
      'No clock shift makes every communication phase end after all ranks entered it: a clock ran unevenly, and paths may name wrong ranks.',
    );
  }
  return {
    ...{ shiftOf, warnings },
    slackOf: (a: number, b: number): number => at(slackNs, at(numbers, a) * hosts.length + at(numbers, b)),
    phases: { ...laid, startNs: shifted(laid.startNs), endNs: shifted(laid.endNs) },
  };
}

/** What a platform says of the path: which phases of a trace lie on it, and which keys name a search and a step of it. */
interface PathModel {
  /** Phase name in the trace -> its kind. */
  readonly kinds: ReadonlyMap<string, PhaseKind>;
  /** The key that tells one phase in focus from another; null where there is one alone. */
  readonly search: string | null;
  /** Keys that tell steps of it apart. */
  readonly steps: readonly string[];
}

/** Phases of the trace below the type in focus; null for a platform whose programs trace none. */
export function pathModelOf({
  phaseTypes,
  measured,
  focus,
}: Pick<Platform, 'phaseTypes' | 'measured' | 'focus'>): PathModel | null {
  const { indexOf, parents, repeats, keys } = phaseTypes;
  const [kinds, steps] = [new Map<string, PhaseKind>(), new Set<string>()];
  const keyOf = (type: number): string | null => {
    const key = keys[type];
    return repeats[type] === 'none' || key === undefined || WORKER_KEYS.includes(key) ? null : key;
  };
  for (const [name, path] of Object.entries(measured?.trace ?? {})) {
    const chain: number[] = [];
    for (let type = indexOf.get(path ?? '') ?? -1; type > 0 && type !== focus; type = at(parents, type))
      chain.push(type);
    const top = chain.at(-1);
    if (path === null || top === undefined || at(parents, top) !== focus) continue;
    kinds.set(name, { name, group: measured?.exchanges?.[path] ?? null });
    for (const type of chain) {
      const key = keyOf(type);
      if (key !== null) steps.add(key);
    }
  }
  let above = focus;
  while (above > 0 && keyOf(above) === null) above = at(parents, above);
  return kinds.size === 0 ? null : { kinds, search: above > 0 ? keyOf(above) : null, steps: [...steps] };
}
