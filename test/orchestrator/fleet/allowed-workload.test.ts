import { expect, it } from 'vitest';
import { parseSweep } from '../../../experiments/sweep.ts';
import { type WorkloadDefinition, workloadSchema } from '../../../experiments/workloads/workload-schema.ts';
import { permitWorkload } from '../../../orchestrator/fleet/allowed-workload.ts';

const command = (more: object): WorkloadDefinition =>
  workloadSchema.parse({ kind: 'command', name: 'own', command: ['/opt/solve'], time: { pattern: 't=(.*)' }, ...more });

function permit(workload: WorkloadDefinition, param: readonly string[] = []) {
  const sweep = parseSweep({ nodes: '2', ...(param.length === 0 ? {} : { param: [...param] }) });
  return permitWorkload({ workload, sweep }, { allow: ['graph500', '/opt/solve', '/opt/bfs'], graphs: [] });
}

it('runs bundled workloads and programs that the inventory allows', async () => {
  const allowed = [
    { kind: 'graph500', name: 'graph500' },
    { kind: 'graph500-external', name: 'theirs', binary: '/opt/bfs' },
    command({ command: ['/opt/solve', '--size', '{scale}'], folder: '{output}', outputs: { log: '{output}/log.txt' } }),
  ];
  for (const one of allowed) expect((await permit(workloadSchema.parse(one))).definition).toMatchObject(one);
});

it.each([
  ['another program', command({ command: ['/bin/sh', '-c', 'id'] }), 'runs /bin/sh, but'],
  ['a program by its name alone', command({ command: ['solve'] }), 'runs solve, but'],
  ['a program that a parameter names', command({ command: ['{param.x}'] }), 'runs {param.x}, but'],
  ['a library for its ranks', command({ env: { LD_PRELOAD: '/tmp/x.so' } }), 'sets the environment of ranks'],
  ['another folder', command({ folder: '/root' }), 'runs in /root'],
  ['a file of others', command({ outputs: { log: '../../etc/passwd' } }), 'reads ../../etc/passwd'],
  ['a file of a parameter', command({ outputs: { log: '{param.x}' } }), 'reads {param.x}'],
  ['a second program behind a colon', command({ command: ['/opt/solve', ':', '/bin/sh'] }), 'that is a colon'],
  ['shell commands', workloadSchema.parse({ kind: 'pipeline', name: 'own', commands: ['id'] }), 'runs shell commands'],
])('rejects %s', async (_, workload, sentence) => {
  await expect(permit(workload)).rejects.toMatchObject({
    kind: 'badInput',
    message: expect.stringContaining(sentence),
  });
});

it('rejects a colon that a parameter brings, and graphs that the site does not have', async () => {
  const own = command({ command: ['/opt/solve', '{param.x}', '/bin/sh'] });
  await expect(permit(own, ['x=:'])).rejects.toThrow('that is a colon');
  const graph = { name: 'web', family: 'web', directed: false, weighted: false, vertices: 2, edges: 1, scale: 1 };
  const graphs = [{ ...graph, digest: 'd', parameters: {} }];
  const workload = workloadSchema.parse({ kind: 'graphalytics', name: 'graphalytics', graphs, algorithms: ['bfs'] });
  const allowed = permitWorkload(
    { workload, sweep: parseSweep({ nodes: '2' }) },
    { allow: ['graphalytics'], graphs: [] },
  );
  await expect(allowed).rejects.toThrow('No graph of web is at this site');
});
