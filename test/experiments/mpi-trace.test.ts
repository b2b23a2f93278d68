import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countIterations, mpiTrace } from '../../experiments/mpi-trace/join-ranks.ts';
import { traceProblem } from '../../experiments/trace.ts';
import { parseWorkload } from '../../experiments/workloads/load-workload.ts';
import { rowsOf } from '../agents/run-traced.ts';
import { call, FILES, file, HEADER } from './rank-files.ts';

describe('a trace of MPI calls', () => {
  test('has the time between calls as computing, from the beginning of a rank to its end', () => {
    const { phases } = mpiTrace(FILES);
    expect(rowsOf(phases).map(({ worker, phase, start_ns, end_ns }) => [worker, phase, start_ns, end_ns])).toEqual([
      ['0', 'compute', '1000', '2000'],
      ['0', 'MPI_Send', '2000', '3000'],
      ['0', 'MPI_Send', '3000', '3500'],
      ['0', 'compute', '3500', '9000'],
      ['1', 'compute', '1000', '1500'],
      ['1', 'MPI_Recv', '1500', '4000'],
      ['1', 'compute', '4000', '9000'],
    ]);
  });

  test('counts the calls of a name, and says where it cannot', () => {
    const trace = mpiTrace(FILES);
    expect(countIterations(trace, 'MPI_Send')).toEqual({ summary: { timed_iterations: 2 }, warnings: [] });
    expect(countIterations(trace, 'MPI_Bcast')).toEqual({
      summary: {},
      warnings: [expect.stringContaining('No rank recorded MPI_Bcast')],
    });
    const merged = countIterations({ ...trace, summary: { trace_merged: 7 } }, 'MPI_Send');
    expect(merged.warnings).toEqual([expect.stringContaining('7 short MPI calls share records')]);
  });

  test('matches messages by the order of posting, not by that of completion', () => {
    const { messages, summary, warnings } = mpiTrace(FILES);
    const times = new Map<string, string[]>();
    for (const { id = '', t_ns = '' } of rowsOf(messages)) times.set(id, [...(times.get(id) ?? []), t_ns]);
    expect([...times.values()]).toEqual([['2000', '4000'], ['3000', '3900'], ['3100']]);
    expect(summary.trace_unmatched).toBe(1);
    expect(warnings).toEqual(['1 sends or receives have no counterpart in the trace.']);
  });

  test('leaves a damaged file out, and says so; of a cut one it keeps the whole records', () => {
    const whole = FILES.get('rank-0.calls') ?? Buffer.alloc(0);
    const broken = mpiTrace(new Map([...FILES, ['rank-0.calls', Buffer.from('no trace')]]));
    expect(broken.warnings[0]).toBe('rank-0.calls: this is not a trace of MPI calls (8 bytes): run the program again.');
    expect(new Set(rowsOf(broken.phases).map(({ worker }) => worker))).toEqual(new Set(['1']));
    const cut = mpiTrace(new Map([['rank-0.calls', whole.subarray(0, HEADER + 64 + 30)]]));
    expect(rowsOf(cut.phases).filter(({ phase }) => phase === 'MPI_Send')).toHaveLength(1);
    expect(cut.summary.trace_unrecorded).toBe(1);
    const back = new Map([
      ['rank-0.calls', file('calls', { rank: 0, rows: [call(2000, 3000, 0), call(2500, 2600, 0)] })],
    ]);
    expect(mpiTrace(back).warnings[0]).toBe('rank-0.calls: call 2 starts before the previous one ends.');
  });

  test('is whole, or its damage is named, whatever bytes a host sends', () => {
    const names = [...FILES.keys()];
    const change = fc.tuple(fc.constantFrom(...names), fc.nat(HEADER + 128), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 5 }), fc.nat(HEADER + 200), (changes, length) => {
        const damaged = new Map([...FILES].map(([name, content]) => [name, Buffer.from(content)]));
        for (const [name, at, value] of changes)
          damaged
            .get(name)
            ?.subarray(at, at + 1)
            .fill(value);
        const first = damaged.get('rank-1.calls');
        if (first) damaged.set('rank-1.calls', first.subarray(0, length));
        const trace = mpiTrace(damaged);
        const problem = traceProblem(trace);
        if (problem !== null) expect(problem).toMatch(/damaged at line \d+/);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a workload whose MPI calls are recorded', () => {
  const yaml = (more: string): string => `kind: command\nname: x\ncommand: [x]\ntime: { pattern: "(1)" }\n${more}\n`;

  test('has a recorder and the model of its calls; without the word neither', () => {
    const [recorded, plain] = [yaml('trace: mpi'), yaml('')].map((text) => parseWorkload(text, 'x.yaml'));
    expect([recorded?.recorder, recorded?.platform]).toEqual(['mpi', 'mpi-calls']);
    expect([plain?.recorder, plain?.platform]).toEqual([null, 'mpi']);
    const other = parseWorkload('kind: graph500-external\nname: x\nbinary: b\ntrace: mpi\n', 'x.yaml');
    expect([other.recorder, other.platform]).toEqual(['mpi', 'mpi-calls']);
  });

  test('tells no phases of its own', () => {
    const text = yaml('trace: mpi\noutputs: { phases: p.csv }');
    expect(() => parseWorkload(text, 'x.yaml')).toThrow(/x\.yaml:6.*'trace: mpi' makes the phases and messages itself/);
  });
});
