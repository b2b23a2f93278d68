import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { asSeconds } from '../../../base/units.ts';
import { type Cell, recordSchema } from '../../../experiments/records.ts';
import { workloadOf } from '../../../experiments/workloads/adapters.ts';
import type { Workload } from '../../../experiments/workloads/workload.ts';
import type { CellContext } from '../../../orchestrator/cell/cell-context.ts';
import { JobKeeper } from '../../../orchestrator/cell/job-keeper.ts';
import { LinkKeeper } from '../../../orchestrator/cell/link-keeper.ts';
import { type CellRun, faultOutput, runCell } from '../../../orchestrator/cell/run-cell.ts';
import { startSamplers } from '../../../orchestrator/cell/samplers.ts';
import { Cluster } from '../../../orchestrator/hosts/cluster.ts';
import { OutputFault } from '../../../orchestrator/hosts/executor.ts';
import { probeHosts } from '../../../orchestrator/hosts/facts.ts';
import { FakeWorld, solve } from '../fake/world.ts';

const SOLVER = workloadOf({
  ...{ kind: 'command', name: 'solver', command: ['solve', '{scale}'], ranks: 'any' },
  ...{ time: { pattern: 'took ([0-9.]+) ms', unit: 'ms' }, failure: [] },
});

const cellOf = (change: Partial<Cell> = {}): Cell => ({
  ...{ id: '00000000000000aa', workload: 'solver', nodes: 2, ranks: 2, scale: 12 },
  ...{ bw: 20, rep: 1, role: 'measure', roots: 1 },
  ...change,
});

interface Trial {
  readonly cell?: Partial<Cell>;
  readonly workload?: Workload;
  readonly signal?: AbortSignal;
  readonly leaseS?: number;
  readonly isLastTry?: boolean;
}

async function run(world: FakeWorld, trial: Trial = {}): Promise<CellRun> {
  return runCell(cellOf(trial.cell), await contextOf(world, trial));
}

async function contextOf(
  world: FakeWorld,
  { workload = SOLVER, signal, leaseS = 60, isLastTry = false }: Trial = {},
): Promise<CellContext> {
  const cluster = new Cluster(world.inventory, world.open);
  const lease = { seconds: asSeconds(leaseS), owner: 'ann' };
  const probed = await probeHosts(cluster, world.inventory.hosts, () => BigInt(world.clock.ms) * 1_000_000n);
  return {
    ...{ cluster, workload, seed: 1, timeoutMs: 30_000 },
    links: new LinkKeeper(cluster, { lease, every: world.clock.every }),
    jobs: new JobKeeper(),
    beside: [],
    probed: new Map(probed.map((host) => [host.host, host])),
    signal: signal ?? new AbortController().signal,
    outputFolder: tmpdir(),
    datasets: new Map(),
    isLastTry,
  };
}

/** What a run that is no measurement was refused with. */
async function faultOf(running: Promise<CellRun>): Promise<OutputFault> {
  const error = await running.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof OutputFault) return error;
  throw new Error(`no fault with an output, but ${String(error)}`);
}

describe('a cell that is measured', () => {
  it('gives a valid record with times, proof, clocks and samples', async () => {
    const world = new FakeWorld(2);
    world.host('n2').clockOffsetNs = 3_000n;
    const { record, stdout, samples } = await run(world);
    expect(recordSchema.parse(record)).toEqual(record);
    expect(record).toMatchObject({ status: 'ok', reason: null, exitCode: 0, hosts: ['n1', 'n2'] });
    expect(record.runs.map(({ ct }) => ct)).toEqual([0.0125]);
    expect(record.proof?.rateBps).toBe(20e6);
    expect(record.proof?.probes).toHaveLength(2);
    expect(record.proof?.classes.map(({ host, direction, bytes }) => [host, direction, bytes])).toEqual([
      ['n1', 'out', 2.5e6],
      ['n1', 'in', 2.5e6],
      ['n2', 'out', 2.5e6],
      ['n2', 'in', 2.5e6],
    ]);
    expect(record.clocks).toEqual([
      { host: 'n1', offsetNs: 0, errorNs: 0 },
      { host: 'n2', offsetNs: 3_000, errorNs: 0 },
    ]);
    expect(record.samplers).toEqual(['n1', 'n2'].map((host) => ({ host, samples: 42, missed: 0, cpuNs: 1_000_000 })));
    expect(samples?.map(({ host }) => host)).toEqual(['n1', 'n2']);
    expect(stdout).toBe('took 12.5 ms\n');
  });

  it('at 100 % runs on links without anything of ours', async () => {
    const world = new FakeWorld(2);
    const { record } = await run(world, { cell: { bw: 100 } });
    expect([record.status, record.proof?.rateBps]).toEqual(['ok', 100e6]);
    expect(world.count('set')).toBe(0);
  });

  it('on one host needs no traffic', async () => {
    const { record } = await run(new FakeWorld(1), { cell: { nodes: 1, ranks: 1 } });
    expect([record.status, record.proof?.probes]).toEqual(['ok', []]);
  });

  it('throttles first, samples during the run, and reads the links before and after', async () => {
    const world = new FakeWorld(2);
    await run(world);
    const steps = world.asked.filter((each) => /^n1 (set|probe|sample|guard|show)$/.test(each));
    expect(steps).toEqual(['n1 set', 'n1 probe', 'n1 show', 'n1 sample', 'n1 guard', 'n1 show']);
  });

  it('runs under the guard on the first hosts of the inventory, with its own arguments', async () => {
    const world = new FakeWorld(4);
    let seen: { hosts: string[]; argv: readonly string[] } | undefined;
    world.program = async (launched) => {
      seen = { hosts: launched.hosts.map(({ host }) => host), argv: launched.argv };
      return solve(launched);
    };
    const { record } = await run(world, { cell: { nodes: 3, ranks: 3 } });
    expect(seen).toEqual({ hosts: ['n1', 'n2', 'n3'], argv: ['solve', '12'] });
    expect(record.command).toMatch(/mpirun --host n1:1,n2:1,n3:1 -np 3 .* solve 12$/);
  });

  it('starts on the head of the inventory and fetches from the first host of the run', async () => {
    const world = new FakeWorld(2, 'mpi: {head: login}\n');
    await run(world, { workload: workloadOf({ kind: 'graph500', name: 'graph500' }) });
    expect(world.count('login guard')).toBe(1);
    expect([world.count('login fetch'), world.count('n1 fetch')]).toEqual([0, 3]);
  });

  it('brings back the files that the program left and removes them', async () => {
    const world = new FakeWorld(1);
    const text = (end: string) =>
      readFileSync(new URL(`../../fixtures/graph500/v3-bfs-scale10-np1.${end}`, import.meta.url), 'utf8');
    world.program = async (launched) => {
      await solve(launched);
      const phases = launched.argv[launched.argv.indexOf('--phases') + 1] ?? '';
      launched.write(phases, 'rank,root,level,phase,start_ns,end_ns,bytes_sent\n0,0,0,expand,1,2,3\n');
      return { stdout: text('stdout'), stderr: text('stderr') };
    };
    const workload = workloadOf({ kind: 'graph500', name: 'graph500' });
    const { record, phases: fetched } = await run(world, { cell: { nodes: 1, ranks: 1, scale: 10 }, workload });
    expect(record).toMatchObject({ status: 'ok', reason: null });
    expect(record.runs).toHaveLength(64);
    expect(fetched).toContain('0,0,0,expand,1,2,3');
    expect([...world.host('n1').files.keys()]).toEqual([]);
  });
});

describe('a harness that starts ranks by itself', () => {
  const HARNESS: Workload = {
    ...SOLVER,
    launch: 'head',
    invocation: (cell, { outputFolder, hosts }) => ({
      argv: ['harness', ...hosts, String(cell.ranks)],
      outputs: { results: `${outputFolder}/results.json` },
    }),
    parse: ({ files }) =>
      files?.results === undefined
        ? { ok: false, reason: 'no results', outputTail: [] }
        : { ok: true, summary: {}, runs: [{ index: 0, ct: 1, teps: null, nedge: null, validateS: null }] },
  };
  const login = () => new FakeWorld(2, 'mpi: {head: login}\n');
  const passing = (world: FakeWorld): void => {
    for (const { link } of world.hosts.slice(0, 2)) for (const way of ['out', 'in'] as const) link.pass(way, 1e6);
  };

  it('runs once, on the head host, which has its files, and is told the hosts of its ranks', async () => {
    const world = login();
    let argv: readonly string[] = [];
    world.program = async (launched) => {
      argv = launched.argv;
      await world.clock.advance(2000);
      passing(world);
      launched.write('/srv/predict/cells/00000000000000aa/results.json', '{}');
      return {};
    };
    const { record } = await run(world, { workload: HARNESS });
    expect([record.status, record.hosts, argv]).toEqual(['ok', ['n1', 'n2'], ['harness', 'n1', 'n2', '2']]);
    expect([world.count('login guard'), world.count('login fetch'), world.count('n1 fetch')]).toEqual([1, 1, 0]);
    expect(world.count('login remove')).toBe(1);
  });

  it('is believed when it says that nothing ran, though it ended well and nothing was sent', async () => {
    const world = login();
    world.program = async () => ({});
    expect((await run(world, { workload: HARNESS })).record).toMatchObject({ status: 'failed', reason: 'no results' });
  });

  it('is no measurement when it says that all went well and nothing was sent', async () => {
    const world = login();
    world.program = async ({ write }) => {
      await world.clock.advance(2000);
      write('/srv/predict/cells/00000000000000aa/results.json', '{}');
      return {};
    };
    expect((await faultOf(run(world, { workload: HARNESS }))).message).toMatch(/no byte of the run passed/);
  });

  it('ends as it likes: what its ranks met is for its own logs to tell', async () => {
    const world = login();
    world.program = async () => ({ exitCode: 137, stderr: 'ORTE was unable to reliably start one or more daemons.\n' });
    expect((await run(world, { workload: HARNESS })).record).toMatchObject({ status: 'failed', exitCode: 137 });
  });
});

describe('a workload that fails by itself', () => {
  it('is a record with the reason and the last lines, not a fault', async () => {
    const world = new FakeWorld(2);
    world.program = async () => ({ exitCode: 9, stderr: 'I want 8 ranks\n' });
    const { record } = await run(world);
    expect(recordSchema.parse(record).status).toBe('failed');
    expect(record.reason).toMatch(/exit status 9/);
    expect(record.outputTail).toContain('I want 8 ranks');
  });

  it('may take too long: it is ended, and the record says after how long', async () => {
    const world = new FakeWorld(2);
    world.host('n1').fate('guard', { kind: 'hangs' });
    const running = run(world, { leaseS: 3600 });
    await world.when('n1', 'guard');
    await world.clock.advance(30_000);
    const { record } = await running;
    expect(record).toMatchObject({ status: 'failed', exitCode: null });
    expect(record.reason).toBe('The run took longer than 30 s and was ended.');
  });
});

describe('what a host or a program says that cannot be kept', () => {
  it('as a record is a fault of the run, with what was printed', async () => {
    const nonsense: Workload = { ...SOLVER, parse: () => ({ ok: true, summary: { x: Number.NaN }, runs: [] }) };
    const fault = await faultOf(run(new FakeWorld(2), { workload: nonsense }));
    expect(fault.kind).toBe('infrastructure');
    expect(fault.message).toMatch(/^The run cannot be recorded at summary\.x: /);
    expect(fault.stdout).toBe('took 12.5 ms\n');
  });

  it.each([
    ['was cut off', 'worker,phase,start_ns,end_ns\n0,bfs,10,20\n0,bf'],
    ['is nonsense', '\u0000\u0001,\n,,,'],
  ])('as a trace is not kept of a run that failed: it %s', async (_, trace) => {
    const world = new FakeWorld(1);
    world.program = async (launched) => {
      launched.write(launched.argv[launched.argv.indexOf('--phases') + 1] ?? '', trace);
      return { exitCode: 3, stderr: 'no memory\n' };
    };
    const workload = workloadOf({ kind: 'graph500', name: 'graph500' });
    const { record, phases } = await run(world, { cell: { nodes: 1, ranks: 1, scale: 10 }, workload });
    expect([record.status, phases]).toEqual(['failed', undefined]);
  });
});

describe('a run that is no measurement', () => {
  it('for the launcher could not start it carries what was printed', async () => {
    const world = new FakeWorld(2);
    world.program = async ({ print }) => {
      print('half a result\n');
      return { exitCode: 213, stderr: 'ORTE was unable to reliably start one or more daemons.\n' };
    };
    const fault = await faultOf(run(world));
    expect(fault).toMatchObject({ kind: 'infrastructure', stdout: 'half a result\n' });
    expect(fault.message).toMatch(/could not start or keep the run: ORTE was unable/);
    expect(fault.stderr).toContain('ORTE was unable');
  });

  it('for no byte of it passed the throttle carries what was printed', async () => {
    const world = new FakeWorld(2);
    world.program = async ({ print }) => {
      print('took 1 ms\n');
      return {};
    };
    const fault = await faultOf(run(world));
    expect(fault.message).toMatch(/The run at 20 % is invalid: no byte of the run passed the throttled class of n1/);
    expect(fault).toMatchObject({ kind: 'infrastructure', stdout: 'took 1 ms\n' });
  });

  it('makes the next one prove the level again', async () => {
    const world = new FakeWorld(2);
    const context = await contextOf(world);
    world.program = async () => ({});
    await faultOf(runCell(cellOf(), context));
    world.program = solve;
    await runCell(cellOf(), context);
    await runCell(cellOf(), context);
    expect(world.count('probe')).toBe(4);
  });

  it('for its lease ran out carries what was printed', async () => {
    const world = new FakeWorld(2);
    const no = { kind: 'says', answer: { exitCode: 22, stderr: 'no space left in /run\n' } } as const;
    world.host('n2').fate('renew', no, no, no);
    world.program = async (launched) => {
      await world.clock.advance(15_000);
      return solve(launched);
    };
    const fault = await faultOf(run(world, { leaseS: 15 }));
    expect(fault.message).toMatch(/the lease of n2 expired during the run/);
    expect(fault).toMatchObject({ kind: 'infrastructure', stdout: 'took 12.5 ms\n' });
  });

  it('for a host lost its lease keepers and no renewal came names the host', async () => {
    const world = new FakeWorld(2);
    world.program = async (launched) => {
      world.host('n2').link.keeper = false;
      return solve(launched);
    };
    expect((await faultOf(run(world))).message).toMatch(/is invalid: the lease watchdog of n2 has ended/);
  });

  it('for the probes do not reach the level never starts', async () => {
    const world = new FakeWorld(2);
    world.host('n1').link.goodput = 0.2;
    await expect(run(world)).rejects.toMatchObject({ kind: 'infrastructure' });
    expect(world.count('guard')).toBe(0);
  });

  it('for a host died in it names the host and carries what was printed', async () => {
    const world = new FakeWorld(2);
    world.program = async ({ hosts, print }) => {
      print('three searches done\n');
      const [, second] = hosts;
      if (second) second.down = true;
      second?.loseConnections();
      return { exitCode: 1, stderr: 'a rank is gone\n' };
    };
    const fault = await faultOf(run(world));
    expect(fault).toMatchObject({ kind: 'infrastructure', host: 'n2', stdout: 'three searches done\n' });
    expect(fault.stderr).toBe('a rank is gone\n');
  });

  it('for the head died in it names the head and carries what was printed until then', async () => {
    const world = new FakeWorld(2);
    world.host('n1').fate('guard', { kind: 'dies', after: 'one search done\n' });
    const fault = await faultOf(run(world));
    expect(fault).toMatchObject({ kind: 'infrastructure', host: 'n1', stdout: 'one search done\n' });
  });

  it('ends the samplers that were started', async () => {
    const world = new FakeWorld(2);
    world.host('n1').fate('guard', { kind: 'dies' });
    await faultOf(run(world));
    expect(world.hosts.map(({ running }) => running.filter((verb) => verb === 'sample'))).toEqual([[], []]);
  });
});

describe('a run that a signal from outside ended', () => {
  const killed = readFileSync(new URL('../../fixtures/launchers/openmpi-rank-killed.stderr', import.meta.url), 'utf8');

  it('is no record but a fault that names the host, with what was printed', async () => {
    const world = new FakeWorld(2);
    world.program = async ({ print }) => {
      print('three searches done\n');
      return { exitCode: 137, stderr: killed };
    };
    const fault = await faultOf(run(world));
    expect(fault).toMatchObject({
      kind: 'infrastructure',
      host: 'n2',
      stdout: 'three searches done\n',
      stderr: killed,
    });
    expect(fault.message).toMatch(/^n2: rank 1 \(pid \d+\) was killed from outside by SIGKILL/);
    expect(faultOutput(fault)).toMatchObject({ host: 'n2', reason: fault.message });
  });

  it('tells of the OOM killer, whose count the sampler read at the start', async () => {
    const world = new FakeWorld(2);
    world.program = async ({ hosts: [, second] }) => {
      if (second)
        second.killed = 'oom_kill 1\n[1.0] Out of memory: Killed process 71 (solve) anon-rss:1048576kB, file-rss:0kB\n';
      return { exitCode: 137, stderr: killed };
    };
    const fault = await faultOf(run(world));
    expect(fault.message).toBe("n2: the kernel's OOM killer ended solve (pid 71, 1 GiB).");
    const { record } = await run(world, { isLastTry: true });
    expect(record).toMatchObject({ status: 'failed', reason: fault.message });
  });

  it('for a process of others is never a record, also when no other try follows', async () => {
    const world = new FakeWorld(2);
    world.program = async ({ hosts: [, second] }) => {
      if (second)
        second.killed = 'oom_kill 1\n[1.0] Out of memory: Killed process 71 (java) anon-rss:1048576kB, file-rss:0kB\n';
      return { exitCode: 137, stderr: killed };
    };
    expect((await faultOf(run(world, { isLastTry: true }))).kind).toBe('infrastructure');
  });

  it('comes before what its link looks like afterwards', async () => {
    const world = new FakeWorld(2);
    const no = { kind: 'says', answer: { exitCode: 22, stderr: 'no\n' } } as const;
    world.host('n2').fate('renew', no, no, no);
    world.program = async () => {
      await world.clock.advance(15_000);
      return { exitCode: 137, stderr: killed };
    };
    expect((await faultOf(run(world, { leaseS: 15 }))).message).toMatch(/^n2: rank 1/);
  });

  it('for a fault of its own is a failed record', async () => {
    const world = new FakeWorld(2);
    world.program = async () => ({ exitCode: 139, stderr: 'Segmentation fault\n' });
    expect((await run(world)).record).toMatchObject({ status: 'failed', exitCode: 139 });
  });
});

describe('a measured run is marked', () => {
  it('not at all on quiet hosts, also at 100 %', async () => {
    expect((await run(new FakeWorld(4), { cell: { nodes: 4, ranks: 4 } })).record.marks).toEqual([]);
    expect((await run(new FakeWorld(4), { cell: { nodes: 4, ranks: 4, bw: 100 } })).record.marks).toEqual([]);
  });

  it('when a sampler died, which is told with its host', async () => {
    const world = new FakeWorld(2);
    world.host('n2').fate('sample', { kind: 'says', answer: { exitCode: null, stdout: '' } });
    const { record, samples } = await run(world);
    expect(record.status).toBe('ok');
    expect(record.marks).toEqual([
      {
        ...{ kind: 'sampler', host: 'n2' },
        // As many as there had been time for on this machine.
        text: expect.stringMatching(/^n2: the sampler ended with signal TERM \(it took 0 of \d+ readings\)\.$/),
      },
    ]);
    expect(record.samplers[1]).toEqual({ host: 'n2', samples: 0, missed: null, cpuNs: null });
    expect(samples).toHaveLength(2);
  });

  it.each([
    ['', / sample --hz 20$/],
    ['sampling: {hz: 50, cores: 1.5, cgroup: ["/a/{host}"]}\n', / sample --hz 50 --cgroup \/a\/n2 --cores 1\.5$/],
  ])('what an inventory says of them is told to samplers: %j', async (inventory, words) => {
    const world = new FakeWorld(2, inventory);
    const cluster = new Cluster(world.inventory, world.open);
    const options = { timeoutMs: 1_000_000, outputFolder: tmpdir() };
    await (await startSamplers(cluster, world.inventory.hosts, options)).stop();
    expect(world.commands.filter((command) => command.startsWith('n2: ') && command.includes('sample'))).toEqual([
      expect.stringMatching(words),
    ]);
  });

  it('when a sampler stands still to the end: it is killed, and what it had read is there', async () => {
    const world = new FakeWorld(2);
    const cluster = new Cluster(world.inventory, world.open);
    world.host('n2').fate('sample', { kind: 'hangs' });
    const options = { timeoutMs: 1_000_000, outputFolder: tmpdir(), goodbyeMs: 50 };
    const { seen, texts } = await (await startSamplers(cluster, world.inventory.hosts, options)).stop();
    expect(seen.map(({ death }) => death)).toEqual([null, 'did not end when requested and was killed']);
    expect(texts).toHaveLength(2);
    expect(world.host('n2').running).toEqual([]);
  });

  it('when others used the processors of a host', async () => {
    const world = new FakeWorld(2);
    world.host('n1').burnt = 1.5;
    const { record } = await run(world);
    expect(record.marks).toEqual([
      { kind: 'stolen-cpu', host: 'n1', text: expect.stringContaining('used 1.50 of 2.00 cores') },
    ]);
  });

  it.each([20, 100])('when a host sent what no host of the run received, at %i %', async (bw) => {
    const world = new FakeWorld(2);
    world.program = async (launched) => {
      const [first] = launched.hosts;
      first?.link.pass('out', (first.link.rateBps / 32) * 2);
      return solve(launched);
    };
    const { record } = await run(world, { cell: { bw } });
    expect(record.marks).toEqual([
      {
        kind: 'foreign-traffic',
        host: 'n1',
        text: expect.stringMatching(/^n1: the hosts of the run sent .* on average/),
      },
    ]);
  });

  it('when the free links are far below the line rate', async () => {
    const world = new FakeWorld(2);
    for (const { link } of world.hosts) link.goodput = 0.5;
    const { record } = await run(world, { cell: { bw: 100 } });
    expect(record.marks.map(({ kind }) => kind)).toEqual(['link-below-rate']);
  });
});

describe('a cell with a slow link that the inventory accepts', () => {
  it.each([100, 50])('is measured at %i %, and its record has the rate', async (bw) => {
    const world = new FakeWorld(4, 'accept: n3\n');
    world.host('n3').link.goodput = 0.2;
    const { record } = await run(world, { cell: { nodes: 4, ranks: 4, bw } });
    expect(record.status).toBe('ok');
    expect(record.marks).toEqual([
      { kind: 'link-accepted', host: 'n3', text: expect.stringMatching(/^The link of n3 was accepted at \d+ Mbit\/s/) },
    ]);
  });
});

describe('a cell whose hosts are not fit for it', () => {
  it('at 100 %, for one of the free links carries other traffic, never starts', async () => {
    const world = new FakeWorld(4);
    world.host('n2').link.goodput = 0.05;
    await expect(run(world, { cell: { nodes: 4, ranks: 4, bw: 100 } })).rejects.toMatchObject({
      kind: 'infrastructure',
      message: expect.stringMatching(
        /of 100 % could not be verified: the probe from n1 to n2 reached 5 Mbit\/s instead of the usual 95 Mbit\/s/,
      ),
    });
    expect(world.count('guard')).toBe(0);
  });

  it('for its work folder cannot be used, is a fault that names the host', async () => {
    const world = new FakeWorld(2);
    world.host('n2').fate('mkdir', { kind: 'says', answer: { exitCode: 1, stderr: 'mkdir: Read-only file system\n' } });
    await expect(run(world)).rejects.toMatchObject({
      ...{ kind: 'infrastructure', host: 'n2' },
      message: expect.stringMatching(/^n2: the work folder .* cannot be used \(mkdir: Read-only file system\)/),
    });
    expect(world.count('guard')).toBe(0);
  });

  it('for one sampler cannot be started, leaves no other running', async () => {
    const world = new FakeWorld(3);
    world.program = async () => ({});
    const context = await contextOf(world);
    const links = context.links.set.bind(context.links);
    context.links.set = async (...args) => {
      const level = await links(...args);
      world.host('n3').down = true;
      return level;
    };
    await expect(runCell(cellOf({ nodes: 3, ranks: 3 }), context)).rejects.toMatchObject({ host: 'n3' });
    expect(world.hosts.map(({ running }) => running)).toEqual([[], [], []]);
  });

  it('has its folder anew on every host, and keeps it on none', async () => {
    const world = new FakeWorld(3);
    await run(world, { cell: { nodes: 3, ranks: 3 } });
    const folder = /cells\/00000000000000aa/;
    const made = world.commands.filter((each) => /mkdir -p/.test(each));
    expect(made.map((each) => /rm -rf -- "\$1" && mkdir -p -- "\$@".* predict \S+$/.test(each))).toEqual([
      true,
      true,
      true,
    ]);
    const removed = world.commands.filter((each) => /: rm -rf -- \S+$/.test(each) && folder.test(each));
    expect(removed.map((each) => each.slice(0, 2)).sort()).toEqual(['n1', 'n2', 'n3']);
  });
});

describe('an interrupt', () => {
  it('ends the run and is no record', async () => {
    const world = new FakeWorld(2);
    world.host('n1').fate('guard', { kind: 'hangs' });
    const controller = new AbortController();
    const stopped = expect(run(world, { signal: controller.signal })).rejects.toMatchObject({
      kind: 'interrupted',
      exitCode: 130,
    });
    await world.when('n1', 'guard');
    controller.abort();
    await stopped;
    expect(world.hosts.map(({ running }) => running)).toEqual([[], []]);
  });
});
