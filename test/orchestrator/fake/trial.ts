import { join } from 'node:path';
import { asSeconds } from '../../../base/units.ts';
import { readEvents, type SweepEvent } from '../../../experiments/store/campaign-events.ts';
import { type AskedSweep, parseSweep } from '../../../experiments/sweep.ts';
import { workloadOf } from '../../../experiments/workloads/adapters.ts';
import type { VisitAims } from '../../../orchestrator/job.ts';
import { runSweep, type SweepResult } from '../../../orchestrator/run-sweep.ts';
import { tempFolder } from '../../experiments/make.ts';
import { fakePrograms } from './programs.ts';
import { FakeWorld, type Program, solve } from './world.ts';

const solver = (...words: string[]) =>
  workloadOf({
    ...{ kind: 'command', name: 'solver', command: ['solve', '{scale}', ...words], ranks: 'any' },
    ...{ time: { pattern: 'took ([0-9.]+) ms', unit: 'ms' }, failure: [] },
  });
export const WORKLOAD = solver();
/** The same with a parameter called input. */
export const WITH_INPUT = solver('{param.input}');
/** By this seed 100 %, 60 %, 20 %, and 100 % again. */
export const FLAGS = { nodes: '2', scales: '12', bw: '20,60', roots: '1', seed: '5' };

/** One campaign folder on one fake cluster; the same sweep may be run there again and again. */
export class Trial {
  readonly out: string;
  readonly world: FakeWorld;
  readonly #programs = fakePrograms();

  constructor(world = new FakeWorld(2), out = join(tempFolder(), 'campaign')) {
    this.world = world;
    this.out = out;
  }

  sweep(
    change: {
      readonly nodes?: string;
      readonly flags?: Partial<AskedSweep>;
      readonly workload?: typeof WORKLOAD;
      readonly signal?: AbortSignal;
      readonly redis?: string;
      readonly aims?: VisitAims;
      readonly onEvent?: (event: SweepEvent) => void;
    } = {},
  ): Promise<SweepResult> {
    const {
      nodes = FLAGS.nodes,
      flags = {},
      workload = WORKLOAD,
      signal = new AbortController().signal,
      redis,
      aims,
      onEvent = () => undefined,
    } = change;
    return runSweep({
      ...{ sweep: parseSweep({ ...FLAGS, nodes, ...flags }), workload, inventory: this.world.inventory },
      ...{ out: this.out, leaseS: asSeconds(60), cellTimeoutS: asSeconds(30), signal, onEvent },
      ...{ open: this.world.open, programs: this.#programs, redis, aims },
    });
  }

  /** The program does as usual, but `act` comes first at its n-th start, from 1. */
  at(start: number, act: () => Promise<Awaited<ReturnType<Program>> | undefined>): void {
    let count = 0;
    this.world.program = async (launched) => {
      count += 1;
      return (count === start ? await act() : undefined) ?? solve(launched);
    };
  }

  /** What is ours on the hosts: rates of throttled links, holders of locks, commands that run. */
  get left(): unknown[] {
    return this.world.hosts.flatMap(({ link, lockedBy, running }) => [
      ...(link.throttle ? [link.throttle.rateBps] : []),
      ...(lockedBy === undefined ? [] : [lockedBy]),
      ...running,
    ]);
  }

  kinds(): string[] {
    return readEvents(this.out).map((event) => event.kind);
  }
}

/** A launcher whose hosts went away. */
export const LOST = { exitCode: 1, stderr: 'ORTE has lost communication with a remote daemon.\n' };
