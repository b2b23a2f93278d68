import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { plan } from '../../experiments/plan.ts';
import type { Cell } from '../../experiments/records.ts';
import { sweepSchema } from '../../experiments/sweep.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { parseWorkload } from '../../experiments/workloads/load-workload.ts';
import { workloadSchema } from '../../experiments/workloads/workload-schema.ts';

const TEXT = `kind: pipeline
name: spread
record: 4KiB
commands:
  - ./read | nc {host.2} 9000
  - nc -l 9000 | ./parse -n {param.n} | nc {host.3} 9001
  - nc -l 9001 | awk '{{print}}' {{host.3}}
`;
const spread = parseWorkload(TEXT, 'w.yaml');
const cellOn = (nodes: number): Cell => ({
  ...{ id: '0123456789abcdef', workload: 'spread', nodes, ranks: nodes, scale: 20, bw: 50, rep: 1, role: 'measure' },
  ...{ roots: 1, params: { n: 3 } },
});
const watchOn = (nodes: number, of = spread) =>
  of.invocation(cellOn(nodes), {
    hosts: ['n1', 'n2', 'n3'].slice(0, nodes),
    addresses: ['10.0.0.1', '10.0.0.2', '10.0.0.3'].slice(0, nodes),
    ...{ outputFolder: '/w/out', program: () => '', seed: 7, datasetFolder: () => '' },
  }).watch;

describe('a pipeline over hosts', () => {
  it('has a command on each of as many hosts, who know the addresses of others', () => {
    expect(watchOn(3)).toEqual({
      commands: [
        './read | nc 10.0.0.2 9000',
        'nc -l 9000 | ./parse -n 3 | nc 10.0.0.3 9001',
        "nc -l 9001 | awk '{print}' {host.3}",
      ],
      ...{ periodS: 5, hz: 50, recordBytes: 4096 },
    });
  });

  it('keeps neighbours together on fewer hosts, and cannot spread over more', () => {
    const [first, second] = watchOn(2)?.commands ?? [];
    expect(first).toContain('./read | nc 10.0.0.1 9000');
    expect(first).toContain('./parse');
    expect(second).toBe("nc -l 9001 | awk '{print}' {host.3}");
    const sweep = sweepSchema.parse({
      workload: 'spread',
      nodes: [1, 4],
      scales: [20],
      bw: [100, 50],
      reps: 1,
      roots: 1,
      seed: 1,
      params: { n: [3] },
    });
    expect(() => plan(sweep, { workload: spread, ranksPerNode: 1, hosts: 9 })).toThrow(
      'nodes: the 3 commands of spread run on at most 3 hosts, not on 4: name fewer nodes.',
    );
  });

  it('commands of one host run at once; it fails if one of them does', async () => {
    const both = (...commands: string[]) => workloadOf(workloadSchema.parse({ kind: 'pipeline', name: 'b', commands }));
    const run = async (...commands: string[]) => {
      const [script = ''] = watchOn(1, both(...commands))?.commands ?? [];
      const { exitCode, stdout } = await execa('sh', ['-c', script], { reject: false });
      return [exitCode, stdout.split('\n').sort().join(' ')];
    };
    expect(await run('echo one # as it is', 'echo two')).toEqual([0, 'one two']);
    expect(await run('echo one; exit 3', 'sleep 0.05; echo two')).toEqual([3, 'one two']);
  });

  it('has the time of the whole job; one that fails, or of which nothing was seen, has none', () => {
    const ended = { exitCode: 0, stdout: '', stderr: '', watched: { seconds: 12.5, problem: null } };
    expect(spread.parse(ended)).toMatchObject({ ok: true, runs: [{ ct: 12.5 }] });
    expect(spread.parse({ ...ended, exitCode: 3, stderr: 'no file' })).toMatchObject({
      ...{ ok: false, reason: 'The job ended with exit status 3: no file.' },
    });
    const unseen = { ...ended, watched: { seconds: null, problem: 'No task of the job was seen.' } };
    expect(spread.parse(unseen)).toMatchObject({ ok: false, reason: 'No task of the job was seen.' });
  });

  it.each([
    ['commands:\n  - nc {host.2} 9000', /\{host\.2\}: there are commands 1 to 1/],
    ['commands:\n  - nc {host.0} 9000', /\{host\.0\}: there are commands 1 to 1/],
    ["commands:\n  - awk '{print}'", /unknown placeholder \{print\}/],
    ["commands:\n  - ' '", /there is nothing to run/],
    ['commands: []', /commands/],
    ['commands: [cat]\nrecord: many', /many/],
    ['commands: [cat]\nhz: 0', /hz/],
  ])('is refused with %j', (text, message) => {
    expect(() => parseWorkload(`kind: pipeline\nname: x\n${text}\n`, 'w.yaml')).toThrow(message);
  });
});
