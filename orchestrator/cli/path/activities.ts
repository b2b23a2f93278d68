import {
  type Activities,
  explainNear,
  explainProperties,
  explainSlice,
  explainWaits,
  explicitGraph,
  lengthIf,
  type NearResult,
  type ReadActivities,
  readActivities,
  readOtf2,
  type SliceResult,
  slicesOf,
  wholeSlice,
} from '../../../analysis/path/index.ts';
import {
  badInput,
  formatSeconds,
  joinWords,
  parseCount,
  parseNumber,
  parseSeconds,
  shortened,
} from '../../../base/index.ts';
import { given } from '../flags.ts';
import { printPieces } from '../print.ts';
import type { PathFlags } from './flags.ts';
import { jsonPieces } from './json-pieces.ts';
import { LISTED, printActivities } from './print-activities.ts';
import { problemNotes } from './problems.ts';
import { savePathTrace, saveSteps } from './save-path.ts';
import { parseChange } from './what-if.ts';

const READERS: Readonly<Record<string, (path: string) => Promise<ReadActivities | null>>> = {
  activities: readActivities,
  otf2: readOtf2,
};

/** Critical paths of a trace of activities, whole and slice by slice. */
export async function pathOfActivities(path: string, flags: PathFlags): Promise<void> {
  const format = flags.format ?? 'activities';
  const read = READERS[format];
  if (read === undefined) {
    throw badInput(`--format: '${shortened(format)}' is unknown: write ${Object.keys(READERS).join(' or ')}.`);
  }
  if (flags.out !== undefined && !/\.(csv|parquet)$/.test(flags.out)) {
    throw badInput(`--out: ${shortened(flags.out)} is neither .csv nor .parquet: call it one of them.`);
  }
  const lengthNs = given(flags.slice, (text) => Math.round(parseSeconds(text, '--slice') * 1e9));
  const share = given(flags.near, (text) => parseNumber(text, '--near') / 100);
  const hops = given(flags.before, (text) => parseCount(text, '--before')) ?? 1;
  const changes = flags.whatIf?.map(parseChange);
  const found = await read(path);
  if (found === null) throw badInput(`${path} is no trace of the format ${format}: choose another with --format.`);
  const { activities, problems, originNs } = found;
  const whole = wholeSlice(activities);
  const slices = [whole, ...(lengthNs === undefined ? [] : slicesOf(whole, lengthNs))];
  const explicit = share === undefined && changes === undefined ? null : explicitGraph(activities, whole);
  const result = {
    workers: activities.workers,
    ...(originNs === 0n ? {} : { originNs: String(originNs) }),
    properties: explainProperties(activities, whole),
    slices: slices.map((slice) => explainSlice(activities, slice)),
    ...(explicit === null || share === undefined ? {} : explainNear(activities, explicit, share)),
    ...(explicit === null || changes === undefined ? {} : { whatIf: changed(activities, { explicit, changes }) }),
    waits: explainWaits(activities, flags.json ? { hops } : { hops, most: LISTED }),
    problems,
  };
  if (flags.json) await printPieces(jsonPieces(result));
  else {
    problemNotes(problems);
    printActivities(result);
  }
  await savePathTrace(flags.trace, activities, whole);
  await saveSteps(flags.out, result.slices);
}

/** What `critical-path --activities` says; times in ns from `originNs` where there is one. */
export interface ActivitiesResult extends Partial<NearResult> {
  readonly properties: ReturnType<typeof explainProperties>;
  readonly slices: readonly SliceResult[];
  readonly waits: ReturnType<typeof explainWaits>;
  readonly whatIf?: ReturnType<typeof changed>;
}

function changed(
  activities: Activities,
  {
    explicit,
    changes,
  }: {
    readonly explicit: ReturnType<typeof explicitGraph>;
    readonly changes: readonly ReturnType<typeof parseChange>[];
  },
) {
  const { lengthNs: afterNs, unknownKeys } = lengthIf(activities, explicit, changes);
  const [unknown] = unknownKeys;
  if (unknown !== undefined) {
    const some = activities.names.filter((name) => name !== '').slice(0, 5);
    throw badInput(
      `--what-if: nothing is called '${shortened(unknown)}': take a name such as ${[...some, 'transfer'].join(', ')}, or a kind.`,
    );
  }
  const beforeNs = lengthIf(activities, explicit, []).lengthNs;
  const said = joinWords(changes.map(({ key, factor }) => `${key} lasted ${factor} times as long`));
  const sentence = `If ${said}, the trace would last ${formatSeconds(afterNs / 1e9)} instead of ${formatSeconds(beforeNs / 1e9)}.`;
  return { changes, beforeNs, afterNs, savedNs: beforeNs - afterNs, sentences: [sentence] };
}
