import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkCommand } from '../../orchestrator/cli/graph/check-command.ts';
import { convertCommand } from '../../orchestrator/cli/graph/dataset-commands.ts';
import { tempFolder } from '../experiments/make.ts';
import { runPredict } from '../run-predict.ts';

const graph = (...words: string[]) => runPredict(['graph', ...words]);

test('convert, check, reference, validate: one graph from a text to a verdict', async () => {
  const folder = tempFolder();
  const [file, web] = [join(folder, 'edges.txt'), join(folder, 'web')];
  writeFileSync(file, '1 2 1\n2 3 1\n1 3 5\n3 3 1\n');
  const made = await graph('convert', file, '--directed', '--out', web);
  expect(made).toMatchObject({ exitCode: 0 });
  expect(made.stdout).toContain('web: 3 vertices, 3 edges, directed, with weights, class 2XS, source 1:');
  expect(made.stdout).toContain('4 edges read as snap (columns 1, 2 and 3); 1 self-loops and 0 repeated edges dropped');
  const check = await graph('check', web, '--json');
  expect([check.exitCode, JSON.parse(check.stdout)]).toEqual([
    0,
    expect.objectContaining({ ok: true, name: 'web', edges: 3 }),
  ]);
  const references = await graph('reference', web, '--algorithms', 'SSSP,bfs', '--json');
  expect(JSON.parse(references.stdout)).toMatchObject({ references: [{ algorithm: 'sssp' }, { algorithm: 'bfs' }] });
  const output = join(folder, 'output');
  writeFileSync(output, '1 0\n2 1\n3 2.0001\n');
  const validate = ['validate', output, '--reference', join(web, 'web-SSSP'), '--algorithm', 'sssp'];
  expect(await graph(...validate)).toMatchObject({ exitCode: 0, stdout: '3 vertices compared: equal within 0.01 %' });
  writeFileSync(output, '1 0\n2 1\n3 5\n');
  const wrong = await graph(...validate);
  expect(wrong).toMatchObject({ exitCode: 4, stdout: expect.stringContaining('vertex 3: 5 instead of 2') });
  writeFileSync(join(web, 'web.e'), '1 2 1\n1 3 5\n2 9 1\n');
  const broken = await graph('check', web);
  expect(broken).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('breaks rules of the format (1 case)') });
  expect(broken.stdout).toContain(`1 ends of edges that are not vertices:\n  ${web}/web.e line 3: 2 9 1`);
});

test('generate makes what check finds right', async () => {
  const out = join(tempFolder(), 'g500-8');
  const made = await graph('generate', '--scale', '8', '--weights', '--out', out, '--json');
  expect(made.exitCode).toBe(0);
  const said = JSON.parse(made.stdout);
  expect(said).toMatchObject({ name: 'g500-8', family: 'graph500', weighted: true, read: 4096 });
  expect(readFileSync(join(out, 'g500-8.e'), 'utf8').split('\n')).toHaveLength(said.edges + 1);
  expect((await graph('check', out)).exitCode).toBe(0);
  expect(await graph('generate', '--scale', '31', '--out', `${out}-b`)).toMatchObject({
    exitCode: 2,
    stderr: "predict: graph generate --scale: '31' is outside its range, 1 to 30.",
  });
});

test('predict tells what is sent before anything is run', async () => {
  const folder = tempFolder();
  const [file, star] = [join(folder, 'edges.txt'), join(folder, 'star')];
  // Each of 40 leaves is joined to the hub: on two ranks the hub has one copy, and each leaf of the other rank.
  writeFileSync(file, Array.from({ length: 40 }, (_, leaf) => `0 ${leaf + 1}\n`).join(''));
  await graph('convert', file, '--undirected', '--out', star);
  const predict = (...words: string[]) => graph('predict', star, ...words);
  const said = JSON.parse((await predict('--nodes', '1,2', '--algorithms', 'PR,bfs', '--json')).stdout);
  const [{ at: ranking }] = said.kernels;
  const { values } = ranking[1];
  expect(values % 10).toBe(0);
  expect(ranking).toMatchObject([
    { ranks: 1, bytes: 0, messages: 0 },
    { ranks: 2, bytes: 4 * values + 2 * 10 * 8, messages: 20, supersteps: 10, edgesRead: 800 },
  ]);
  expect(said.kernels[1]).toMatchObject({ algorithm: 'bfs', isExact: true, fallsBelowTwo: null });
  const { stdout } = await predict('--nodes', '2', '--ranks-per-node', '2', '--algorithms', 'cdlp');
  expect(stdout).toContain('star: 41 vertices, 40 edges, undirected, 2 ranks per node\nnodes  ranks  copies per rank');
  expect(stdout).toContain('cdlp (exact, from a serial run) sends first every label');
  expect(await predict('--algorithms', 'sssp')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('star.properties does not list sssp'),
  });
  expect(await predict('--nodes', '5000')).toMatchObject({
    exitCode: 2,
    stderr: 'predict: 5000 ranks are asked for, more than 4,096: name fewer nodes or ranks per node.',
  });
});

test('wrong words are refused and nothing is written', async () => {
  const folder = tempFolder();
  const [file, out] = [join(folder, 'edges.txt'), join(folder, 'web')];
  writeFileSync(file, '1 2\n2 x\n');
  const convert = (flags: object) => convertCommand(file, { out, format: 'auto', ...flags });
  await expect(convert({ directed: true, undirected: true })).rejects.toThrow('exclude each other');
  await expect(convert({ format: 'xml' })).rejects.toThrow(
    "'xml' is not one of auto, snap, csv, matrix-market, graphalytics",
  );
  await expect(convert({ directed: true })).rejects.toThrow(`${file} line 2: '2 x' is not an edge: 'x' is not an id`);
  await expect(convert({})).rejects.toThrow('add --directed or --undirected');
  const validate = checkCommand(file, { reference: file, algorithm: 'dfs' });
  await expect(validate).rejects.toThrow("'dfs' is not an algorithm: choose from bfs, pr");
  expect(existsSync(out)).toBe(false);
});
