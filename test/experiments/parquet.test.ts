import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CellRecord,
  cellTable,
  cellTrace,
  exportCsv,
  observations,
  traffic,
  writeCell,
} from '../../experiments/index.ts';
import { duckdb, pathLiteral } from '../../experiments/store/duckdb.ts';
import { failedRecord, goodRecord, newCampaign, nth, tempFolder } from './make.ts';

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
    const found = await observations(dir);
    expect([...found.ct]).toEqual(times);
    expect([...found.teps]).toEqual(times.map((ct) => 1000 / ct));
    expect([...found.root]).toEqual(times.map((_, root) => root));
  });

  test('unknown values are NULL in the file and NaN in columns', async () => {
    const { dir, cells } = await newCampaign();
    const record: CellRecord = goodRecord(nth(cells, 0), [0.5]);
    await writeCell(
      dir,
      { ...record, roots: [{ root: 0, ct: 0.5, teps: null, nedge: null, validateS: null }] },
      output,
    );
    expect(await rows(join(dir, 'cells', record.cell.id, 'roots.parquet'))).toEqual([
      {
        ...{ cell: record.cell.id, role: 'measure', scale: 10, nodes: 1, ranks: 1, bw: 100, rep: 1, root: 0, ct: 0.5 },
        ...{ teps: null, nedge: null, validate_s: null },
      },
    ]);
    expect((await observations(dir)).teps).toEqual(Float64Array.of(Number.NaN));
    expect(await cellTable(dir)).toMatchObject([{ harmonicMeanTeps: null }]);
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

describe('phases.parquet', () => {
  test('int64 nanoseconds and bytes come back exactly', async () => {
    const { dir, cells } = await newCampaign();
    const { id } = nth(cells, 0);
    const phasesCsv = `rank,root,level,phase,start_ns,end_ns,bytes_sent\n3,-1,-1,construction,1714557600123456789,1714557600123456790,9007199254740993\n`;
    await writeCell(dir, goodRecord(nth(cells, 0)), { ...output, phasesCsv });
    expect(await rows(join(dir, 'cells', id, 'phases.parquet'))).toEqual([
      {
        ...{ cell: id, rank: 3, root: -1, level: -1, phase: 'construction' },
        ...{ start_ns: 1714557600123456789n, end_ns: 1714557600123456790n, bytes_sent: 9007199254740993n },
        asleep_ns: null,
      },
    ]);
  });

  test('sleep is kept where a program measured it', async () => {
    const { dir, cells } = await newCampaign();
    const { id } = nth(cells, 0);
    const phasesCsv =
      'rank,root,level,phase,start_ns,end_ns,bytes_sent,asleep_ns\n0,0,1,fold,1000,5000,7,2500\n0,0,2,fold,6000,7000,0,\n';
    await writeCell(dir, goodRecord(nth(cells, 0)), {
      ...output,
      phasesCsv,
      samples: [{ host: 'a', text: '900\tx\ty\t1\n' }],
    });
    const { phases } = await cellTrace(dir, id, ['x']);
    expect([...phases.asleepNs]).toEqual([2500, Number.NaN]);
  });

  test('damaged phases store nothing', async () => {
    const { dir, cells } = await newCampaign();
    const phasesCsv = 'rank,root,level,phase,start_ns,end_ns,bytes_sent\n3,-1,-1,construction,late,1,1\n';
    const stored = writeCell(dir, goodRecord(nth(cells, 0)), { ...output, phasesCsv });
    await expect(stored).rejects.toThrow('could not be stored');
    expect(readdirSync(join(dir, 'cells'))).toEqual([]);
  });
});

describe('observations', () => {
  test('a campaign without results has none', async () => {
    const { dir } = await newCampaign();
    expect((await observations(dir, { cells: true })).length).toBe(0);
    expect(await cellTable(dir)).toEqual([]);
  });

  test('only good cells count, drift only when asked for, in a fixed order', async () => {
    const { dir, cells } = await newCampaign({ nodes: '1' });
    await writeCell(dir, goodRecord(nth(cells, 1), [2, 1]), output);
    await writeCell(dir, goodRecord(nth(cells, 0), [0.5, 0.25]), output);
    await writeCell(dir, goodRecord(nth(cells, 2), [9]), output);
    const measured = await observations(dir, { cells: true });
    expect([...measured.ct]).toEqual([0.5, 0.25, 2, 1]);
    expect([...measured.bw]).toEqual([100, 100, 50, 50]);
    expect(measured.cell).toEqual([nth(cells, 0).id, nth(cells, 0).id, nth(cells, 1).id, nth(cells, 1).id]);
    expect([...(await observations(dir, { roles: ['drift'] })).ct]).toEqual([9]);
    expect((await observations(dir, { roles: [] })).length).toBe(0);
  });

  test('a failed cell gives no row', async () => {
    const { dir, cells } = await newCampaign({ nodes: '1' });
    await writeCell(dir, failedRecord(nth(cells, 0)), output);
    expect((await observations(dir)).length).toBe(0);
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
    const file = join(dir, 'cells', nth(cells, 1).id, 'roots.parquet');
    writeFileSync(file, text);
    await expect(observations(dir)).rejects.toThrow(`${file} cannot be read`);
    await expect(cellTable(dir)).rejects.toThrow('delete its folder to run the cell again');
  });

  test('two thousand cells are read in seconds', { timeout: 60_000 }, async () => {
    const { dir, cells } = await newCampaign({ nodes: '1' });
    await writeCell(dir, goodRecord(nth(cells, 0), new Array(64).fill(0.5)), output);
    const first = join(dir, 'cells', nth(cells, 0).id, 'roots.parquet');
    for (let index = 1; index < 2000; index += 1) {
      const folder = join(dir, 'cells', index.toString(16).padStart(16, '0'));
      mkdirSync(folder);
      copyFileSync(first, join(folder, 'roots.parquet'));
    }
    const start = performance.now();
    expect((await observations(dir)).length).toBe(2000 * 64);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});

describe('cellTable and exportCsv', () => {
  test('a cell is summarised by mean, median, extremes and the harmonic mean of its rates', async () => {
    const { dir, cells } = await newCampaign({ nodes: '1' });
    await writeCell(dir, goodRecord(nth(cells, 0), [0.5, 0.25, 3]), output);
    await writeCell(dir, goodRecord(nth(cells, 2), [1]), output);
    expect(await cellTable(dir)).toEqual([
      {
        ...{ cell: nth(cells, 0).id, role: 'measure', scale: 10, nodes: 1, ranks: 1, bw: 100, rep: 1, count: 3 },
        ...{ meanCt: 1.25, medianCt: 0.5, minCt: 0.25, maxCt: 3, harmonicMeanTeps: 800 },
      },
      expect.objectContaining({ role: 'drift', rep: 2, count: 1 }),
    ]);
    expect(await cellTable(dir, { roles: ['measure'] })).toHaveLength(1);
  });

  test('the CSV has one row per search with full precision', async () => {
    const { dir, cells } = await newCampaign({ nodes: '1' });
    await writeCell(dir, goodRecord(nth(cells, 1), [0.1 + 0.2, 1e-7]), output);
    const text = [...exportCsv(await observations(dir))].join('');
    expect(text).toBe('scale,n,bw,rep,ct\n10,1,50,1,0.30000000000000004\n10,1,50,1,1e-7\n');
  });
});

describe('traffic', () => {
  const readings = (host: string, rate: number, extra: string[] = []): string => {
    const lines = [0, 10, 20, 30, 40].map((t) => `${t}\tnet.tx_bytes\teth0\t${1000 + rate * t}`);
    return `#predict-samples 1 host=${host} clock=realtime hz=20 cores=2\n${[...lines, ...extra].join('\n')}\n#end samples=5 missed=0 cpu_ns=9\n`;
  };
  const phases = (...lines: readonly [rank: number, root: number, start: number, end: number][]): string =>
    [
      'rank,root,level,phase,start_ns,end_ns,bytes_sent',
      ...lines.map(([rank, root, start, end]) => `${rank},${root},-1,bfs,${start},${end},0`),
      '',
    ].join('\n');

  test('is what the counters rose by within the searches, mean over hosts and searches', async () => {
    const { dir, cells } = await newCampaign();
    // The search of root 0 lasts from 5 to 15 (first start to last end), that of root 1 from 22 to 24: 10 and 2 ns.
    const phasesCsv = phases([0, 0, 5, 12], [1, 0, 7, 15], [0, 1, 22, 24], [1, 1, 22, 23]);
    // Host a sends 3 bytes per ns, host b 5; the throttle's own device counts the same bytes again.
    const shadow = [0, 10, 20, 30, 40].map((t) => `${t}\tnet.tx_bytes\tpredict2\t${3 * t}`);
    const samples = [
      { host: 'a', text: readings('a', 3, shadow) },
      { host: 'b', text: readings('b', 5) },
    ];
    await writeCell(dir, goodRecord(nth(cells, 0), [1, 1]), { ...output, samples, phasesCsv });
    expect(await traffic(dir)).toEqual([{ nodes: 1, scale: 10, bw: 100, bytes: ((10 + 2) / 2) * 4 }]);
  });

  test('is not there where a program reports no searches', async () => {
    const { dir, cells } = await newCampaign();
    await writeCell(dir, goodRecord(nth(cells, 0), [1]), {
      ...output,
      samples: [{ host: 'a', text: readings('a', 3) }],
    });
    expect(await traffic(dir)).toEqual([]);
  });
});
