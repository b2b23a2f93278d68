import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import type { Injection } from './draw.ts';
import { fileProblems, linkProblems, type Problem, processProblems, storeProblems } from './invariants.ts';
import { boundOf, sayFault } from './language.ts';
import { marked, signal } from './processes.ts';
import type { Site } from './site.ts';
import { type Blow, strike } from './strike.ts';
import { type Ended, Sweep, type SweepPlan } from './sweep.ts';
import { Watch } from './watch.ts';

/** What all injections of a run share. */
export interface Ground {
  readonly folder: string;
  readonly workload: string;
  readonly clockLibrary: string;
  /** Seconds of a sweep that nothing disturbs. */
  readonly quietS: number;
}

/** How the first command ended: by itself (with cells tried again or not), with a refusal, or by a signal. */
export type Ending = 'ok' | 'retried' | 'refused' | 'stopped' | 'hung';

export interface Verdict {
  readonly injection: Injection;
  /** The faults in words, with those whom they struck. */
  readonly blows: readonly string[];
  /** A fault never struck, though nothing kept it from that. */
  readonly missed: boolean;
  readonly ending: Ending;
  readonly commands: number;
  readonly seconds: number;
  readonly problems: readonly Problem[];
}

const MOST_COMMANDS = 4;
const AGAIN_BOUND_S = 90;
const STORE_SIZE = '8m';
/** Exit code of a sweep in which some cell's workload failed. */
const WORKLOAD_FAILED = 4;

/** Sweeps a fresh campaign under the injection's faults, goes on with it until it is complete, and judges what is left. */
export async function inject(injection: Injection, site: Site, ground: Ground): Promise<Verdict> {
  const begun = performance.now();
  const mark = `${site.name}-${injection.index}`;
  const folder = join(ground.folder, mark);
  const [store, temporary] = [join(folder, 'store'), join(folder, 'tmp')];
  for (const path of [store, temporary]) mkdirSync(path, { recursive: true });
  const struck = new Set(injection.faults.map(({ who }) => who));
  const clock = { preload: ground.clockLibrary, file: join(folder, 'clock') };
  const plan: SweepPlan = {
    ...{ inventory: site.inventory, cells: injection.cells, workload: ground.workload, temporary, mark },
    out: join(store, 'campaign'),
    clock: struck.has('clock') ? clock : undefined,
  };
  const watch = new Watch(site);
  const isMounted = struck.has('store disk');
  if (isMounted) await execa('mount', ['-t', 'tmpfs', '-o', `size=${STORE_SIZE}`, 'tmpfs', store]);
  try {
    const judged = await underFaults(injection, { site, ground, plan, folder, watch });
    return { injection, ...judged, seconds: (performance.now() - begun) / 1000 };
  } finally {
    for (const { id } of marked(mark, watch.queueFolders)) signal(id, 'SIGKILL');
    if (isMounted) await execa('umount', ['-l', store]);
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Scene {
  readonly site: Site;
  readonly ground: Ground;
  readonly plan: SweepPlan;
  readonly folder: string;
  readonly watch: Watch;
}

async function underFaults(injection: Injection, { site, ground, plan, folder, watch }: Scene) {
  const { faults, again } = injection;
  const problems: Problem[] = [];
  const over = new AbortController();
  const sweep = new Sweep(plan, join(folder, 'log-1'));
  const stage = { site, sweep, plan, quietS: ground.quietS, over: over.signal };
  const dealt = Promise.all(faults.map((fault) => strike(fault, stage)));
  const watched = watch.over(sweep, over.signal);
  const first = await sweep.ended(boundOf(faults));
  over.abort();
  const [blows] = await Promise.all([dealt, watched]);
  problems.push(...watch.unlockedRuns(blows.flatMap((blow) => blow?.at ?? [])));
  problems.push(...(await takenBack(blows)), ...endProblems(first));
  const settle = async (): Promise<void> => {
    problems.push(...(await linkProblems(site)), ...(await processProblems(site, plan.mark, watch.queueFolders)));
  };
  // A lab that lost a host comes back as another one.
  if (!site.isWhole()) {
    problems.push(...(await processProblemsHere(plan.mark, watch.queueFolders)));
    await site.up();
  }
  let last = first;
  let commands = 1;
  if (last.code !== 0 && again === 'later') await settle();
  // Cells that a workload failed are done: nothing would measure them again.
  while (last.code !== 0 && last.code !== WORKLOAD_FAILED && commands < MOST_COMMANDS) {
    commands += 1;
    const next = new Sweep(plan, join(folder, `log-${commands}`));
    const ended = new AbortController();
    const seen = watch.over(next, ended.signal);
    last = await next.ended(AGAIN_BOUND_S);
    ended.abort();
    await seen;
    problems.push(...endProblems(last));
    // Refused, for instance because the killed command's locks were still there.
    if (last.code !== 0) await settle();
  }
  await settle();
  if (last.code !== 0) {
    problems.push({ kind: 'unexpected', text: `not complete after ${commands} commands: ${lastLine(last.stderr)}` });
  }
  problems.push(
    ...fileProblems(site, watch.queueFolders, plan.temporary),
    ...(await storeProblems(plan.out, injection.cells)),
  );
  return {
    blows: faults.map((fault, index) => `${sayFault(fault)} -> ${blows[index]?.to ?? 'missed'}`),
    missed: hasMissed(blows, first),
    ending: endingOf(first),
    commands,
    problems,
  };
}

/** Whether a fault never struck. A command that an earlier fault ended leaves the later one no moment. */
export function hasMissed(blows: readonly (Blow | null)[], { code }: Pick<Ended, 'code'>): boolean {
  const struck = blows.filter((blow) => blow !== null).length;
  return struck < blows.length && (struck === 0 || code === 0);
}

async function takenBack(blows: readonly (Blow | null)[]): Promise<Problem[]> {
  const complaints = await Promise.all(blows.map((blow) => blow?.undo() ?? null));
  return complaints.flatMap((text) => (text === null ? [] : [{ kind: 'unexpected' as const, text }]));
}

async function processProblemsHere(mark: string, folders: ReadonlySet<string>): Promise<Problem[]> {
  await delay(1000);
  return marked(mark, folders).map(({ id, argv }) => ({ kind: 'left behind', text: `here: ${id} ${argv.join(' ')}` }));
}

/** What a command may never do, however it was disturbed. */
function endProblems({ code, hung, seconds, stderr }: Ended): Problem[] {
  const noise = stderr.split('\n').filter((line) => /Warning: |^\s+at .+:\d+/.test(line));
  return [
    ...(hung
      ? [{ kind: 'hang' as const, text: `it did not end in ${seconds.toFixed(0)} s: ${lastLine(stderr)}` }]
      : []),
    ...(code === 1 ? [{ kind: 'unexpected' as const, text: `exit 1: ${lastLine(stderr)}` }] : []),
    ...noise.slice(0, 1).map((line) => ({ kind: 'unexpected' as const, text: `on the terminal: ${line.trim()}` })),
  ];
}

function endingOf({ code, hung, events }: Ended): Ending {
  if (hung) return 'hung';
  if (code === null || code === 130) return 'stopped';
  if (code !== 0) return 'refused';
  return events.some(({ kind }) => kind === 'cell-retried') ? 'retried' : 'ok';
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
