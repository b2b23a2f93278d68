import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Cell, CellRecord } from '../../experiments/records.ts';
import { cellTraces } from '../../experiments/store/cell-trace.ts';
import { createOrOpenCampaign } from '../../experiments/store/create-campaign.ts';
import { duckdb, literal, pathLiteral } from '../../experiments/store/duckdb.ts';
import { listObservations } from '../../experiments/store/observations.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { writeCell } from '../../experiments/store/write-cell.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import type { WorkloadDefinition } from '../../experiments/workloads/workload-schema.ts';
import { processorSeconds } from '../processor-seconds.ts';
import { campaignPlan, cellWith, failedRecord, goodRecord, newCampaign, nth, tempFolder } from './make.ts';

const output = { stdout: '', stderr: '' };

async function rows(file: string): Promise<unknown[]> {
  return (await (await duckdb()).run(`SELECT * FROM read_parquet(${pathLiteral(file)})`)).getRowObjectsJS();
}

describe('roots.parquet', () => {
  test('times come back bit for bit', async () => {
    const { dir, cells } = await newCampaign();
    const time = fc.double({ min: 1e-12, max: 1e12, noNaN: true });
    const times = fc.sample(time, 300);
    await writeCell(dir, goodRecord(nth(cells, 0), times), output);
    const found = listObservations((await openCampaign(dir)).records);
    expect(found.map(({ ct }) => ct)).toEqual(times);
    expect(found.map(({ teps }) => teps)).toEqual(times.map((ct) => 1000 / ct));
    expect(found.map(({ run }) => run)).toEqual(times.map((_, run) => run));
  });

  test('unknown values are NULL in the file and null in rows', async () => {
    const { dir, cells } = await newCampaign();
    const record: CellRecord = goodRecord(cellWith(cells, { nodes: 1, bw: 100 }), [0.5]);
    await writeCell(
      dir,
      { ...record, runs: [{ index: 0, ct: 0.5, teps: null, nedge: null, validateS: null }] },
      output,
    );
    expect(await rows(join(dir, 'cells', record.cell.id, 'roots.parquet'))).toEqual([
      {
        ...{ cell: record.cell.id, role: 'measure', scale: 10, nodes: 1, ranks: 1, bw: 100, rep: 1, root: 0, ct: 0.5 },
        ...{ teps: null, nedge: null, validate_s: null },
      },
    ]);
    expect(listObservations((await openCampaign(dir)).records)).toMatchObject([{ ct: 0.5, teps: null }]);
  });
});

describe('samples.parquet', () => {
  const sampler = (host: string, lines: string[]): string =>
    `#predict-samples 1 host=${host} clock=realtime hz=20 cores=2\n${lines.join('\n')}\n#end samples=3 missed=0 cpu_ns=99\n`;

  test('int64 nanoseconds, names and values come back exactly, per host', async () => {
    const { dir, cells } = await newCampaign();
    const { id } = nth(cells, 0);
    const file = join(tempFolder(), 'b.txt');
    writeFileSync(file, sampler('b', ['1714557600123456789\tcpu.user\tcpu0\t0.1']));
    const samples = [
      {
        host: 'a',
        text: sampler('a', [
          '9223372036854775807\tnet.tx_bytes\teth0\t123456789012345',
          '1714557600123456790\tmem "free", all\t\t-1.5e-7',
        ]),
      },
      { host: 'b', file },
    ];
    await writeCell(dir, goodRecord(nth(cells, 0)), { ...output, samples });
    expect(await rows(join(dir, 'cells', id, 'samples.parquet'))).toEqual([
      {
        cell: id,
        host: 'a',
        t_ns: 9223372036854775807n,
        metric: 'net.tx_bytes',
        instance: 'eth0',
        value: 123456789012345,
      },
      {
        cell: id,
        host: 'a',
        t_ns: 1714557600123456790n,
        metric: 'mem "free", all',
        instance: expect.toBeOneOf(['', null]),
        value: -1.5e-7,
      },
      { cell: id, host: 'b', t_ns: 1714557600123456789n, metric: 'cpu.user', instance: 'cpu0', value: 0.1 },
    ]);
    expect(readdirSync(join(dir, 'cells', id))).not.toContainEqual(expect.stringContaining('.tmp'));
  });

  test('a sampler that was killed in the middle of a line loses only that line', async () => {
    const { dir, cells } = await newCampaign();
    const samples = [
      { host: 'a', text: '#predict-samples 1 host=a clock=realtime hz=20 cores=2\n1\tm\ti\t5\n2\tm\ti\t1234' },
    ];
    await writeCell(dir, goodRecord(nth(cells, 0)), { ...output, samples });
    const found = await rows(join(dir, 'cells', nth(cells, 0).id, 'samples.parquet'));
    expect(found).toMatchObject([{ t_ns: 1n, value: 5 }]);
  });

  test('a host without a single sample is no error', async () => {
    const { dir, cells } = await newCampaign();
    const samples = [
      { host: 'a', text: '' },
      { host: 'b', text: sampler('b', ['1\tm\ti\t5']) },
    ];
    await writeCell(dir, goodRecord(nth(cells, 0)), { ...output, samples });
    expect(await rows(join(dir, 'cells', nth(cells, 0).id, 'samples.parquet'))).toMatchObject([{ host: 'b' }]);
  });
});

describe('the trace of a program', () => {
  const samples = [{ host: 'a', text: '900\tx\ty\t1\n' }];

  test('int64 nanoseconds and bytes come back exactly, keys that do not apply are NULL', async () => {
    const { dir, cells } = await newCampaign();
    const { id } = nth(cells, 0);
    const phases = `worker,phase,start_ns,end_ns,bytes_sent,root\n3,construction,1714557600123456789,1714557600123456790,9007199254740993,\n`;
    await writeCell(dir, goodRecord(nth(cells, 0)), { ...output, phases });
    expect(await rows(join(dir, 'cells', id, 'phases.parquet'))).toEqual([
      {
        ...{ cell: id, worker: 3, phase: 'construction', root: null },
        ...{ start_ns: 1714557600123456789n, end_ns: 1714557600123456790n, bytes_sent: 9007199254740993n },
        ...{ asleep_ns: null, queued_ns: null },
      },
    ]);
  });

  test('keys are free, and sleep is kept where a program measured it', async () => {
    const { dir, cells } = await newCampaign();
    const { id } = nth(cells, 0);
    const phases = 'worker,iteration,phase,start_ns,end_ns,asleep_ns\n0,7,fold,1000,5000,2500\n0,,fold,6000,7000,\n';
    await writeCell(dir, goodRecord(nth(cells, 0)), { ...output, phases, samples });
    const trace = await cellTraces(dir).trace(id, ['x']);
    expect(trace?.spans.phase).toEqual(['fold', 'fold']);
    expect([...(trace?.spans.asleepNs ?? [])]).toEqual([2500, Number.NaN]);
    expect(trace?.spans.keys).toEqual({ iteration: Float64Array.of(7, Number.NaN) });
  });

  test('phases in the columns of before are read as today: rank is the worker, -1 is no key', async () => {
    const { dir, cells } = await newCampaign();
    const { id } = nth(cells, 0);
    const old = join(dir, 'cells', id, 'phases.parquet');
    await writeCell(dir, goodRecord(nth(cells, 0)), { ...output, samples });
    const columns =
      "4 AS rank, -1 AS root, 2 AS level, 'fold' AS phase, 1000::BIGINT AS start_ns, 3000::BIGINT AS end_ns";
    await (await duckdb()).run(`COPY (SELECT ${columns}) TO ${literal(old)}`);
    const trace = await cellTraces(dir).trace(id, ['x']);
    expect([...(trace?.spans.worker ?? [])]).toEqual([4]);
    expect(trace?.spans.keys).toEqual({ root: Float64Array.of(Number.NaN), level: Float64Array.of(2) });
  });

  test('messages are kept with both ends, ids where they are given', async () => {
    const { dir, cells } = await newCampaign();
    const { id } = nth(cells, 0);
    const messages = 'worker,kind,t_ns,peer,bytes,id\n1,receive,2500,0,64,9\n0,send,2000,1,64,9\n0,send,3000,2,,\n';
    await writeCell(dir, goodRecord(nth(cells, 0)), { ...output, samples, messages });
    const found = (await cellTraces(dir).trace(id, ['x']))?.messages;
    expect(found?.kind).toEqual(['send', 'receive', 'send']);
    expect([...(found?.timeNs ?? [])]).toEqual([1100, 1600, 2100]);
    expect([[...(found?.worker ?? [])], [...(found?.peer ?? [])]]).toEqual([
      [0, 1, 0],
      [1, 0, 2],
    ]);
    expect([...(found?.id ?? [])]).toEqual([9, 9, Number.NaN]);
  });

  test('phases that are only a header, with or without an end of its line, are none', async () => {
    const { dir, cells } = await newCampaign();
    for (const [index, end] of ['', '\n'].entries()) {
      const cell = nth(cells, index);
      await writeCell(dir, goodRecord(cell), { ...output, phases: `worker,phase,start_ns,end_ns${end}` });
      expect(await rows(join(dir, 'cells', cell.id, 'phases.parquet'))).toEqual([]);
    }
  });

  test('is of its own hosts, also in a folder whose name is a column of others', async () => {
    const dir = join(tempFolder(), 'host=lab1', 'cell=7');
    const { cells } = await createOrOpenCampaign(dir, campaignPlan());
    const hosts = ['a', 'b'].map((host) => ({ host, text: '900\tx\ty\t1\n' }));
    await writeCell(dir, goodRecord(nth(cells, 0)), { ...output, samples: hosts });
    const trace = await cellTraces(dir).trace(nth(cells, 0).id, ['x']);
    expect(trace?.counters.map(({ host }) => host)).toEqual(['a', 'b']);
    expect(listObservations((await openCampaign(dir)).records).length).toBeGreaterThan(0);
  });

  test('damaged phases store nothing', async () => {
    const { dir, cells } = await newCampaign();
    const phases = 'worker,phase,start_ns,end_ns\n3,construction,late,1\n';
    const stored = writeCell(dir, goodRecord(nth(cells, 0)), { ...output, phases });
    await expect(stored).rejects.toThrow('cannot be written');
    expect(readdirSync(join(dir, 'cells'))).toEqual([]);
  });
});

describe('observations', () => {
  test('a campaign without results has none', async () => {
    const { dir } = await newCampaign();
    expect(listObservations((await openCampaign(dir)).records)).toEqual([]);
  });

  test('only good cells count, drift only when asked for, in a fixed order', async () => {
    const { dir, cells } = await newCampaign({ nodes: '1' });
    await writeCell(dir, goodRecord(cellWith(cells, { bw: 50 }), [2, 1]), output);
    await writeCell(dir, goodRecord(cellWith(cells, { bw: 100, role: 'measure' }), [0.5, 0.25]), output);
    await writeCell(dir, goodRecord(cellWith(cells, { role: 'drift' }), [9]), output);
    const measured = listObservations((await openCampaign(dir)).records);
    expect(measured.map(({ bw, run, ct }) => [bw, run, ct])).toEqual([
      [100, 0, 0.5],
      [100, 1, 0.25],
      [50, 0, 2],
      [50, 1, 1],
    ]);
    expect(listObservations((await openCampaign(dir)).records, { roles: ['drift'] })).toMatchObject([{ ct: 9 }]);
    expect(listObservations((await openCampaign(dir)).records, { roles: [] })).toEqual([]);
  });

  test('a failed cell gives no row', async () => {
    const { dir, cells } = await newCampaign({ nodes: '1' });
    await writeCell(dir, failedRecord(nth(cells, 0)), output);
    expect(listObservations((await openCampaign(dir)).records).length).toBe(0);
  });

  test.each([
    ['empty', ''],
    ['short', 'PAR1'],
    ['garbage', 'x'.repeat(5000)],
    ['a broken middle', `PAR1${'x'.repeat(5000)}PAR1`],
  ])('damaged Parquet is named: %s', async (_, text) => {
    const { dir, cells } = await newCampaign();
    await writeCell(dir, goodRecord(nth(cells, 0)), output);
    await writeCell(dir, goodRecord(nth(cells, 1)), output);
    const folder = join(dir, 'cells', nth(cells, 1).id);
    writeFileSync(join(folder, 'roots.parquet'), text);
    await expect(openCampaign(dir)).rejects.toThrow(`The cell in ${folder} is damaged (roots.parquet has`);
  });

  test('a thousand cells are read in seconds', async () => {
    const { dir, cells } = await newCampaign({ nodes: '1', reps: '998' });
    await writeCell(dir, goodRecord(nth(cells, 0), new Array(64).fill(0.5)), output);
    const [first, ...others] = cells;
    const file = (id: string, name: string): string => join(dir, 'cells', id, name);
    const record = readFileSync(file(first?.id ?? '', 'record.json'), 'utf8');
    const more = others.slice(0, 999);
    const source = literal(file(first?.id ?? '', 'roots.parquet').replace(/[[*?]/g, '[$&]'));
    const ids = more.map(({ id }) => literal(id)).join(', ');
    const parts = join(dir, 'parts');
    // A file for each by one statement: a thousand statements take twice as long.
    await (await duckdb()).run(
      `COPY (SELECT runs.* REPLACE (ids.id AS cell) FROM read_parquet(${source}) runs, (SELECT unnest([${ids}]) AS id) ids)
       TO ${literal(parts)} (FORMAT parquet, PARTITION_BY (cell), WRITE_PARTITION_COLUMNS true)`,
    );
    for (const cell of more) {
      mkdirSync(join(dir, 'cells', cell.id));
      renameSync(join(parts, `cell=${cell.id}`, 'data_0.parquet'), file(cell.id, 'roots.parquet'));
      // As schema 1 wrote it: without a list of files.
      const { files: _, digest: __, ...old } = JSON.parse(record);
      writeFileSync(file(cell.id, 'record.json'), JSON.stringify({ ...old, schema: 1, roots: [], cell }));
    }
    rmSync(parts, { recursive: true });
    const read = async (): Promise<void> => {
      expect(listObservations((await openCampaign(dir)).records).length).toBe(1000 * 64);
    };
    expect(await processorSeconds(read)).toBeLessThan(10);
  });
});

describe('traffic', () => {
  const readings = (host: string, rate: number, extra: string[] = []): string => {
    const lines = [0, 10, 20, 30, 40].map((t) => `${t}\tnet.tx_bytes\teth0\t${1000 + rate * t}`);
    return `#predict-samples 1 host=${host} clock=realtime hz=20 cores=2\n${[...lines, ...extra].join('\n')}\n#end samples=5 missed=0 cpu_ns=9\n`;
  };
  const phasesOf = (...lines: readonly [worker: number, root: number, start: number, end: number][]): string =>
    [
      'worker,root,phase,start_ns,end_ns',
      ...lines.map(([worker, root, start, end]) => `${worker},${root},bfs,${start},${end}`),
      '',
    ].join('\n');

  test('is what the counters rose by within the searches, mean over hosts and searches', async () => {
    const { dir, cells } = await newCampaign();
    // The search of root 0 lasts from 5 to 15 (first start to last end), that of root 1 from 22 to 24: 10 and 2 ns.
    const phases = phasesOf([0, 0, 5, 12], [1, 0, 7, 15], [0, 1, 22, 24], [1, 1, 22, 23]);
    // Host a sends 3 bytes per ns, host b 5; the throttle's own device counts the same bytes again.
    const shadow = [0, 10, 20, 30, 40].map((t) => `${t}\tnet.tx_bytes\tpredict2\t${3 * t}`);
    const samples = [
      { host: 'a', text: readings('a', 3, shadow) },
      { host: 'b', text: readings('b', 5) },
    ];
    const cell = cellWith(cells, { nodes: 1, bw: 100 });
    await writeCell(dir, goodRecord(cell, [1, 1]), { ...output, samples, phases });
    const bytes = ((10 + 2) / 2) * 4;
    expect(await (await openCampaign(dir)).traffic()).toEqual([
      { nodes: 1, scale: 10, bw: 100, bytes, lineRateBps: 1e9, least: (8 * bytes) / 1e9 },
    ]);
  });

  test('is not there where a program reports no searches', async () => {
    const { dir, cells } = await newCampaign();
    await writeCell(dir, goodRecord(nth(cells, 0), [1]), {
      ...output,
      samples: [{ host: 'a', text: readings('a', 3) }],
    });
    expect(await (await openCampaign(dir)).traffic()).toEqual([]);
  });

  test('is not there where no search lies within the readings', async () => {
    const { dir, cells } = await newCampaign();
    const samples = [{ host: 'a', text: readings('a', 3) }];
    await writeCell(dir, goodRecord(nth(cells, 0), [1]), { ...output, samples, phases: phasesOf([0, 0, -9, -5]) });
    expect(await (await openCampaign(dir)).traffic()).toEqual([]);
  });

  describe('over whole runs', () => {
    const command = {
      kind: 'command' as const,
      name: 'own',
      command: ['own'],
      time: { pattern: '(x)', unit: 's' as const },
    };
    const external = {
      kind: 'graph500-external' as const,
      name: 'own',
      binary: 'own',
      args: [],
      ranks: 'any' as const,
    };
    /** Two hosts that send so many bytes each in a run of 4 s, 2 s of them in two timed runs. */
    const measured = async (
      definition: WorkloadDefinition,
      sent: (cell: Cell) => readonly [number, number],
      workloadMs = 4000,
      summary = {},
    ): Promise<string> => {
      const dir = join(tempFolder(), 'campaign');
      const { cells } = await createOrOpenCampaign(dir, campaignPlan({ nodes: '4' }, workloadOf(definition)));
      for (const cell of cells) {
        const record = goodRecord(cell, [1, 1]);
        const classes = sent(cell).flatMap((bytes, index) =>
          (['out', 'in'] as const).map((direction) => ({
            ...{ host: `node${index}`, direction, bytes: direction === 'out' ? bytes : 1e12 },
            ...{ overlimits: 0, drops: 0, averageBps: 1 },
          })),
        );
        await writeCell(
          dir,
          {
            ...record,
            hosts: ['node0', 'node1'],
            summary,
            timing: { ...record.timing, workloadMs },
            proof: { bw: cell.bw, rateBps: 1e7 * cell.bw, probes: [], classes },
          },
          output,
        );
      }
      return dir;
    };
    const bytesAt50: readonly [number, number] = [3e8, 1e8];

    test('is what hosts sent per timed run, by the throttled cells where there are any', async () => {
      const dir = await measured({ ...command, failure: [], ranks: 'any' }, ({ bw }) =>
        bw === 100 ? [9e8, 9e8] : bytesAt50,
      );
      // Of 200 MB per host the link of 500 Mbit/s carries 125 MB in the 2 s beside: 75 MB passed in two timed runs.
      const one = { nodes: 4, scale: 10, bw: 50, bytes: 1e8, lineRateBps: 1e9, least: (8 * 37.5e6) / 1e9 };
      expect(await (await openCampaign(dir)).traffic()).toEqual([one]);
    });

    test('is that of one iteration where the printed times are means of some', async () => {
      // Two means of two iterations of 1 s are all 4 s of the run: all 200 MB passed in them.
      const dir = await measured({ ...command, failure: [], ranks: 'any' }, () => bytesAt50, 4000, {
        timed_iterations: 4,
      });
      const found = (await (await openCampaign(dir)).traffic()).map(({ bytes, least }) => [bytes, least]);
      expect(found).toEqual([[5e7, (8 * 5e7) / 1e9]]);
    });

    test('is bounded by nothing where the rest of the run may have sent it all', async () => {
      const dir = await measured({ ...command, failure: [], ranks: 'any' }, () => bytesAt50, 9000);
      expect((await (await openCampaign(dir)).traffic()).map(({ least }) => least)).toEqual([0]);
    });

    test('is not there for a program that makes and checks a graph beside its searches', async () => {
      expect(await (await openCampaign(await measured(external, () => bytesAt50))).traffic()).toEqual([]);
    });
  });
});
