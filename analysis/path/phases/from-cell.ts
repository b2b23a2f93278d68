import { at } from '../../../base/lists.ts';
import type { CellRecord } from '../../../experiments/records.ts';
import type { OpenCampaign } from '../../../experiments/store/open-campaign.ts';
import type { Spans } from '../../../experiments/store/read-traces.ts';
import { WORKER_KEYS } from '../../platform/check-platform.ts';
import type { Platform } from '../../platform/platform.ts';
import { nothingToExplain, type Problem } from '../../problems.ts';
import { clocksOf, placesOf } from '../../sources/runs/cell-model.ts';
import { causalityOf } from './causality.ts';
import { type RankMessages, rankMessages } from './rank-messages.ts';
import { type PhaseKind, problem, type RankPhases, rankPhases } from './rank-phases.ts';

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
  const { spans, places } = found;
  const placed = placesOf(record, { counters: places });
  const { ranks } = record.cell;
  const names = Array.from({ length: ranks }, (_, rank) => placed(rank));
  const hostOf = (rank: number): string => names[rank] ?? '';
  const clocks = clocksOf(record);
  const taken = taking(spans, model, ranks);
  if (taken.rows.length === 0) {
    throw nothingToExplain(`The run ${record.cell.id} has no phase of ${[...model.kinds.keys()].join(', ')}.`);
  }
  const aheadNs = names.map((name) => -clocks.correct(name, 0));
  const onClock = (column: Float64Array): Float64Array =>
    Float64Array.from(taken.rows, (row) => at(column, row) - at(aheadNs, at(spans.worker, row)));
  const column = (values: Float64Array): Float64Array => Float64Array.from(taken.rows, (row) => at(values, row));
  const kinds = [...model.kinds.values()];
  const numberOf = new Map(kinds.map(({ name }, index) => [name, index]));
  const raw = {
    rank: Int32Array.from(taken.rows, (row) => at(spans.worker, row)),
    search: Float64Array.from(taken.rows, (row) => searchOf(spans, model, row)),
    kind: Uint8Array.from(taken.rows, (row) => numberOf.get(at(spans.phase, row)) ?? 0),
    step: stepsOf(spans, model, taken.rows),
    ...{ startNs: onClock(spans.startNs), endNs: onClock(spans.endNs) },
    ...{ asleepNs: column(spans.asleepNs), queuedNs: column(spans.queuedNs), bytes: column(spans.bytesSent) },
  };
  const laid = rankPhases(raw, { ranks, kinds });
  const hosts = [...new Set(names)];
  const numbers = Int32Array.from(names, (name) => hosts.indexOf(name));
  const { shiftNs, slackNs, isPossible } = causalityOf(laid, {
    hostOf: (rank) => at(numbers, rank),
    hosts: hosts.length,
  });
  const moved = hosts.flatMap((name, host) => (at(shiftNs, host) < 0 ? [{ name, ns: -at(shiftNs, host) }] : []));
  const shift = (values: Float64Array): Float64Array =>
    values.map((value, place) => value + at(shiftNs, at(numbers, at(laid.rank, place))));
  const messages =
    found.messages.worker.length === 0
      ? null
      : rankMessages(found.messages, {
          ranks,
          onClock: (rank, ns) => clocks.correct(hostOf(rank), ns) + at(shiftNs, at(numbers, rank)),
        });
  return {
    messages,
    phases: moved.length === 0 ? laid : { ...laid, startNs: shift(laid.startNs), endNs: shift(laid.endNs) },
    hostOf,
    doubtNs: (a, b) =>
      hostOf(a) === hostOf(b)
        ? 0
        : Math.min(
            clocks.boundNs(hostOf(a)) + clocks.boundNs(hostOf(b)),
            at(slackNs, at(numbers, a) * hosts.length + at(numbers, b)),
          ),
    problems: [...taken.problems, ...laid.problems, ...(messages?.problems ?? [])],
    warnings: [
      ...moved.map(
        ({ name, ns }) =>
          `Messages of ${name} seem to arrive up to ${(ns / 1e6).toFixed(2)} ms before they were sent: its time stamps were shifted by that much.`,
      ),
      ...(isPossible
        ? []
        : [
            'No clock shift makes every communication phase end after all ranks entered it: a clock ran unevenly, and paths may name wrong ranks.',
          ]),
    ],
  };
}

/** The rows that lie on a path, and what of the others is strange: spans of phases that are no activity are left out as they should be. */
function taking({ phase, worker, keys }: Spans, { kinds, search }: PathModel, ranks: number) {
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

function searchOf({ keys }: Spans, { search }: PathModel, row: number): number {
  return search === null ? 0 : at(keys[search] ?? [], row);
}

/** One number per combination of the keys that tell steps apart. */
function stepsOf({ keys }: Spans, { steps }: PathModel, rows: readonly number[]): Float64Array {
  const columns = steps.flatMap((name) => keys[name] ?? []);
  const [only, another] = columns;
  if (only === undefined) return new Float64Array(rows.length);
  if (another === undefined) return Float64Array.from(rows, (row) => at(only, row));
  const known = new Map<string, number>();
  return Float64Array.from(rows, (row) => {
    const text = columns.map((values) => at(values, row)).join(' ');
    const number = known.get(text) ?? known.size;
    known.set(text, number);
    return number;
  });
}

/** What a platform says of the path: which phases of a trace lie on it, and which keys name a search and a step of it. */
export interface PathModel {
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
