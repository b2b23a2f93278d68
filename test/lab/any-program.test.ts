import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cellTraces } from '../../experiments/store/cell-trace.ts';
import { readRecord } from '../../experiments/store/cells.ts';
import { compiledStage } from '../compiled.ts';
import { pathDataset } from '../experiments/graphalytics/dataset.ts';
import { isLong } from '../times.ts';
import { NEEDS, noLab, predict, predictJson, useLab } from './fixture.ts';

interface Explained {
  readonly focus: string;
  readonly count: number;
  readonly seconds: number;
  readonly components: readonly { readonly seconds: number }[];
  readonly phases: readonly { readonly name: string; readonly seconds: number }[];
}

describe.skipIf(noLab)(`a sweep of any program ${NEEDS}`, () => {
  const lab = useLab({ name: 'test-any-program', hosts: 4, cpu: '20%' });
  const sweep = (out: string, ...flags: string[]): string[] => [
    ...['sweep', '--inventory', lab.inventory(), '--scales', '12', '--bw', '20,60', '--roots', '4'],
    // The machine of a test is never quiet.
    ...['--repeats', '0', '--out', join(lab.folder, out), '--json', ...flags],
  ];
  const cellsOf = (out: string): string[] =>
    existsSync(join(lab.folder, out, 'cells'))
      ? readdirSync(join(lab.folder, out, 'cells')).filter((name) => !name.startsWith('.'))
      : [];

  it("records a program's own failure with what it said, stops after two alike, exit 4, and does not run those again", async () => {
    const file = join(lab.folder, 'refusing.yaml');
    writeFileSync(
      file,
      'kind: command\nname: refusing\ncommand: [sh, -c, "echo I want 8 ranks, not {ranks} >&2; exit 9"]\ntime: {pattern: "took (.*) s"}\n',
    );
    const command = sweep('failing', '--nodes', '1', '--workload', file);
    const result = await predict(command);
    expect([result.exitCode, result.stderr]).toEqual([
      4,
      expect.stringContaining('no run succeeded and two cells failed in the same way'),
    ]);
    const [id] = cellsOf('failing');
    const record = await readRecord(join(lab.folder, 'failing'), id ?? '');
    expect(record.status).toBe('failed');
    expect(record.outputTail.join('\n')).toContain('I want 8 ranks, not 1');
    expect(cellsOf('failing')).toHaveLength(2);
    expect((await predict(command)).stderr).toContain('2 of 4 cells are already measured');
  });

  it('explains the trace of any program, with keys of its own, by a model of its own', async () => {
    const [workload, model] = [join(lab.folder, 'steps.yaml'), join(lab.folder, 'steps-model.yaml')];
    const script = [
      '[ "$OMPI_COMM_WORLD_RANK" = 0 ] || exit 0; s=$(date +%s%N); sleep 0.3; m=$(date +%s%N); sleep 0.1; e=$(date +%s%N)',
      '( echo worker,phase,start_ns,end_ns,step; for w in 0 1; do echo $w,work,$s,$m,7; echo $w,work,$m,$e,8; done ) > {output}/p.csv',
      '( echo kind,worker,peer,t_ns; echo send,0,1,$s; echo receive,1,0,$m ) > {output}/m.csv; echo {param.mode} took 400 ms',
    ];
    writeFileSync(
      workload,
      `kind: command\nname: steps\ncommand: [sh, -c, ${JSON.stringify(script.join('; '))}]\n` +
        'time: {pattern: "took ([0-9]+) ms", unit: ms}\noutputs: {phases: "{output}/p.csv", messages: "{output}/m.csv"}\n',
    );
    writeFileSync(
      model,
      'name: steps\nfocus: /Step\nnoun: step\nphases: {Step: {repeat: sequential, key: step, phases: {Work: {repeat: concurrent, key: worker}}}}\n' +
        'resources: {host: {repeat: many, key: host, metrics: {cpu: {class: consumable, label: the processors}}}}\n' +
        "places: {worker: {0: node01, 1: node02}}\nmapping: {/Step/Work: ['/host[host={host}]']}\n" +
        'measured: {trace: {work: /Step/Work}, metrics: {/host/cpu: {counter: cpu.busy_ns, factor: 1e-9, capacity: cores}}}\n',
    );
    await predictJson(sweep('steps', '--nodes', '2', '--workload', workload, '--param', 'mode=quick', '--bw', '60'));
    const dir = join(lab.folder, 'steps');
    const { cells } = await predictJson<{ cells: Explained[] }>(['grade10', dir, '--model', model, '--json']);
    expect(cells).toHaveLength(2);
    for (const { focus, count, seconds } of cells) {
      expect([focus, count]).toEqual(['/Step', 2]);
      expect(seconds).toBeGreaterThan(0.39);
    }
    const [id = ''] = cellsOf('steps');
    expect((await readRecord(dir, id)).cell.params).toEqual({ mode: 'quick' });
    expect(readFileSync(join(dir, 'cells', id, 'stdout.txt'), 'utf8')).toContain('quick took');
    const trace = await cellTraces(dir).trace(id, []);
    expect(trace?.messages.kind).toEqual(['send', 'receive']);
    expect([...(trace?.spans.keys.step ?? [])]).toEqual([7, 7, 8, 8]);
  });

  it('reads the time in the one new file of a pattern, and says which there are where none is new', async () => {
    const file = join(lab.folder, 'dated.yaml');
    const say = (name: string, script: string): void =>
      writeFileSync(
        file,
        `kind: command\nname: ${name}\ncommand: sh -c '${script}'\n` +
          'time: {pattern: "took ([0-9]+) ms", unit: ms}\noutputs: {log: "dated_*.txt"}\n',
      );
    say('dated', '[ "$OMPI_COMM_WORLD_RANK" != 0 ] || echo took 400 ms >dated_$(date +%s%N).txt');
    const { done } = await predictJson<{ done: number }>(
      sweep('dated', '--nodes', '2', '--workload', file, '--bw', '100'),
    );
    // What the first cell left lay beside the second.
    expect(done).toBe(2);
    const records = await Promise.all(cellsOf('dated').map((id) => readRecord(join(lab.folder, 'dated'), id)));
    for (const { status, summary } of records) expect([status, summary.runs]).toEqual(['ok', 1]);
    say('missing', 'echo took 400 ms');
    const missing = await predict(sweep('missing', '--nodes', '1', '--workload', file));
    expect([missing.exitCode, missing.stderr]).toEqual([
      4,
      expect.stringMatching(
        /No file that fits 'dated_\*\.txt' in .* is new since the run began: there are dated_\d+\.txt and dated_\d+\.txt\. /,
      ),
    ]);
  });

  it('ends with a run what its ranks left on any host, in sessions of their own and deaf to signals', async () => {
    const file = join(lab.folder, 'stays.yaml');
    const stays = 'trap "" TERM HUP INT; while :; do sleep 3471; done';
    const script = `setsid sh -c '(${stays}) </dev/null >/dev/null 2>&1 &'; sleep 0.2; echo took 200 ms`;
    writeFileSync(
      file,
      `kind: command\nname: stays\ncommand: [sh, -c, ${JSON.stringify(script)}]\ntime: {pattern: "took ([0-9]+) ms", unit: ms}\n`,
    );
    const flags = sweep('stays', '--nodes', '4', '--workload', file, '--bw', '100');
    expect((await predictJson<{ failed: unknown[] }>(flags)).failed).toEqual([]);
    const left =
      'for p in /proc/[0-9]*; do tr "\\0" " " < $p/cmdline; echo; done 2>/dev/null | grep "[s]leep 3471"; true';
    const hosts = await predictJson<{ host: string; stdout: string }[]>([
      ...['exec', '--inventory', lab.inventory(), '--json', '--', 'sh', '-c', left],
    ]);
    expect(hosts.map(({ host, stdout }) => [host, stdout])).toEqual(
      ['node01', 'node02', 'node03', 'node04'].map((host) => [host, '']),
    );
  });

  it('measures all levels of an algorithm on a graph by one start, each judged by the reference output', async () => {
    const graph = pathDataset(lab.folder, { name: 'roads' });
    const dir = join(lab.folder, 'graphs');
    const what = ['--workload', 'graphalytics', '--graphs', graph, '--algorithms', 'bfs', '--roots', '2'];
    const where = ['--inventory', lab.inventory(), '--nodes', '2', '--bw', '20', '--repeats', '0', '--out', dir];
    expect(await predictJson(['sweep', ...what, ...where, '--json'])).toMatchObject({
      planned: 3,
      done: 3,
      failed: [],
    });
    const records = await Promise.all(cellsOf('graphs').map((id) => readRecord(dir, id)));
    for (const { runs, summary } of records) {
      expect([runs.length, summary.validation]).toEqual([2, 'passed']);
      expect(Number(summary.reference_time)).toBeGreaterThan(0.0003);
    }
    const levels = records.filter(({ cell }) => cell.role === 'measure');
    expect(levels.map(({ cell }) => cell.bw).sort()).toEqual([100, 20]);
    expect(levels.map(({ proof }) => proof?.rateBps).sort()).toEqual([200e6, 40e6]);
    expect(new Set(levels.map(({ command }) => command)).size).toBe(1);
    expect(levels.filter(({ timing }) => timing.startMs !== 0)).toHaveLength(1);
    // What was loaded once, and what each level left of its own.
    expect(new Set(levels.map(({ summary }) => summary.load_time)).size).toBe(1);
    expect(new Set(levels.map(({ runs }) => runs[0]?.ct)).size).toBe(2);
  });

  it('finds times by a pattern, and explains a program without a trace by the life of its ranks', async () => {
    const file = join(lab.folder, 'sleeper.yaml');
    writeFileSync(
      file,
      'kind: command\nname: sleeper\ncommand: [sh, -c, "sleep 1; echo rank done; echo took 12.5 ms"]\ntime: {pattern: "took (\\\\d+\\\\.\\\\d+) ms", unit: ms}\n',
    );
    const result = await predict(sweep('sleeper', '--nodes', '4', '--workload', file, '--bw', '100'));
    expect([result.exitCode, result.stderr]).toEqual([0, expect.stringContaining('median 12.5 ms')]);
    const why = await predictJson<{ model: string; cells: Explained[] }>([
      'grade10',
      join(lab.folder, 'sleeper'),
      '--json',
    ]);
    const [cell] = why.cells;
    expect([why.model, cell?.focus]).toEqual(['mpi', '/']);
    // Twenty readings a second see most of the second.
    expect(cell?.seconds).toBeGreaterThan(0.7);
    expect(cell?.phases[0]?.name).toBe('/Rank');
  });

  if (isLong)
    it('sweeps a dataflow job over hosts, with a run of each cell beside its record', async () => {
      const stage = join(lab.folder, 'stage');
      copyFileSync(compiledStage(), stage);
      const workload = join(lab.folder, 'pipeline.yaml');
      const commands = [
        `${stage} 50 source 1800 connect {host.2} 9001`,
        `${stage} 2000 listen 9001 connect {host.3} 9002`,
        `${stage} 50 sink listen 9002`,
      ];
      writeFileSync(
        workload,
        JSON.stringify({ kind: 'pipeline', name: 'job', record: '4096B', periodS: 0.5, commands }),
      );
      const dir = join(lab.folder, 'job');
      const where = ['--inventory', lab.inventory(), '--workload', workload, '--repeats', '0'];
      await predictJson(['sweep', ...where, '--nodes', '3', '--bw', '4', '--out', dir, '--json']);
      const { runs, edges } = await predictJson<{
        readonly runs: readonly {
          bw: number;
          rate: number;
          summary: { shares: readonly { kind: string; share: number }[] };
        }[];
        readonly edges: readonly { from: string; to: string; seenCrossing: { limited: number } | null }[];
      }>(['dag', dir, '--json']);
      // On a busy machine the largest share may be less than half of the time.
      const largest = ({ summary: { shares } }: (typeof runs)[number]) =>
        [...shares].sort((a, b) => b.share - a.share)[0];
      expect(runs.map((run) => [run.bw, largest(run)?.kind])).toEqual([
        ...[
          [100, 'cpu'],
          [4, 'io'],
          [100, 'cpu'],
        ],
      ]);
      expect(edges.map(({ from, to }) => `${from} ${to}`).sort()).toEqual(['stage stage-2', 'stage-2 stage-3']);
      // 8 Mbit/s carry 233 records of 4096 bytes a second.
      expect(runs[1]?.rate).toBeLessThan(245);
      const [, throttled] = runs;
      const isSeen = throttled !== undefined && (largest(throttled)?.share ?? 0) >= 0.5;
      expect(edges.some(({ seenCrossing }) => seenCrossing?.limited === 4)).toBe(isSeen);
    });
});
