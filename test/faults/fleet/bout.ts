import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { privateFolder, projectRoot } from '../../../base/paths.ts';
import { readEvents } from '../../../experiments/store/campaign-events.ts';
import { createRandom } from '../../../modeling/judge/distributions.ts';
import type { Ground } from '../inject.ts';
import { linkProblems, type Problem, processProblems, storeProblems } from '../invariants.ts';
import { marked, signal } from '../processes.ts';
import type { Site } from '../site.ts';
import { RANK } from '../victims.ts';
import { forget, freePort, Party, redisParty, Wire } from './parties.ts';

/** Whom a fault strikes. The second worker is a spare of the same site and the same hosts. */
const WHO = ['worker', 'spare', 'owner', 'redis'] as const;
type Who = (typeof WHO)[number];

interface FleetKind {
  readonly who: readonly Who[];
  readonly how: string;
  readonly weight: number;
  /** Seconds until it is taken back. */
  readonly seconds?: readonly [number, number];
}

const ANYBODY = ['worker', 'worker', 'spare', 'owner'] as const;

/** All that may happen. `silent` drops every packet between somebody and the server, `cut` ends the connections, too. */
export const FLEET_KINDS: readonly FleetKind[] = [
  { who: ANYBODY, how: 'KILL', weight: 5 },
  { who: ANYBODY, how: 'TERM', weight: 2 },
  { who: ANYBODY, how: 'STOP', weight: 3, seconds: [1, 12] },
  { who: ANYBODY, how: 'silent', weight: 3, seconds: [1, 45] },
  { who: ANYBODY, how: 'cut', weight: 3, seconds: [0.1, 10] },
  { who: ANYBODY, how: 'clock', weight: 2 },
  { who: ['redis'], how: 'STOP', weight: 2, seconds: [1, 12] },
  { who: ['redis'], how: 'KILL', weight: 3 },
  { who: ['redis'], how: 'emptied', weight: 3 },
  { who: ['redis'], how: 'flushed', weight: 3 },
  { who: ['redis'], how: 'full', weight: 1, seconds: [1, 10] },
  { who: ['redis'], how: 'clock', weight: 1 },
];

const FLEET_CELLS: readonly string[] = [
  '2:10:20',
  '2:10:30',
  '2:10:50',
  '2:10:100',
  '1:10:20',
  '1:10:30',
  '1:10:50',
  '1:10:100',
];
const LEASE_S = 4;
/** A campaign is over so long after its last fault, or it hangs: a lost server is noticed after 35 s, and looked for again within 30 s. */
const BOUND_S = 240;
const END_S = 40;
const SITE = 'fleet';
/** Of an owner whose campaign is complete. */
const COMPLETE = 0;

export interface Bout {
  readonly index: number;
  /** The faults that struck, in words. */
  readonly blows: readonly { readonly kind: string; readonly text: string }[];
  readonly problems: readonly Problem[];
  readonly seconds: number;
  /** Cells that a worker measured though one had measured them: their time was lost, and nothing else. */
  readonly again: number;
  /** What all parties said, where anything is wrong. */
  readonly log: string;
}

interface Scene {
  readonly parties: Readonly<Record<Who, Party>>;
  readonly wires: Readonly<Record<Exclude<Who, 'redis'>, Wire>>;
  readonly folder: string;
  readonly cache: string;
  readonly cells: readonly string[];
  readonly port: number;
  readonly uniform: () => number;
}

interface AskedBout {
  readonly seed: number;
  readonly index: number;
  readonly faults: number;
  /** NODES:SCALE:BW. */
  readonly cells?: readonly string[];
}

/** One campaign, which two workers of a lab measure for an owner while so many faults strike. */
export async function fleetBout(
  { seed, index, faults, cells = FLEET_CELLS }: AskedBout,
  site: Site,
  ground: Ground,
): Promise<Bout> {
  const began = performance.now();
  const mark = `${site.name}-fleet-${index}`;
  const folder = join(ground.folder, mark);
  mkdirSync(folder, { recursive: true });
  const { uniform } = createRandom(Math.imul(seed, 1_000_003) + index);
  const cache = join(privateFolder('faults'), mark);
  mkdirSync(cache, { recursive: true });
  const scene = await begin({ folder, cache, cells, mark, uniform }, site, ground);
  const { parties, wires } = scene;
  const problems: Problem[] = [];
  const blows: Bout['blows'][number][] = [];
  const undoing: Promise<unknown>[] = [];
  try {
    for (let count = 0; count < faults; count += 1) {
      await momentOf(scene);
      if (parties.owner.codes.at(-1) === COMPLETE) break;
      const blow = strike(scene);
      blows.push(blow);
      undoing.push(blow.undone);
    }
    await Promise.all(undoing);
    const late = await Promise.race([
      parties.owner.over.then(() => false),
      delay(BOUND_S * 1000, true, { ref: false }),
    ]);
    if (late) problems.push({ kind: 'hang', text: `the owner did not end within ${BOUND_S} s of the last fault` });
    for (const who of ['owner', 'worker', 'spare'] as const) {
      const ended = await Promise.race([
        parties[who].end('SIGTERM').then(() => true),
        delay(END_S * 1000, false, { ref: false }),
      ]);
      if (!ended) problems.push({ kind: 'hang', text: `the ${who} did not end within ${END_S} s of SIGTERM` });
    }
    await parties.redis.end('SIGKILL');
    problems.push(...(await judge(scene, { site, mark })));
    const log = problems.length === 0 ? '' : WHO.map((who) => `${who}:\n${parties[who].text()}`).join('\n');
    return { index, blows, problems, log, again: measuredAgain(cache), seconds: (performance.now() - began) / 1000 };
  } finally {
    for (const wire of Object.values(wires)) wire.close();
    for (const party of Object.values(parties)) void party.end('SIGKILL');
    for (const { id } of marked(mark)) signal(id, 'SIGKILL');
    for (const one of [folder, cache]) rmSync(one, { recursive: true, force: true });
    try {
      rmdirSync(dirname(cache));
    } catch {
      // Other campaigns use it.
    }
  }
}

async function begin(
  { mark, ...asked }: Pick<Scene, 'folder' | 'cache' | 'cells' | 'uniform'> & { readonly mark: string },
  site: Site,
  { workload, clockLibrary, folder: programs }: Ground,
): Promise<Scene> {
  const { folder, cache, cells } = asked;
  const inventory = join(folder, 'site.yaml');
  copyFileSync(site.inventory, inventory);
  appendFileSync(inventory, `\nallow: ['${join(programs, RANK)}']\n`);
  const port = await freePort();
  const shared = { mark, cache, clockLibrary };
  const redis = redisParty({ ...shared, folder: join(folder, 'redis'), port });
  const wires = { worker: await Wire.to(port), spare: await Wire.to(port), owner: await Wire.to(port) };
  const predict = join(projectRoot(), 'predict');
  const worker = (name: 'worker' | 'spare'): Party => {
    const redisOf = ['--redis', `127.0.0.1:${wires[name].port}`];
    const command = [predict, 'worker', ...redisOf, '--inventory', inventory, '--name', SITE];
    // Both keep what they measured below one cache, each in a folder of its own.
    return new Party({ ...shared, name, command, folder: join(folder, name), again: () => true });
  };
  const command = [
    ...[predict, 'sweep', '--redis', `127.0.0.1:${wires.owner.port}`, '--on', SITE, '--cells', cells.join(',')],
    ...[
      '--workload',
      workload,
      '--out',
      join(folder, 'out'),
      '--lease',
      `${LEASE_S}s`,
      '--cell-timeout',
      '20s',
      '--repeats',
      '0',
    ],
  ];
  const again = (code: number | null): boolean => code !== COMPLETE;
  const owner = new Party({ ...shared, name: 'owner', command, folder: join(folder, 'owner'), again });
  return {
    parties: { redis, worker: worker('worker'), spare: worker('spare'), owner },
    wires,
    port,
    ...asked,
  };
}

/** Any moment, or the one at which a cell is stored and handed over. */
async function momentOf({ cache, parties, uniform }: Scene): Promise<void> {
  const isAny = uniform() < 0.6;
  const waitMs = isAny ? 200 + 6000 * uniform() : 150 * uniform();
  const before = storedByWorkers(cache);
  const deadline = performance.now() + 30_000;
  const isDue = (): boolean =>
    isAny || storedByWorkers(cache) > before || parties.owner.isOver || performance.now() > deadline;
  while (!isDue()) await delay(10);
  await delay(waitMs);
}

function workerCampaigns(cache: string): string[] {
  return below(join(cache, 'predict', 'fleet'))
    .flatMap((home) => below(home))
    .filter((path) => existsSync(join(path, 'campaign.json')));
}

function below(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

function storedByWorkers(cache: string): number {
  return workerCampaigns(cache).flatMap((path) => below(join(path, 'cells'))).length;
}

function measuredAgain(cache: string): number {
  const finished = workerCampaigns(cache).flatMap((path) =>
    readEvents(path).flatMap((event) => (event.kind === 'cell-finished' ? [event.id] : [])),
  );
  return finished.length - new Set(finished).size;
}

function strike(scene: Scene): { readonly kind: string; readonly text: string; readonly undone: Promise<unknown> } {
  const { parties, wires, uniform } = scene;
  const deck = FLEET_KINDS.flatMap((kind) => Array<FleetKind>(kind.weight).fill(kind));
  const { who: some, how, seconds } = deck[Math.floor(uniform() * deck.length)] as FleetKind;
  const who = some[Math.floor(uniform() * some.length)] as Who;
  const lasts = seconds === undefined ? 0 : seconds[0] + uniform() * (seconds[1] - seconds[0]);
  const party = parties[who];
  const send = (name: NodeJS.Signals): void => void (party.isOver || signal(party.id, name));
  const later = (undo: () => void): Promise<void> => delay(lasts * 1000).then(undo);
  const deal = async (): Promise<void> => {
    if (how === 'STOP') {
      send('SIGSTOP');
      await later(() => send('SIGCONT'));
    } else if (how === 'KILL' || how === 'TERM') send(`SIG${how}`);
    else if (how === 'clock') writeFileSync(party.clockFile, String(Math.round((uniform() - 0.5) * 7200)));
    else if (how === 'silent' || how === 'cut') {
      const wire = wires[who as Exclude<Who, 'redis'>];
      wire.set(how);
      await later(() => wire.set('open'));
    } else if (how === 'emptied') {
      send('SIGKILL');
      forget(join(scene.folder, 'redis'));
    } else await atServer(scene, how, later);
  };
  const kind = `${who} ${how}`;
  return { kind, text: seconds === undefined ? kind : `${kind} for ${lasts.toFixed(1)} s`, undone: deal() };
}

/** Where the server does not answer, an earlier fault keeps this one from it. */
async function atServer({ port }: Scene, how: string, later: (undo: () => void) => Promise<void>): Promise<void> {
  const redis = new Redis(port, '127.0.0.1', { retryStrategy: () => null, commandTimeout: 15_000 });
  redis.on('error', () => undefined);
  try {
    if (how === 'flushed') await redis.flushall();
    else {
      await redis.config('SET', 'maxmemory', '1');
      await later(() => undefined);
      await redis.config('SET', 'maxmemory', '0');
    }
  } catch {
    // A server that was killed meanwhile forgot its setting, too.
  } finally {
    redis.disconnect();
  }
}

async function judge(
  { folder, parties, cells }: Scene,
  { site, mark }: { readonly site: Site; readonly mark: string },
): Promise<Problem[]> {
  const out = join(folder, 'out', SITE);
  const left = below(out).filter((path) => path.includes('.incoming-'));
  const noise = (who: Who): Problem[] =>
    parties[who]
      .text()
      .split('\n')
      .filter((line) => /Warning: |^\s+at .+:\d+/.test(line))
      .slice(0, 1)
      .map((line) => ({ kind: 'unexpected', text: `${who} on the terminal: ${line.trim()}` }));
  const codes = (['owner', 'worker', 'spare'] as const).flatMap((who) =>
    parties[who].codes.includes(1) ? [{ kind: 'unexpected' as const, text: `the ${who} ended with exit 1` }] : [],
  );
  return [
    ...(await storeProblems(out, cells)),
    ...left.map((text) => ({ kind: 'left behind' as const, text })),
    ...codes,
    ...noise('owner'),
    ...noise('worker'),
    ...noise('spare'),
    ...(await linkProblems(site)),
    ...(await processProblems(site, mark, new Set())),
  ];
}
