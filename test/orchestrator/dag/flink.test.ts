import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { explainJobs } from '../../../analysis/dag/explain/explain-jobs.ts';
import { WatchedJob } from '../../../analysis/dag/job/watched-job.ts';
import { DEFAULT_THRESHOLDS } from '../../../analysis/dag/judge/judge.ts';
import { DAG_RUN_SCHEMA, type DagLine, type DagRun } from '../../../experiments/dag/dag-records.ts';
import { flinkSource } from '../../../orchestrator/dag/flink/flink-source.ts';
import type { DagEnd } from '../../../orchestrator/dag/source.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A job manager that answers as Flink's documentation has it; `answer` may take a path over. */
async function jobManager(answer: (path: string, asked: number) => unknown): Promise<string> {
  const asked = new Map<string, number>();
  let records = 0;
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.set(path, (asked.get(path) ?? 0) + 1);
    records += 100;
    const vertices = ['source', 'map'].map((id) => ({
      ...{ id, name: id, parallelism: 2, status: 'RUNNING' },
      metrics: { 'read-records': id === 'map' ? records : 0, 'write-records': records, 'write-bytes': records * 10 },
    }));
    const usual: Record<string, unknown> = {
      '/jobs/overview': { jobs: [{ jid: 'j1', name: 'words', state: 'RUNNING' }] },
      '/jobs/j1': { jid: 'j1', name: 'words', state: 'RUNNING', vertices },
      '/jobs/j1/plan': { plan: { nodes: [{ id: 'map', inputs: [{ id: 'source' }] }, { id: 'source' }] } },
    };
    const body = answer(path, asked.get(path) ?? 0) ?? usual[path];
    if (body === 'silence') return;
    response.statusCode = body === undefined ? 404 : 200;
    response.end(
      body === undefined ? '{"errors":["not found"]}' : typeof body === 'string' ? body : JSON.stringify(body),
    );
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function watch(address: string, periods: number, job: string | null = null) {
  const lines: DagLine[] = [];
  let run: Omit<DagRun, 'schema'> | undefined;
  const stop = new AbortController();
  const source = flinkSource({ address, job, periodS: 1 });
  const end: DagEnd = await source.watch(
    {
      onBegin: (begun) => {
        run = begun;
      },
      onLine: (line) => {
        lines.push(line);
        if (lines.filter(({ kind }) => kind === 'period').length === periods) stop.abort();
      },
      onPrinted: () => undefined,
    },
    stop.signal,
  );
  return { run, end, lines, periods: lines.filter((line) => line.kind === 'period') };
}

const subtask = (number: number, [ratio, idleRatio, busyRatio]: readonly unknown[]) => ({
  subtask: number,
  ratio,
  idleRatio,
  busyRatio,
});

describe('a job of Flink, watched by its REST API', () => {
  it('reads new and old spellings, NaN, missing subtasks and answers that are out of date', async () => {
    const address = await jobManager((path, asked) => {
      if (path === '/jobs/j1/vertices/source/backpressure') {
        if (asked === 1) return { status: 'deprecated', 'backpressure-level': 'ok', subtasks: [] };
        return {
          status: 'ok',
          'backpressure-level': 'high',
          'end-timestamp': 1,
          subtasks: [subtask(0, [0.6, 0.2, 'NaN']), subtask(3, [0.6, 0.2, 0.2])],
        };
      }
      return path.endsWith('/map/backpressure')
        ? { status: 'ok', backpressureLevel: 'ok', subtasks: [subtask(0, [0, 0.05, 0.95]), subtask(1, [0, 0.03, 1.7])] }
        : undefined;
    });
    const { run, periods, end } = await watch(address, 2);
    expect(run).toMatchObject({
      source: 'flink',
      edges: [{ id: 'source>map' }],
      command: expect.stringContaining('words'),
    });
    expect(end.why).toBe('watching was stopped');
    const [first] = periods;
    expect(first?.vertices.source?.processing).toEqual([null, 0.2]);
    expect(first?.vertices.map?.processing).toEqual([0.95, 1]);
    const [edge] = Object.values(first?.edges ?? {});
    expect(edge).toMatchObject({ buffer: null, writer: [0.6, 0.6] });
    expect(edge?.pressure).toEqual([expect.closeTo(0.75), expect.closeTo(0.75)]);
    expect(periods[1]?.vertices.source?.records).toBeGreaterThan(0);
  });

  it('a source whose busy time is unknown was busy for what its other ratios leave, at most', async () => {
    const answers: Record<string, unknown> = {
      '/jobs/j1/vertices/source/backpressure': [0.95, 0, 'NaN'],
      '/jobs/j1/vertices/map/backpressure': [0, 0.2, 0.8],
    };
    const address = await jobManager((path) =>
      answers[path] === undefined ? undefined : { status: 'ok', subtasks: [subtask(0, answers[path] as unknown[])] },
    );
    const { run, lines } = await watch(address, 3);
    const judged = (read: readonly DagLine[]) => {
      const job = new WatchedJob(
        { schema: DAG_RUN_SCHEMA, ...(run as Omit<DagRun, 'schema'>) },
        { thresholds: DEFAULT_THRESHOLDS },
      );
      for (const line of read) job.add(line);
      return explainJobs([{ folder: 'flink', job, problems: [] }], {
        level: 0.9,
        target: null,
        size: null,
        price: null,
      });
    };
    const { runs, tasks, steps, notes } = judged(lines);
    const rate = runs[0]?.rate ?? Number.NaN;
    expect(tasks[0]).toMatchObject({ busy: null, basis: 'at most' });
    expect((tasks[0]?.limit?.value ?? 0) / rate).toBeCloseTo(1 / 0.05, 9);
    // From there on the source gets more instances too: what one allows beyond that is not known.
    const beyond = steps.filter(({ rate: { value } }) => value > (rate / 0.05) * (1 + 1e-9));
    expect(beyond.every(({ instances }) => (instances[0] ?? 0) > (run?.vertices[0]?.instances ?? 0))).toBe(true);
    expect(notes.join(' ')).toMatch(
      /How busy 'source' was is not measured, only the most that it can have been\. It allows at least/,
    );
    const silent = judged(
      lines.map((line) =>
        line.kind === 'period'
          ? {
              ...line,
              vertices: { ...line.vertices, source: { processing: [null], cpu: null, disk: null, records: 100 } },
            }
          : line,
      ),
    );
    expect(silent.tasks[0]).toMatchObject({ limit: null, basis: null });
    expect(silent.notes.join(' ')).toMatch(/How busy 'source' was is not measured: it is left out of the limits/);
  });

  it('an old job manager tells blocked time alone: writers are measured, tasks are not', async () => {
    const address = await jobManager((path) =>
      path.endsWith('backpressure')
        ? { status: 'ok', 'backpressure-level': 'high', subtasks: [{ subtask: 0, ratio: 0.9 }] }
        : undefined,
    );
    const { periods } = await watch(address, 1);
    expect(periods[0]?.vertices.map?.processing).toEqual([null]);
    expect(periods[0]?.edges['source>map']).toMatchObject({ buffer: null, writer: [0.9], pressure: null });
  });

  it('counts by what grew, not where a count fell, as one that began anew; bytes of a task are those of its only edge', async () => {
    const counted = (read: number, written: number, bytes: number) => ({
      ...{ 'read-records': read, 'write-records': written, 'write-bytes': bytes },
    });
    const answers = [
      { source: counted(0, 900, 9000), map: counted(500, 480, 4800), other: counted(7, 0, 0) },
      { source: counted(0, 200, 2000), map: counted(500, 470, 4700), other: counted(7, 0, 0) },
      { source: counted(0, 260, 2600), map: counted(530, 490, 4950), other: counted(12, 0, 0) },
    ];
    const address = await jobManager((path, asked) => {
      if (path === '/jobs/j1/plan') {
        const fedBy = (id: string, ...inputs: string[]) => ({ id, inputs: inputs.map((one) => ({ id: one })) });
        return { plan: { nodes: [fedBy('source'), fedBy('map', 'source'), fedBy('other', 'source', 'map')] } };
      }
      if (path !== '/jobs/j1') return { status: 'ok', subtasks: [] };
      const vertices = Object.entries(answers[asked - 1] ?? {}).map(([id, metrics]) => ({
        ...{ id, name: id, parallelism: 1, metrics },
      }));
      return { name: 'words', state: asked < 3 ? 'RUNNING' : 'FINISHED', vertices };
    });
    const { periods, end } = await watch(address, 9, 'j1');
    expect(end).toMatchObject({ why: 'the job is FINISHED', exitCode: 0 });
    const records = periods.map(({ vertices }) => ['source', 'map', 'other'].map((id) => vertices[id]?.records));
    expect(records).toEqual([
      [null, 0, 0],
      [60, 30, 5],
    ]);
    const bytes = periods.map(({ edges }) => ['source>map', 'source>other', 'map>other'].map((id) => edges[id]?.bytes));
    expect(bytes).toEqual([
      [null, null, null],
      [null, null, 250],
    ]);
  });

  it('ends with what was seen when the server stops answering, and says so', async () => {
    let gone = false;
    const address = await jobManager((path) => {
      if (gone) return 'silence';
      if (!path.endsWith('backpressure')) return undefined;
      if (path.includes('/map/')) gone = true;
      return { status: 'ok', subtasks: [subtask(0, [0, 0.5, 0.5])] };
    });
    const { periods, lines, end } = await watch(address, 99);
    expect(periods).toHaveLength(1);
    expect(lines.filter(({ kind }) => kind === 'note')).toHaveLength(3);
    expect(end.fault).toMatchObject({
      kind: 'infrastructure',
      message: expect.stringMatching(/does not respond: it took longer than 1 s/),
    });
  });

  it('waits no longer for an answer that drips, nor once the watching is over', async () => {
    const dripping = createServer((_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(drip));
    });
    servers.push(dripping);
    await new Promise<void>((resolve) => dripping.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(dripping.address() as AddressInfo).port}`;
    await expect(watch(address, 1)).rejects.toThrow(/does not respond: it took longer than 1 s\.$/);
    const source = flinkSource({ address, job: null, periodS: 5 });
    const nobody = { onBegin: () => undefined, onLine: () => undefined, onPrinted: () => undefined };
    await expect(source.watch(nobody, AbortSignal.timeout(200))).rejects.toThrow(
      /does not respond: watching ended first\.$/,
    );
  });

  it('ends with the job; refuses what is no answer of Flink, no address, and several jobs', async () => {
    const over = await jobManager((path, asked) => {
      if (path === '/jobs/j1' && asked > 2) return { name: 'words', state: 'FAILED', vertices: [] };
      return path.endsWith('backpressure') ? { status: 'ok', subtasks: [] } : undefined;
    });
    expect((await watch(over, 99)).end).toMatchObject({ why: 'the job is FAILED', exitCode: 1 });
    const html = await jobManager(() => '<html>');
    await expect(watch(html, 1)).rejects.toThrow(/does not respond with JSON/);
    await expect(watch('ftp://x', 1)).rejects.toThrow(/is not an address/);
    const two = await jobManager(() => ({ jobs: ['a', 'b'].map((jid) => ({ jid, state: 'RUNNING' })) }));
    await expect(watch(two, 1)).rejects.toThrow(/runs 2 jobs: name one with --job/);
  });
});
