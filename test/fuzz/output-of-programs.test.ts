import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../base/paths.ts';
import { parseGraph500 } from '../../experiments/parse-graph500.ts';
import { readPerfEvents } from '../../experiments/stacks/perf-script.ts';
import { StackFold } from '../../experiments/stacks/stack-fold.ts';
import { traceProblem } from '../../experiments/trace.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { parseRunsCsv } from '../../experiments/workloads/graph500.ts';
import { parseAgentLine } from '../../orchestrator/dag/pipes/agent-lines.ts';
import { parseFacts } from '../../orchestrator/hosts/facts.ts';
import { readState } from '../../throttle/state.ts';
import { damagedTexts } from './mutations.ts';
import { allFinite, fuzz } from './reader.ts';

const fixture = (name: string): string => readFileSync(join(projectRoot(), 'test/fixtures/graph500', name), 'utf8');
const OLD_DIALECT =
  'SCALE: 12\nnvtx: 4096\nedgefactor: 16\nterasize: 1.0e-06\nA: 0.57\nB: 0.19\nC: 0.19\nD: 0.05\ngeneration_time: 0.02\n' +
  'construction_time: 0.03\nnbfs: 2\nmin_time: 1e-3\nfirstquartile_time: 1e-3\nmedian_time: 1e-3\nthirdquartile_time: 2e-3\n' +
  'max_time: 2e-3\nmean_time: 1.5e-3\nstddev_time: 1e-4\nmin_nedge: 65536\nmax_nedge: 65536\nharmonic_mean_TEPS: 4e7\n' +
  'Time for BFS 0 is 0.001\nTEPS for BFS 0 is 6.5536e+07\nTime for BFS 1 is 0.002\nTEPS for BFS 1 is 3.2768e+07\n';

/** All numbers of what counts as a run are those of a run. */
function isRun(value: unknown): void {
  allFinite(value);
  const { searches, fields } = value as ReturnType<typeof parseGraph500>;
  if (searches.length === 0) throw new Error('a run without searches');
  for (const { ct, teps } of searches)
    if (!(ct > 0 && (teps === null || teps > 0))) throw new Error(`time ${ct}, TEPS ${teps}`);
  const negative = Object.entries(fields).find(([name, number]) => number < 0 && !name.includes('validate'));
  if (negative) throw new Error(`${negative[0]} is ${negative[1]}`);
}

fuzz({
  name: 'Graph500 output',
  inputs: damagedTexts([
    ...['v3-bfs-scale10-np1.stdout', 'v3-bfs-sssp-scale9-np4.stdout', 'v3-skip-validation-scale9-np2.stdout'].map(
      fixture,
    ),
    ...['v3-refused-np3.stderr', 'v3-tagged-scale8-np2.out'].map(fixture),
    `${fixture('v3-bfs-scale10-np2.stdout')}${fixture('v3-bfs-scale10-np2.stderr')}`,
    OLD_DIALECT,
  ]),
  read: (text) => {
    const result = parseGraph500([text], { exitCode: 0 });
    if (!result.valid && result.reason.length > 500) throw new Error(`a reason of ${result.reason.length} characters`);
    return result.valid ? result : null;
  },
  isRight: isRun,
});

const command = workloadOf({
  ...{ kind: 'command', name: 'solver', command: ['solve'], time: { pattern: 'took ([-+0-9.eE]+) ms', unit: 'ms' } },
  ...{ failure: ['diverged'], success: 'passed', ranks: 'any' },
});

fuzz({
  name: 'output of a command',
  inputs: damagedTexts(['step 1\ntook 12.5 ms\ntook 1e3 ms\nchecks passed\n', 'took 3 ms\r\npassed\r\n', 'diverged\n']),
  read: (stdout) => {
    const result = command.parse({ exitCode: 0, stdout, stderr: '' });
    return result.ok ? result : null;
  },
});

fuzz({
  name: 'times of the bundled Graph500',
  inputs: damagedTexts([
    'root,key,time_s,nedge,teps,validate_s,bytes_sent\n0,17,0.0012,65536,5.4e7,0.01,1234\n1,99,0.0011,65536,5.9e7,-1,0\n',
  ]),
  read: parseRunsCsv,
});

fuzz({
  name: 'headers of a trace',
  inputs: damagedTexts([
    'worker,phase,start_ns,end_ns,bytes_sent,asleep_ns,root,level\n0,bfs,1,2,3,4,5,6\n',
    'rank,phase,start_ns,end_ns\n0,bfs,1,2\n',
  ]),
  read: (phases) => {
    const problem = traceProblem({ phases });
    if (problem !== null && problem.length > 500) throw new Error('a long sentence');
    return problem === null ? phases.length : null;
  },
});

const FACTS = JSON.stringify({
  ...{ hostname: 'n1', kernel: '6.1', cores: 2, memoryBytes: '8000000000', dataInterface: 'eth0' },
  ...{ dataAddress: '10.0.0.1/24', clock: { realtimeNs: '1700000000000000000' }, tools: { tc: '6.1', mpirun: null } },
  systemd: false,
  cpuQuota: 0.06,
});

fuzz({
  name: 'facts of hosts',
  inputs: damagedTexts([FACTS, FACTS.replaceAll(',', ',\n'), `welcome\n${FACTS}`]),
  read: (text) => parseFacts(text, 'n1'),
  refusal: 'infrastructure',
});

const CLASSES = `class htb 7077:2 root leaf 7078: prio 0 rate 40Mbit ceil 40Mbit burst 18Kb cburst 18Kb
 Sent 6936048 bytes 5123 pkt (dropped 3, overlimits 85 requeues 0)
`;
const LINK = `@interface eth0\n@state ours\n@uptime 1500.25\n@deadline 1560\n@owner ann\n@bytes 100 200\n@qdisc\nqdisc htb 7077: root\n@class out\n${CLASSES}@class in\n${CLASSES}`;

fuzz({
  name: 'state of a link',
  inputs: damagedTexts([LINK, LINK.replace('ours', 'free'), LINK.replace('ours', 'foreign')]),
  read: (text) => readState('n1', text),
  refusal: 'infrastructure',
});

const perfScript = readFileSync(join(projectRoot(), 'test/fixtures/stacks/bfs-wall.perf.txt'), 'utf8');

fuzz({
  name: 'recording of perf',
  inputs: damagedTexts([perfScript.slice(0, 6000)]),
  read: async (text) => {
    const fold = new StackFold({ kind: 'wall', hz: 99 }, new Map());
    const ranks = new Map([6588, 6589].map((pid, rank) => [pid, rank]));
    const events = readPerfEvents([text], { baseS: 1_795_343_154, strange: () => undefined });
    await fold.take('a', ranks, events);
    return fold.table();
  },
  isRight: (value) => {
    allFinite(value);
    const { rows, stacks } = value as ReturnType<StackFold['table']>;
    for (const { seconds, stack } of rows)
      if (!(seconds > 0) || stacks[stack] === undefined) throw new Error('a bad row');
    for (const stack of stacks) if (/\p{Cc}/u.test(stack)) throw new Error('a stack with a control character');
  },
  refusesNothing: true,
});

fuzz({
  name: 'lines of the agent that watches pipes',
  inputs: damagedTexts([
    'process\t12\t6939576\t11\tawk\tawk {print}',
    'ends\t12\t0,r,pipe:27930836\t1,w,pipe:27930837\t3,rw,tcp:10.0.0.1:5-10.0.0.2:6',
    'slice\t1795341454856532895\t1795341455856535873\t44\t10',
    'did\t12\t44\t8\t0\t0\t0\t26754827\t295052820\t-\t-\t1',
    'waited\t12\tpipe:27930837\tw\t36',
    'level\tpipe:27930836\t44\t43\t2879488\t65536\t0\t0',
    '#predict-pipes 1 host=vm clock=realtime hz=50 slice_s=1 cores=2 pid=8857',
  ]),
  read: (text) => {
    const lines = text.split('\n').map(parseAgentLine);
    return lines.every((line) => line === null) ? null : lines;
  },
});
