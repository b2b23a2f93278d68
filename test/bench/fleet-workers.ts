// A process of `npm run bench -- fleet`: workers on fake hosts, from the word 'begin' to the word 'end', when it says what they measured.
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workForFleet } from '../../orchestrator/fleet/work-for-fleet.ts';
import { FakeWorld, type Program } from '../orchestrator/fake/world.ts';

export interface Asked {
  readonly socket: string;
  readonly home: string;
  readonly count: number;
}

export interface Measured {
  /** Each run that began: its cell, and when, ms since 1970. */
  readonly started: readonly (readonly [string, number])[];
  readonly cpuSeconds: number;
}

/** A tenth of a second of the fake clock. */
const solve: Program = async ({ hosts, print }) => {
  await hosts[0]?.world.clock.advance(100);
  print('took 12.5 ms\n');
  return {};
};

const { socket: redis, home, count } = JSON.parse(process.argv[2] ?? '') as Asked;
const agent = join(home, `program-${process.pid}`);
mkdirSync(home, { recursive: true });
writeFileSync(agent, 'fake hosts only keep it');
const programs = { agent, idle: agent, graph500: agent, graphalytics: agent, 'run-harness': agent };
// The bench may be killed.
process.once('disconnect', () => process.exit());
process.send?.('ready');
await once(process, 'message');

const before = process.cpuUsage();
const started: [string, number][] = [];
const end = new AbortController();
const workers = Array.from({ length: count }, () => {
  const world = new FakeWorld(1, 'allow: [/opt/solve]\n');
  world.program = solve;
  return workForFleet({
    ...{ redis, inventory: world.inventory, site: 'bench', slots: null, graphs: [], signal: end.signal },
    ...{ open: world.open, programs, home, onNote: (text) => console.error(text) },
    onEvent: (_, event) => void (event.kind === 'cell-started' && started.push([event.id, Date.parse(event.at)])),
  }).catch((error: unknown) => void (end.signal.aborted || console.error(error)));
});
await once(process, 'message');
const { user, system } = process.cpuUsage(before);
end.abort();
await Promise.all(workers);
process.send?.({ started, cpuSeconds: (user + system) / 1e6 } satisfies Measured, () => process.disconnect());
