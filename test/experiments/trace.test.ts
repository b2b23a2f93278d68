import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cellTraces } from '../../experiments/store/cell-trace.ts';
import { duckdb } from '../../experiments/store/duckdb.ts';
import type { CellTrace } from '../../experiments/store/read-traces.ts';
import { writeSamples } from '../../experiments/store/write-parquet.ts';
import { writeParquet } from '../../experiments/store/write-table.ts';
import { traceProblem } from '../../experiments/trace.ts';

const ID = '0123456789abcdef';
let dir = '';

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'trace-'));
});
afterAll(async () => await rm(dir, { recursive: true }));

/** A cell without phases whose host was sampled twice; `lines` are `t_ns metric instance value`. */
async function sampled(id: string, lines: readonly string[]): Promise<void> {
  const { mkdir } = await import('node:fs/promises');
  const folder = join(dir, 'cells', id);
  await mkdir(folder, { recursive: true });
  const text = `${lines.map((line) => line.replaceAll(' ', '\t')).join('\n')}\n`;
  await writeSamples(folder, { cell: id, samples: [{ host: 'a', text }] });
}

async function traceOf(id: string, metrics: readonly string[]): Promise<CellTrace> {
  const trace = await cellTraces(dir).trace(id, metrics);
  if (trace === null) throw new Error(`${id} was not sampled`);
  return trace;
}

describe('the trace of a run', () => {
  test('received bytes are those behind the throttle, sent ones those of the interface', async () => {
    await sampled(ID, [
      '1000 net.rx_bytes eth0 900',
      '1000 net.rx_bytes predict2 100',
      '1000 net.tx_bytes eth0 50',
      '1000 net.tx_bytes predict2 100',
      '2000 net.rx_bytes eth0 990',
      '2000 net.rx_bytes predict2 140',
      '2000 net.tx_bytes eth0 70',
      '2000 net.tx_bytes predict2 140',
    ]);
    const { counters, spans } = await traceOf(ID, ['net.rx_bytes', 'net.tx_bytes']);
    expect(counters.map(({ metric, worker, values }) => [metric, worker, [...values]])).toEqual([
      ['net.rx_bytes', null, [100, 140]],
      ['net.tx_bytes', null, [50, 70]],
    ]);
    expect(spans.phase).toEqual([]);
  });

  test('without a throttle the interfaces are summed', async () => {
    const id = '1123456789abcdef';
    await sampled(id, [
      '1000 net.rx_bytes eth0 1',
      '1000 net.rx_bytes eth1 2',
      '3000 net.rx_bytes eth0 10',
      '3000 net.rx_bytes eth1 20',
    ]);
    const { counters } = await traceOf(id, ['net.rx_bytes']);
    expect(counters.map(({ timesNs, values }) => [[...timesNs], [...values]])).toEqual([
      [
        [0, 2000],
        [3, 30],
      ],
    ]);
  });

  test('counters of ranks stay apart', async () => {
    const id = '2123456789abcdef';
    await sampled(id, ['1000 rank.cpu_ns 3 5', '1000 rank.cpu_ns 12 6', '2000 rank.cpu_ns 3 7']);
    const { counters } = await traceOf(id, ['rank.cpu_ns']);
    expect(counters.map(({ worker, values }) => [worker, [...values]])).toEqual([
      [3, [5, 7]],
      [12, [6]],
    ]);
  });

  test('phases of before sleep was measured have none', async () => {
    const id = '3123456789abcdef';
    await sampled(id, ['1000 net.rx_bytes eth0 1']);
    const columns =
      "0 AS rank, 0 AS root, 1 AS level, 'fold' AS phase, 1000::BIGINT AS start_ns, 3000::BIGINT AS end_ns";
    await (await duckdb()).run(`COPY (SELECT ${columns}) TO '${join(dir, 'cells', id, 'phases.parquet')}'`);
    const { spans } = await traceOf(id, ['net.rx_bytes']);
    expect([[...spans.endNs], [...spans.asleepNs]]).toEqual([[2000], [Number.NaN]]);
  });

  test('a cell that was not sampled has none', async () => {
    expect(await cellTraces(dir).trace('ffffffffffffffff', ['net.rx_bytes'])).toBeNull();
  });
});

describe('tables as Parquet', () => {
  test('texts, whole numbers, numbers and missing ones come back, across chunks', async () => {
    const count = 5000;
    const path = join(dir, "it's.parquet");
    const numbers = Float64Array.from({ length: count }, (_, row) => (row % 7 === 0 ? Number.NaN : row / 8));
    await writeParquet(path, [
      { name: 'name "x"', type: 'text', values: Array.from({ length: count }, (_, row) => `a\t${row}`) },
      { name: 'slice', type: 'integer', values: Float64Array.from({ length: count }, (_, row) => 2 ** 52 + row) },
      { name: 'rate', type: 'real', values: numbers },
    ]);
    const read = await (await duckdb()).runAndReadAll(`SELECT * FROM read_parquet('${path.replaceAll("'", "''")}')`);
    const [names, slices, rates] = read.getColumnsJS();
    expect(names?.[4321]).toBe('a\t4321');
    expect(slices?.[4999]).toBe(BigInt(2 ** 52 + 4999));
    expect(rates?.map((rate) => rate ?? Number.NaN)).toEqual([...numbers]);
  });

  test('a folder that is not there is an error of storage', async () => {
    await expect(
      writeParquet(join(dir, 'no', 'x.parquet'), [{ name: 'a', type: 'text', values: ['b'] }]),
    ).rejects.toMatchObject({
      kind: 'unwritable',
    });
  });
});

test('times since 1970 in nanoseconds are whole numbers of a trace, larger ones than 64 bits hold are not', () => {
  const rows = (end: string): string => `worker,phase,start_ns,end_ns,step\n0,work,1795290062096674540,${end},7\n`;
  expect(traceProblem({ phases: rows('1795290062398414348') })).toBeNull();
  expect(traceProblem({ phases: rows('99999999999999999999') })).toMatch(/damaged at line 2/);
});
