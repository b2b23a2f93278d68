import { mean } from 'simple-statistics';
import { badInput } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import { nodesText, sizeText } from '../../../base/units.ts';
import type { CellRecord, StackProfile } from '../../../experiments/records.ts';
import type { Campaign } from '../../../experiments/store/campaign.ts';
import { inOrder } from '../../../experiments/store/observations.ts';
import type { OpenCampaign } from '../../../experiments/store/open-campaign.ts';
import { ofProgram, programOf } from '../../../experiments/store/programs.ts';
import { readStore } from '../store/read-store.ts';
import { addToStore } from '../store/write-store.ts';
import type { StoredFacts, StoredProfile } from '../tree/call-profile.ts';
import { NameTable, stacksOf } from '../tree/call-tree.ts';
import { KIND_LEAVES, type ProfiledRun, profiledRun, runTree, type StackSeconds, shortFrames } from './profiled-run.ts';

/** A campaign's profiled runs of one kind. */
interface ProfiledCampaign {
  readonly campaign: Campaign;
  readonly kind: StackProfile['kind'];
  readonly runs: readonly ProfiledRun[];
  /** Profiled runs that left no stacks. */
  readonly empty: number;
}

/**
 * The profiled runs of a program of a campaign: those of all time where there are any, else those of time on processors. Errors:
 * badInput where there are none, for runs of several programs, and for damaged files.
 */
export async function readProfiledRuns(
  open: OpenCampaign,
  { program }: { readonly program?: string | undefined } = {},
): Promise<ProfiledCampaign> {
  const { campaign } = open;
  const own = ofProgram(profiledRecords(open), open, program);
  const kind = own.some(({ cell }) => cell.profile?.kind === 'wall') ? 'wall' : 'cpu';
  const runs: ProfiledRun[] = [];
  let empty = 0;
  for (const { cell } of own.filter((record) => record.cell.profile?.kind === kind)) {
    const table = await open.stacks(cell.id);
    const run = table && profiledRun(cell, table);
    if (run) runs.push(run);
    else empty += 1;
  }
  return { campaign, kind, runs, empty };
}

/** Errors: badInput where there are none. */
function profiledRecords({ dir, profiled }: OpenCampaign): readonly CellRecord[] {
  const records = profiled.filter(({ status }) => status === 'ok');
  if (records.length > 0) return records;
  throw badInput(`${dir} has no profiled run: record some with predict sweep --profile wall --out ${dir}.`);
}

/** `10 nodes, 50 %, rep 1` */
const TEST_RUN = /^(\d{1,9}) nodes?, (\d+(?:\.\d+)?) %, rep (\d{1,9})(?:, .*)?$/s;
/** Programs without sizes have none. */
const SCALE = /, scale (\d+(?:\.\d+)?)$/;

/**
 * Adds the profiled runs of a campaign to a store, all or none, as a profile each: the benchmark is the program with its scale,
 * the test run its nodes, bandwidth and repetition, with `run` behind them to tell campaigns apart, values are seconds per rank and timed run, the metric is the completion time.
 * Errors: badInput for a campaign without such runs, and those of the store.
 */
export async function importCampaign(
  store: string,
  open: OpenCampaign,
  { run: suffix }: { readonly run?: string | undefined } = {},
): Promise<readonly StoredFacts[]> {
  const { dir, campaign } = open;
  const records = profiledRecords(open).toSorted((a, b) => inOrder(a.cell, b.cell));
  const names = new NameTable();
  const added: StoredFacts[] = [];
  await addToStore(store, names, profiles());
  return added;

  async function* profiles(): AsyncGenerator<StoredProfile> {
    for (const { cell, runs, startedAt } of records) {
      const table = await open.stacks(cell.id);
      const run = table && profiledRun(cell, table, { shorten: false });
      if (!run) continue;
      const program = programOf(campaign, cell);
      const benchmark = `${cell.workload}${program === '' ? '' : ` ${program}`}${sizeText(cell.scale)}`;
      const testRun = `${nodesText(cell.nodes)}, ${cell.bw} %, rep ${cell.rep}${cell.profile?.kind === 'cpu' ? ', cpu' : ''}${suffix === undefined ? '' : `, ${suffix}`}`;
      const facts: StoredFacts = {
        ...{ key: `${benchmark}/${testRun}`, benchmark, testRun, unit: 'seconds', source: dir, format: 'campaign' },
        timeNs: BigInt(Date.parse(startedAt)) * 1_000_000n,
        metricMean: mean(runs.map(({ ct }) => ct)),
        ...{ lost: 0, unknown: 0, truncated: 0 },
      };
      added.push(facts);
      yield { ...facts, tree: runTree(run, names), modes: [] };
    }
  }
}

/**
 * The runs that `importCampaign` put into a store, of one benchmark's name without its scale. Errors: badInput for a store with
 * none of them, or with those of several programs.
 */
export async function runsOfStore(
  store: string,
  { program }: { readonly program?: string | undefined } = {},
): Promise<readonly ProfiledRun[]> {
  const { names, profiles } = await readStore(store);
  const found = profiles.flatMap(({ benchmark, testRun, unit, tree }) => {
    const [setting, size] = [TEST_RUN.exec(testRun), SCALE.exec(benchmark)];
    if (unit !== 'seconds' || setting === null) return [];
    const [, nodes, bw, rep] = setting.map(Number) as [number, number, number, number];
    const stacks = stacksOf(tree, names).flatMap((stack, node) => {
      const seconds = at(tree.own, node);
      return seconds > 0 ? [stackOf(stack, seconds)] : [];
    });
    const seconds = stacks.reduce((sum, one) => sum + one.seconds, 0);
    const run: ProfiledRun = { nodes, bw, rep, scale: Number(size?.[1] ?? 0), seconds, stacks };
    return [{ name: benchmark.replace(SCALE, ''), run }];
  });
  const all = [...new Set(found.map(({ name }) => name))];
  const wanted = program === undefined ? all : all.filter((name) => name === program || name.endsWith(` ${program}`));
  if (found.length === 0) {
    throw badInput(`${store} has no profile of a campaign: predict import CAMPAIGN --into ${store} adds some.`);
  }
  if (wanted.length !== 1) {
    throw badInput(`${store} has profiles of ${all.length} programs: name one with --program: ${all.join('; ')}.`);
  }
  return found.flatMap(({ name, run }) => (name === wanted[0] ? [run] : []));
}

function stackOf(stack: string, seconds: number): StackSeconds {
  const frames = stack.split(';');
  const leaf = frames.at(-1);
  const kind = (['wait', 'queued'] as const).find((each) => KIND_LEAVES[each] === leaf) ?? 'cpu';
  return { frames: shortFrames(kind === 'cpu' ? frames : frames.slice(0, -1)), kind, phase: null, seconds };
}
