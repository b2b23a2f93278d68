import { describe, expect, it } from 'vitest';
import { programName } from '../../../orchestrator/dag/pipes/host-watch.ts';
import { JobGraph } from '../../../orchestrator/dag/pipes/job-graph.ts';
import { joinProcesses } from '../../../orchestrator/dag/pipes/joined.ts';
import { Carried, computePeriod } from '../../../orchestrator/dag/pipes/period-of.ts';
import { hostOf, processLines } from './lines.ts';

const times = {
  startNs: 0,
  endNs: 1e9,
  recordBytes: null,
  carried: new Carried(),
};

function graphOf(hosts: ReturnType<typeof hostOf>[]) {
  const graph = new JobGraph().update(joinProcesses(hosts));
  return {
    graph,
    tasks: graph.tasks.map(({ vertex }) => `${vertex.id} x${vertex.instances}`),
    edges: graph.edges.map(({ id, channels }) => `${id} ${channels.length}`),
  };
}

describe('processes that are joined', () => {
  it('processes that share both pipes are instances of one task, equal programs in a row are not', () => {
    const shared = [10, 11, 12].flatMap((pid) => processLines(pid, 'cat', ['0,r,pipe:1', '1,w,pipe:2']));
    const host = hostOf('here', [
      ...processLines(9, 'gen', ['1,w,pipe:1']),
      ...shared,
      ...processLines(13, 'cat', ['0,r,pipe:2', '1,w,pipe:3']),
      ...processLines(14, 'cat', ['0,r,pipe:3']),
    ]);
    const { tasks, edges } = graphOf([host]);
    expect(tasks).toEqual(['gen x1', 'cat x3', 'cat-2 x1', 'cat-3 x1']);
    expect(edges).toEqual(['gen>cat 1', 'cat>cat-2 1', 'cat-2>cat-3 1']);
  });

  it('parallel branches with pipes of their own are one task with several channels', () => {
    const host = hostOf('here', [
      ...processLines(9, 'tee', ['3,w,pipe:1', '4,w,pipe:2']),
      ...processLines(10, 'work', ['0,r,pipe:1', '1,w,pipe:3']),
      ...processLines(11, 'work', ['0,r,pipe:2', '1,w,pipe:3']),
      ...processLines(12, 'sink', ['0,r,pipe:3']),
    ]);
    const { tasks, edges } = graphOf([host]);
    expect(tasks).toEqual(['tee x1', 'work x2', 'sink x1']);
    expect(edges).toEqual(['tee>work 2', 'work>sink 1']);
  });

  it('a shell that waits for its child, a pipe to itself and a process beside the job are no tasks', () => {
    const host = hostOf('here', [
      ...processLines(9, 'gen', ['1,w,pipe:1']),
      ...processLines(10, 'sh', ['0,r,pipe:1'], { holding: 99 }),
      ...processLines(11, 'work', ['0,r,pipe:1', '5,r,pipe:7', '6,w,pipe:7'], { parent: 10 }),
      ...processLines(12, 'other', []),
    ]);
    const { tasks, edges } = graphOf([host]);
    expect(tasks).toEqual(['gen x1', 'work x1']);
    expect(edges).toEqual(['gen>work 1']);
  });

  it('a pipeline through ssh is seen whole: both ways of one connection, no cycle, no standard error', () => {
    const [out, back] = ['tcp:10.0.0.1:5000-10.0.0.2:22', 'tcp:10.0.0.2:22-10.0.0.1:5000'];
    const first = hostOf('one', [
      ...processLines(1, 'gen', ['1,w,pipe:1']),
      ...processLines(2, 'ssh', ['0,r,pipe:1', '1,w,pipe:2', `3,rw,${out}`]),
      ...processLines(3, 'sink', ['0,r,pipe:2']),
      `level ${out} 100 0 0 1 0 0`,
      `level ${out} 100 0 0 1 9000 800`,
    ]);
    const second = hostOf('two', [
      ...processLines(1, 'sshd:', [`3,rw,${back}`, '8,w,pipe:1', '9,r,pipe:2', '11,r,pipe:3']),
      ...processLines(2, 'work', ['0,r,pipe:1', '1,w,pipe:2', '2,w,pipe:3']),
      `level ${back} 100 0 0 1 800 9000`,
    ]);
    const { tasks, edges } = graphOf([first, second]);
    expect(tasks).toEqual(['gen x1', 'work x1', 'sink x1']);
    expect(edges).toEqual(['gen>work 1', 'work>sink 1']);
  });

  it('between two tasks the way that carries more is the channel; the reader waits on its own end', () => {
    const [out, back] = ['tcp:10.0.0.1:5000-10.0.0.2:90', 'tcp:10.0.0.2:90-10.0.0.1:5000'];
    const first = hostOf('one', [
      ...processLines(1, 'gen', [`3,rw,${out}`], { waits: [`${out} w 60`] }),
      `level ${out} 100 75 500 1000 9000 10`,
    ]);
    const second = hostOf('two', [
      ...processLines(1, 'sink', [`3,rw,${back}`], { waits: [`${back} r 20`] }),
      `level ${back} 100 0 0 1000 10 9000`,
    ]);
    const { graph, edges } = graphOf([first, second]);
    expect(edges).toEqual(['gen>sink 1']);
    const { period, detail } = computePeriod(graph, times);
    expect(period.vertices.gen?.processing).toEqual([0.4]);
    expect(period.vertices.sink?.processing).toEqual([0.8]);
    expect(period.edges['gen>sink']).toMatchObject({ buffer: [0.75], writer: [0.6], pressure: [1], bytes: 9000 });
    expect(detail.fill.get('gen>sink')).toBeCloseTo(5 / 1000);
  });

  it('waiting for a pipe whose other end is outside counts as waiting, for a connection to others as work', () => {
    const host = hostOf('here', [
      ...processLines(1, 'gen', ['0,r,pipe:8', '1,w,pipe:1'], { waits: ['pipe:8 r 30'] }),
      ...processLines(2, 'sink', ['0,r,pipe:1', '5,rw,tcp:10.0.0.1:7-10.0.0.9:6379'], {
        waits: ['tcp:10.0.0.1:7-10.0.0.9:6379 r 40'],
      }),
    ]);
    const joined = joinProcesses([host]);
    expect(joined.open).toMatchObject([{ channel: { name: 'pipe:8' }, way: 'w' }]);
    const { period } = computePeriod(new JobGraph().update(joined), times);
    expect(period.vertices.gen?.processing).toEqual([0.7]);
    expect(period.vertices.sink).toMatchObject({ processing: [1], disk: 0.4 });
  });

  it('what is written in one period and read in the next is counted once, and what else a side reads or writes not at all', () => {
    const carried = new Carried();
    const steps = [
      { written: 100, read: 20 },
      { written: 0, read: 60 },
      { written: 10, read: 900 },
      { written: 50, read: 0 },
    ];
    expect(steps.map((step) => carried.add('a>b', step))).toEqual([20, 60, 30, 50]);
    expect(carried.add('b>c', { written: null, read: 7 })).toBe(7);
  });

  it('a number that is given again is another process', () => {
    const host = hostOf('here', [
      ...processLines(1, 'gen', ['1,w,pipe:1']),
      ...processLines(2, 'work', ['0,r,pipe:1']),
      'gone 2 reused',
      ...processLines(2, 'work', ['0,r,pipe:1']),
    ]);
    const { graph, tasks } = graphOf([host]);
    expect(tasks).toEqual(['gen x1', 'work x1']);
    expect(graph.tasks[1]?.processes).toHaveLength(2);
  });

  it.each([
    ['/usr/bin/python3 -u /opt/stage.py 300', 'stage.py'],
    ['sh -c a | b', 'sh'],
    ['-bash', 'bash'],
    ['sshd-session: root@notty', 'sshd-session'],
    ['./parse --fast', 'parse'],
    ['', 'kworker'],
  ])('%s is called %s', (args, name) => {
    expect(programName({ name: 'kworker', args })).toBe(name);
  });
});
