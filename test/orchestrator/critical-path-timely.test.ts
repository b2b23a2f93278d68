import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { projectRoot } from '../../base/paths.ts';
import { generateTrace } from '../analysis/path/timely/generate-trace.ts';
import { runPredict } from '../run-predict.ts';

const predict = join(projectRoot(), 'predict');
const traces = join(projectRoot(), 'test/fixtures/critical-path/timely');
const folder = mkdtempSync(join(tmpdir(), 'path-timely-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('predict critical-path of a Timely trace', () => {
  test('says what the path went into, who waited, and what could not be used', async () => {
    const path = join(folder, 'damaged.jsonl');
    writeFileSync(path, `${readFileSync(join(traces, 'tiny2.jsonl'), 'utf8')}{"t":3000000,"w":0,"ty`);
    const { stdout, stderr } = await runPredict(['critical-path', '--activities', path], {
      env: { COLUMNS: '60' },
    });
    expect(stdout).toContain('2 workers, 1031 events.\nThe critical path: 330 µs of 330 µs, 4 transfers.');
    expect(stdout).toMatch(/^ *17\.5 % +57\.8 µs {2}op:BFS#4 +\d/m);
    expect(stdout).toMatch(/^w0 +7\.8 % +0\.0 %$/m);
    expect(stderr).toBe('predict: truncated line (1x): 1031');
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
  });

  test('comes out of columns as out of lines', async () => {
    const [source, columns] = [join(traces, 'dd2.jsonl.gz'), join(folder, 'dd2.columns')];
    const args = ['critical-path', '--format', 'timely', '--json', '--slice', '0.001s', '--activities'];
    const lines = await runPredict([...args, source, '--save-columns', columns]);
    const again = await runPredict([...args, columns]);
    const [one, other] = [lines, again].map(({ stdout }) => JSON.parse(stdout));
    expect(other).toEqual(one);
    expect(one.slices).toHaveLength(7);
  });

  test.each([
    [['--skew', '1'], "--skew: '1' is not PROCESS=NS"],
    [['--wait-from', 'now'], "--wait-from: 'now' is unknown"],
    [['--format', 'timely'], 'is not a trace of the format timely'],
  ])('refuses %j', async (flags, message) => {
    const args = ['critical-path', '--activities', join(projectRoot(), 'package.json'), ...flags];
    const { exitCode, stderr } = await runPredict(args);
    expect([exitCode, stderr.includes(message)]).toEqual([2, true]);
  });
});

describe('predict critical-path --follow', () => {
  const shape = { workers: 2, operators: 3, events: 6000, input: 0.1, passOn: 0.9, exchange: 0.5, seed: 4 };
  const text = [...generateTrace(shape)].join('');
  const half = text.slice(0, text.indexOf('\n', text.length / 2) - 20);
  const rest = text.slice(half.length);
  const started: ChildProcess[] = [];
  afterEach(() => {
    for (const child of started) child.kill('SIGKILL');
  });
  const follow = (source: string, stdin: 'pipe' | 'ignore'): ChildProcess => {
    const args = ['critical-path', '--activities', source, '--follow', '--slice', '0.000002s', '--json'];
    const child = spawn(predict, args, { stdio: [stdin, 'pipe', 'inherit'] });
    started.push(child);
    return child;
  };

  test('prints slices of standard input while it is still being written', async () => {
    const child = follow('-', 'pipe');
    const lines = linesOf(child);
    child.stdin?.write(half);
    const first = JSON.parse(await lines.next());
    expect(first.lengthNs).toBe(2000);
    child.stdin?.end(rest);
    const said = await lines.all();
    const ends = said.slice(0, -1).map((line) => JSON.parse(line).endNs);
    expect(ends.every((end, index) => end > (index === 0 ? first.endNs : ends[index - 1]))).toBe(true);
    expect(JSON.parse(said.at(-1) ?? '')).toHaveProperty('problems');
  });

  test('prints slices of a file as it grows, and the rest when it is interrupted', async () => {
    const path = join(folder, 'growing.jsonl');
    writeFileSync(path, half);
    const child = follow(path, 'ignore');
    const lines = linesOf(child);
    const first = JSON.parse(await lines.next());
    appendFileSync(path, rest);
    // More than the first half can have: the reader has seen the file grow.
    const halfNs = Number(/"t":(\d+)/.exec(rest.slice(rest.indexOf('\n') + 1))?.[1]);
    let last = first;
    while (last.endNs < halfNs + 2000) last = JSON.parse(await lines.next());
    child.kill('SIGINT');
    const said = await lines.all();
    expect(JSON.parse(said.at(-1) ?? '')).toHaveProperty('problems');
    const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
    expect(code).toBe(0);
  });
});

/** Lines that a process prints, one by one. */
function linesOf(child: ChildProcess): { readonly next: () => Promise<string>; readonly all: () => Promise<string[]> } {
  if (child.stdout === null) throw new Error('the process has no output');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error('the process ended early');
    return value;
  };
  const all = async (): Promise<string[]> => {
    const found: string[] = [];
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) found.push(line.value);
    return found;
  };
  return { next, all };
}
