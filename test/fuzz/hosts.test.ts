import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll } from 'vitest';
import { mpiTrace } from '../../experiments/mpi-trace/join-ranks.ts';
import { traceProblem } from '../../experiments/trace.ts';
import { firstSaid } from '../../experiments/workloads/said.ts';
import { launcherSchema, type SchedulerName, schedulerSchema } from '../../inventory/inventory-schema.ts';
import { readSampled } from '../../orchestrator/cell/sampled.ts';
import { jobFault, readKills } from '../../orchestrator/cell/why-ended.ts';
import {
  flinkBackPressureSchema,
  flinkJobSchema,
  flinkPlanSchema,
  flinkShape,
} from '../../orchestrator/dag/flink/flink-answers.ts';
import { FlinkRest } from '../../orchestrator/dag/flink/flink-rest.ts';
import { Cluster } from '../../orchestrator/hosts/cluster.ts';
import type { Executor } from '../../orchestrator/hosts/executor.ts';
import { findWorkFolder } from '../../orchestrator/hosts/work-folder.ts';
import { LAUNCHERS } from '../../orchestrator/launchers/launchers.ts';
import { mpiDefault } from '../../orchestrator/schedulers/describe-allocation.ts';
import { isHopeless, requestWords } from '../../orchestrator/schedulers/request.ts';
import { readJobState } from '../../orchestrator/schedulers/schedulers.ts';
import { FILES, HEADER } from '../experiments/rank-files.ts';
import { FakeWorld } from '../orchestrator/fake/world.ts';
import { said } from '../orchestrator/launcher-texts.ts';
import { damagedBytes, damagedTexts } from './mutations.ts';
import { allFinite, fuzz } from './reader.ts';

const ended = { host: 'n1', signal: null, durationMs: 1, timedOut: false, printedTooMuch: false } as const;

for (const launcher of launcherSchema.options) {
  const world = new FakeWorld(2, `mpi: {launcher: ${launcher}}\n`);
  const cluster = new Cluster(world.inventory, world.open);
  fuzz({
    name: `what ${launcher} says of a run that failed`,
    inputs: fc.record({
      stderr: damagedTexts(said(launcher)),
      exitCode: fc.constantFrom(null, 0, 1, 137, 143, 255),
      stdout: fc.constantFrom('', 'took 3 ms\n'),
    }),
    read: async ({ stderr, exitCode, stdout }) => {
      LAUNCHERS[launcher].mayHang?.(stderr);
      LAUNCHERS[launcher].isWaiting?.(stderr);
      firstSaid({ stdout, stderr });
      const result = { ...ended, stderr, exitCode, stdout };
      return await jobFault(cluster, world.inventory.hosts, { result, killsBefore: new Map(), program: '/opt/solver' });
    },
  });
}

const ANSWERS: Readonly<Record<SchedulerName, readonly string[]>> = {
  slurm: [
    'RUNNING|2:57|None\n',
    'PENDING|UNLIMITED|Resources\nPENDING|1-02:03:04|(QOSMaxCpuPerUserLimit)\n',
    'COMPLETING|INVALID|\n',
    'slurm_load_jobs error: Invalid job id specified\n',
    'MpiDefault              = pmix\nMpiParams               = (null)\n',
  ],
  pbs: [
    'Job Id: 7.head\n    job_state = R\n    exec_host = n1/0*4+n2/1\n    Resource_List.walltime = 01:00:00\n    stime = Sat Nov 28 08:59:37 2026\n    comment = Job run on (n1:ncpus=\n\t1)\n',
  ],
  lsf: ['RUN|0:30 L|4*hostA:4*hostB|-\n', 'PEND|-|-|Job slot limit reached\n', 'Job <9> is not found\n'],
  flux: ['RUN|1795856048.23|node[01-04]|\n', 'INACTIVE|0.0||alloc denied\n', 'JobID f1234 unknown\n'],
};

for (const scheduler of schedulerSchema.options) {
  fuzz({
    name: `${scheduler}'s answers`,
    inputs: damagedTexts(ANSWERS[scheduler]),
    read: (text) => {
      const failed = readJobState(scheduler, { exitCode: 1, stdout: '', stderr: text }, 0);
      const state = readJobState(scheduler, { exitCode: 0, stdout: text, stderr: '' }, 0);
      const leftS = state?.leftS === Number.POSITIVE_INFINITY ? null : (state?.leftS ?? null);
      return [{ ...state, leftS }, failed, mpiDefault(text) ?? null, isHopeless(scheduler, state?.reason ?? '')];
    },
    refusesNothing: true,
  });
}

fuzz({
  name: 'requests to a scheduler',
  inputs: damagedTexts(['-N 16 -t 2:00:00', '-N 2 --comment "a b" --constraint=\'x|y\'', ' -p "long queue"']),
  read: (text) => requestWords('slurm', text),
});

const SAMPLES =
  '1000\tcpu.capacity_mcores\t-\t2000\n1000\tcpu.busy_ns\t-\t900\n1000\tmemory.oom_kills\t-\t0\n1000\trank.cpu_ns\t0\t12\n' +
  '2000\tcpu.busy_ns\t-\t990\n2000\tcpu.steal_ns\t-\t1\n2000\trank.cpu_ns\t0\t22\n2000\trank.mpi\t0\t1\n#end samples=2 missed=0 cpu_ns=5\n';

fuzz({
  name: 'samples of a host',
  inputs: fc.tuple(damagedTexts([SAMPLES]), fc.integer({ min: 1, max: 100 })),
  read: async ([text, size]) => {
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
      text.slice(at * size, (at + 1) * size),
    );
    return await readSampled('n1', pieces);
  },
  refusesNothing: true,
});

fuzz({
  name: "the kernel's log of killed processes",
  inputs: damagedTexts([
    'oom_kill 2\n[12212.502409] Memory cgroup out of memory: Killed process 10215 (python3) total-vm:118956kB, anon-rss:30464kB, file-rss:6624kB, shmem-rss:0kB, UID:0\n' +
      '[12213.1] Out of memory: Killed process 7 (a (b) c) total-vm:1kB, anon-rss:2kB\n',
  ]),
  read: (text) => {
    const kills = readKills('n1', text, 0);
    return kills.length === 0 ? null : kills;
  },
});

fuzz({
  name: 'files of the recorder of MPI calls',
  inputs: fc.tuple(fc.constantFrom(...FILES.keys()), fc.constantFrom(...FILES.values())).chain(([name, content]) =>
    fc
      .oneof(
        // What the header says lies at its beginning; the records, which are few, behind it.
        damagedBytes([content.subarray(24, 160)]).map((said) => [content.subarray(0, 24), said, content.subarray(160)]),
        damagedBytes([content.subarray(HEADER)]).map((records) => [content.subarray(0, HEADER), records]),
        damagedBytes([content]).map((whole) => [whole]),
      )
      .map((parts) => new Map([...FILES, [name, Buffer.concat(parts)]])),
  ),
  read: (files) => {
    const trace = mpiTrace(files);
    traceProblem(trace);
    return trace.warnings.some((line) => line.includes('this is not a trace')) ? null : trace.summary;
  },
});

const LOOK =
  // /home/ann/w, in base64.
  '@predict uid 1000\n@predict user ann\n@predict machine x86_64\n@predict asked L2hvbWUvYW5uL3c=\n' +
  '@predict folder L2hvbWUvYW5uL3c=\n@predict part 0 41ed /\n@predict part 0 41ed /home\n@predict part 1000 41ed /home/ann\n@predict part 1000 41ed /home/ann/w\n';

fuzz({
  name: 'work folders of hosts',
  inputs: damagedTexts([LOOK, `welcome\n${LOOK}`]),
  read: (stdout) => {
    const exec: Executor['exec'] = async () => ({ ...ended, exitCode: 0, stdout, stderr: '' });
    return findWorkFolder({ exec, host: 'n1' } as Executor, undefined);
  },
  refusal: 'infrastructure',
});

/** A job manager of Flink's that answers what it is given. */
let body = '';
const server = createServer((_, response) => void response.end(body));
beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const VERTEX = { id: 'map', name: 'map', parallelism: 2, status: 'RUNNING', metrics: { 'read-records': 5 } };
const JOB = { jid: 'j1', name: 'words', state: 'RUNNING', vertices: [VERTEX, { ...VERTEX, id: 'source' }] };
const PLAN = { plan: { nodes: [{ id: 'map', inputs: [{ id: 'source' }] }, { id: 'source' }] } };
const PRESSURE = {
  ...{ status: 'ok', backpressureLevel: 'ok', 'end-timestamp': 5 },
  subtasks: [{ subtask: 0, backpressureLevel: 'ok', ratio: 0.1, idleRatio: 0.2, busyRatio: 0.7 }],
};

fuzz({
  name: "Flink's answers",
  inputs: fc.oneof(
    damagedTexts([JSON.stringify(JOB)]).map((text) => ({ what: 'job', text })),
    damagedTexts([JSON.stringify(PLAN)]).map((text) => ({ what: 'plan', text })),
    damagedTexts([JSON.stringify(PRESSURE)]).map((text) => ({ what: 'pressure', text })),
  ),
  read: async ({ what, text }) => {
    const rest = new FlinkRest(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 5_000);
    const { signal } = new AbortController();
    body = text;
    if (what === 'pressure') return await rest.get('backpressure', flinkBackPressureSchema, signal);
    const job = what === 'job' ? await rest.get('job', flinkJobSchema, signal) : flinkJobSchema.parse(JOB);
    const plan = what === 'plan' ? await rest.get('plan', flinkPlanSchema, signal) : flinkPlanSchema.parse(PLAN);
    return flinkShape(job, plan);
  },
  refusal: 'infrastructure',
  isRight: (value) => allFinite(value),
});
